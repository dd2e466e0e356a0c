"""Checks of a task list: complete, clear, with quality gates and phases in a sensible order."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.finding import Severity
from reviewloop.documents.model import Document, Format, Task
from reviewloop.documents.patterns import lazily
from reviewloop.rules.model import Hit, Subject
from reviewloop.rules.registry import rule

COMPLETENESS: dict[Kind, str | None] = {Kind.TASKS: "completeness"}

FIELDS = ("do", "files", "done when", "verify", "commit")
_GATE = lazily(
    r"\[verify\]|\bcheckpoint\b|\bquality (?:gate|check)s?\b|\bAC checklist\b|\b(?:content|code|final) review$|"
    r"^(?:\[\w+\]\s*)*(?:poc |final |full |local |manual |end[- ]to[- ]end )*"
    r"(?:verif(?:y|ication)|validat(?:e|ion)|test|run|review|confirm|check|smoke test|e2e)\b",
    re.IGNORECASE,
)
_SHIPS = lazily(
    r"^(?:\[\w+\]\s*)*(?:create|open|submit|push|mark|monitor|merge|resolve|address|wait|watch|ensure|fix)\b.*"
    r"\b(?:PRs?|pull request|CI|review comments|branch)\b|^(?:PR|CI)\b",
    re.IGNORECASE,
)


def is_gate(task: Task) -> bool:
    """Whether a task checks or ships work instead of doing it."""
    return task.verify or task.id.startswith("V") or bool(_GATE.search(task.title) or _SHIPS.search(task.title))


def working(document: Document) -> list[Task]:
    """The tasks that are work of their own: those with subtasks are only headings."""
    return [task for task in document.tasks if not task.has_children]


def uses_fields(document: Document) -> bool:
    """Whether the list writes its tasks with Do, Files, Done when, Verify and Commit."""
    tasks = working(document)
    filled = sum(1 for task in tasks if len(set(task.fields) & set(FIELDS)) >= 2)
    return document.format is not Format.CHOO and filled > 0 and filled >= 0.3 * len(tasks)


@rule("TSK028", "incomplete-task", criteria=COMPLETENESS, severity=Severity.IMPORTANT, precision=0.9)
def incomplete_task(subject: Subject) -> Iterator[Hit]:
    """A task lacks Do, Files, Done when, Verify or Commit.

    What it checks: the five parts of each task, in lists that write their tasks so. Tasks that check or ship work
    ([VERIFY], checkpoints) need only a Verify or Done when, and pull requests nothing. A part that most tasks lack
    is one finding for the document. A missing Commit is minor.

    Why: the one who does the task decides what the author left out, and the next one decides differently.

    Known problems: formats without these parts (Kiro, spec-kit, OpenSpec) are left alone.

    Example:
        - [ ] 1.2 Parse the header
          - **Do**: Read the first line

    Instead:

        - [ ] 1.2 Parse the header
          - **Do**: Read the first line into `Header`
          - **Files**: `src/parse.py`
          - **Done when**: A file without a header is refused
          - **Verify**: `pytest tests/test_parse.py`
          - **Commit**: `feat(parse): read the header`
    """
    document = subject.document
    if not uses_fields(document):
        return
    lacking = {task: _lacking(task) for task in map(_Named, working(document))}
    common = [name for name in FIELDS if _mostly(name, lacking)]
    for name in common:
        count = sum(name in missing for missing in lacking.values())
        yield Hit(
            issue=f"{count} of {len(lacking)} tasks have no {name.capitalize()}",
            line=document.tasks[0].line,
            severity=Severity.MINOR if name == "commit" else None,
        )
    for named, missing in lacking.items():
        rest = [name for name in missing if name not in common]
        if rest:
            task = named.task
            yield Hit(
                issue=f"task {task.id} has no {' and no '.join(name.capitalize() for name in rest)}",
                line=task.line,
                column=task.column,
                quote=task.title[:200],
                severity=Severity.MINOR if rest == ["commit"] else None,
            )


class _Named:
    """A task as a key; two tasks may be equal, and still are two."""

    def __init__(self, task: Task) -> None:
        self.task = task


def _lacking(named: _Named) -> list[str]:
    task = named.task
    if is_gate(task):
        return [] if _SHIPS.search(task.title) or task.field("verify", "done when") else ["verify"]
    return [name for name in FIELDS if name not in task.fields or not task.fields[name].text.strip()]


def _mostly(name: str, lacking: dict[_Named, list[str]]) -> bool:
    return len(lacking) > 2 and sum(name in missing for missing in lacking.values()) > len(lacking) / 2


MAX_WITHOUT_GATE = 5


@rule("TSK035", "no-quality-gate", criteria={Kind.TASKS: "quality_gates"}, severity=Severity.MINOR, precision=0.9)
def no_quality_gate(subject: Subject) -> Iterator[Hit]:
    """More than five tasks follow each other without a quality gate.

    What it checks: runs of tasks without a [VERIFY] or checkpoint task, in lists that use [VERIFY] or the five parts.

    Why: the sixth task builds on an error of the first.

    Known problems: tasks that each verify themselves well may need fewer gates.

    Example: 1.1 to 1.8, and then 1.9 [VERIFY].

    Instead: a [VERIFY] task after every two or three tasks.
    """
    document = subject.document
    tasks = working(document)
    if not any(task.verify for task in tasks) and not uses_fields(document):
        return
    run: list[Task] = []
    for task in [*tasks, None]:
        if task is not None and not is_gate(task):
            run.append(task)
            continue
        if len(run) > MAX_WITHOUT_GATE:
            yield Hit(
                issue=f"{len(run)} tasks in a row without a [VERIFY] task: {run[0].id} to {run[-1].id}",
                line=run[MAX_WITHOUT_GATE].line,
                suggestion="Add a [VERIFY] task after every two or three tasks.",
            )
        run = []


_RANKS = (
    (lazily(r"\bpoc\b|make it work|proof of concept|prototype|\bmvp\b|walking skeleton", re.IGNORECASE), 0),
    (lazily(r"refactor|clean ?up|make it right", re.IGNORECASE), 1),
    (lazily(r"\btest(?:s|ing)?\b", re.IGNORECASE), 2),
    (lazily(r"quality|make it fast|polish|harden", re.IGNORECASE), 3),
    (lazily(r"\bPR\b|pull request|lifecycle|release", re.IGNORECASE), 4),
)


_TEST_FIRST = lazily(r"\bTDD\b|test[- ]first|red[- ]green", re.IGNORECASE)


@rule("TSK036", "phases-out-of-order", criteria={Kind.TASKS: "structure"}, severity=Severity.MINOR, precision=0.9)
def phases_out_of_order(subject: Subject) -> Iterator[Hit]:
    """The phases do not start with something that works.

    What it checks: phases whose names are known (proof of concept, refactoring, testing, quality gates, pull request)
    for that order. Test-first lists are left alone.

    Why: polishing and testing parts that have not met each other is work that the first run throws away.

    Known problems: phases with other names are not judged.

    Example: "Phase 1: Testing", then "Phase 2: Make it work".

    Instead: proof of concept, refactoring, testing, quality gates.
    """
    document = subject.document
    if not any("phase" in task.phase.lower() and not task.implied for task in document.tasks):
        return
    if any(_TEST_FIRST.search(heading.title) for heading in document.headings):
        return
    highest, name = -1, ""
    for phase in dict.fromkeys(task.phase for task in document.tasks if task.phase):
        rank = max((rank for pattern, rank in _RANKS if pattern.search(phase)), default=None)
        if rank is None:
            continue
        if rank < highest:
            line = next(task.line for task in document.tasks if task.phase == phase)
            yield Hit(issue=f'"{phase}" comes after "{name}"', line=line, quote=phase)
        elif rank > highest:
            highest, name = rank, phase


_VAGUE_STEP = lazily(
    r"\b(?:handle (?:all )?(?:edge cases|errors)(?: (?:properly|gracefully|appropriately))?|as (?:needed|"
    r"necessary|appropriate|required)|"
    r"if (?:needed|necessary)|where (?:appropriate|necessary)|and so on|etc\.|various|somehow|clean up (?:the )?code|"
    r"make sure (?:it|everything) works|improve (?:the )?(?:code|performance|quality)|do the rest|"
    r"similar(?:ly)? (?:for|to) (?:the )?others?)",
    re.IGNORECASE,
)


@rule(
    "TSK037",
    "vague-step",
    criteria={Kind.TASKS: "actionability"},
    severity=Severity.MINOR,
    precision=0.5,
    default=False,
)
def vague_step(subject: Subject) -> Iterator[Hit]:
    """A step leaves open what to do.

    What it checks: phrases such as "handle edge cases", "as needed", "clean up the code" in titles and steps.

    Why: whoever does the task has to decide what the author did not.

    Known problems: many, which is why the rule is off by default: the steps around it may say enough.

    Example:
        - **Do**: Handle edge cases as needed

    Instead:

        - **Do**: Refuse an empty file with exit code 2
    """
    document = subject.document
    for task in document.tasks:
        step = task.field("do")
        last = step.line + step.text.count("\n") if step else task.line
        for number in (task.line, *(range(step.line, last + 1) if step else ())):
            if number <= len(document.words) and (match := _VAGUE_STEP.search(document.words[number - 1])):
                yield Hit(
                    issue=f'"{match[0]}" in task {task.id} leaves open what to do',
                    line=number,
                    column=match.start() + 1,
                    quote=match[0],
                )
