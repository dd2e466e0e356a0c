"""Small edits of a task list: tick a checkbox, insert a fix task. All other text stays unchanged."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from reviewloop.documents.model import Document, Task

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_OPEN = re.compile(r"^\ufeff?[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ ~/-])\]")
_TICKED = re.compile(r"^\ufeff?[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([xX])\]")
_LEAD = re.compile(r"^\ufeff?([ \t>]*)([-*+]|\d{1,9}[.)])[ \t]")
_STATUS = re.compile(r"""^(status[ \t]*:[ \t]*)(["']?)[A-Za-z][\w-]*\2([ \t]*(?:[ \t]\#.*)?)$""")
_BOX = re.compile(r"^(\ufeff?[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+)\[[xX ]\]")
_FIX_TASK = re.compile(r"^([ \t>]*)[-*+][ \t]+\[[xX ]\][ \t]+\S+[ \t]+\[FIX [^\]]+\]")
_COMPLETE = "complete"
_PENDING = "pending"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """A task that fixes the open findings on another task."""

    of: Task
    findings: tuple[str, ...]
    topic: str
    files: str = ""
    verify: str = ""


def lines_of(text: str) -> list[str]:
    """The lines with their line endings, numbered as in the parser."""
    return _LINE.findall(text)


def has_box(document: Document, task: Task) -> bool:
    """Whether the task has a checkbox or status that can be set to done."""
    if _is_file(document, task):
        return True
    return task.checked or _OPEN.match(document.line(task.line)) is not None


def mark_done(text: str, document: Document, tasks: Collection[Task]) -> str:
    """The text with these tasks marked as done. Tasks without a checkbox stay as they are."""
    return _marked(text, document, tasks, status=_COMPLETE, box=_OPEN, mark="x")


def mark_open(text: str, document: Document, tasks: Collection[Task]) -> str:
    """The text with these tasks marked as open again: the reverse of `mark_done`."""
    return _marked(text, document, tasks, status=_PENDING, box=_TICKED, mark=" ")


def _marked(
    text: str, document: Document, tasks: Collection[Task], *, status: str, box: re.Pattern[str], mark: str
) -> str:
    lines = lines_of(text)
    for task in tasks:
        if _is_file(document, task):
            _set_status(lines, document, status)
        elif match := box.match(lines[task.line - 1]):
            line = lines[task.line - 1]
            lines[task.line - 1] = f"{line[: match.start(1)]}{mark}{line[match.end(1) :]}"
    return "".join(lines)


def with_parents(tasks: Sequence[Task], finished: Task) -> list[Task]:
    """The finished task, and all parents whose other subtasks are done."""
    all_done = [finished]
    for parent in reversed(tasks[: tasks.index(finished)]):
        if parent.has_children and finished in (parts := parts_of(tasks, parent)):
            if not all(part.checked or part in all_done for part in parts):
                break
            all_done.append(parent)
    return all_done


def with_all_parents(tasks: Sequence[Task], subtask: Task) -> list[Task]:
    """The task and all its parents: a task is not done while one of its subtasks is open."""
    parents = [task for task in tasks[: tasks.index(subtask)] if subtask in parts_of(tasks, task)]
    return [subtask, *parents]


def parts_of(tasks: Sequence[Task], parent: Task) -> list[Task]:
    """All subtasks of a task, at any depth."""
    parts: list[Task] = []
    for task in tasks[tasks.index(parent) + 1 :]:
        if task.column <= parent.column:
            break
        parts.append(task)
    return parts


def without_progress(text: str) -> str:
    """The text with every box open and without fix tasks: what is left are the tasks as they were written."""
    kept: list[str] = []
    fix: re.Match[str] | None = None
    for line in lines_of(text):
        indent = len(line) - len(line.lstrip())
        if fix and line.strip() and indent > len(fix[1]):
            continue
        fix = _FIX_TASK.match(line)
        if fix is None:
            kept.append(_BOX.sub(r"\1[ ]", line))
    return "".join(kept)


def with_fix(text: str, document: Document, fix: Fix) -> str:
    """The text with a fix task inserted after the task it fixes."""
    lines = lines_of(text)
    last = fix.of.end
    while last > fix.of.line and not lines[last - 1].strip():
        last -= 1
    end = _line_end(lines, last)
    block = [f"{line}{end}" for line in _block(fix, document)]
    if not lines[last - 1].endswith(("\r", "\n")):
        lines[last - 1] += end
        block[-1] = block[-1].removesuffix(end)
    return "".join([*lines[:last], *block, *lines[last:]])


def _block(fix: Fix, document: Document) -> list[str]:
    lead = _LEAD.match(document.line(fix.of.line))
    indent, mark = (lead[1], lead[2]) if lead else ("", "-")
    mark = mark if mark in "-*+" else "-"
    number = _free_number(fix.of.id, {task.id for task in document.tasks})
    steps = [f"    {count}. {finding}" for count, finding in enumerate(map(_single_line, fix.findings), 1)]
    lines = [
        f"{mark} [ ] {number} [FIX {fix.of.id}] Fix: {_single_line(fix.findings[0])[:80]}",
        f"  {mark} **Do**: Fix the open review findings on {fix.of.id}",
        *steps,
        *([f"  {mark} **Files**: {fix.files}"] if fix.files else []),
        f"  {mark} **Done when**: A review reports none of these findings",
        *([f"  {mark} **Verify**: {fix.verify}"] if fix.verify else []),
        f"  {mark} **Commit**: `fix({fix.topic}): resolve review findings on {fix.of.id}`",
    ]
    return [f"{indent}{line}" for line in lines]


def _free_number(number: str, taken: Collection[str]) -> str:
    return next(name for count in range(1, len(taken) + 2) if (name := f"{number}.{count}") not in taken)


def _single_line(finding: str) -> str:
    """A finding on one line, without an unclosed HTML tag or code block."""
    return " ".join(finding.split()).replace("<", "&lt;").replace("```", "'''")


def _is_file(document: Document, task: Task) -> bool:
    return document.frontmatter is not None and task.line <= document.frontmatter.end


def _set_status(lines: list[str], document: Document, status: str) -> None:
    assert document.frontmatter
    keys = document.frontmatter.lines
    if at := keys.get("status"):
        line = lines[at - 1]
        end = line[len(line.rstrip("\r\n")) :]
        lines[at - 1] = _STATUS.sub(rf"\g<1>\g<2>{status}\g<2>\g<3>", line.removesuffix(end)) + end
    else:
        at = keys["task"]
        lines.insert(at, f"status: {status}{_line_end(lines, at)}")


def _line_end(lines: Sequence[str], number: int) -> str:
    """The line ending of a line; if it has none, that of the line before."""
    for line in lines[:number][::-1][:2]:
        if end := line[len(line.rstrip("\r\n")) :]:
            return end
    return "\n"
