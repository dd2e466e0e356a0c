"""Rules for a task list: complete tasks, quality gates, phase order, vague steps."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.finding import Severity
from reviewloop.documents.model import Document, Format, Task
from reviewloop.documents.patterns import lazy_re
from reviewloop.rules.model import Hit, Subject
from reviewloop.rules.registry import rule

COMPLETENESS: dict[Kind, str | None] = {Kind.TASKS: "completeness"}

FIELDS = ("do", "files", "done when", "verify", "commit")
_GATE = lazy_re(
    r"\[verify\]|\bcheckpoint\b|\bquality (?:gate|check)s?\b|\bAC checklist\b|\b(?:content|code|final) review$|"
    r"^(?:\[\w+\]\s*)*(?:poc |final |full |local |manual |end[- ]to[- ]end )*"
    r"(?:verif(?:y|ication)|validat(?:e|ion)|test|run|review|confirm|check|smoke test|e2e)\b",
    re.IGNORECASE,
)
_SHIPS = lazy_re(
    r"^(?:\[\w+\]\s*)*(?:create|open|submit|push|mark|monitor|merge|resolve|address|wait|watch|ensure|fix)\b.*"
    r"\b(?:PRs?|pull request|CI|review comments|branch)\b|^(?:PR|CI)\b",
    re.IGNORECASE,
)


def is_gate(task: Task) -> bool:
    """Whether the task checks or ships work instead of doing it."""
    return task.verify or task.id.startswith("V") or bool(_GATE.search(task.title) or _SHIPS.search(task.title))


def leaf_tasks(document: Document) -> list[Task]:
    """The tasks without subtasks; a task with subtasks is only a heading."""
    return [task for task in document.tasks if not task.has_children]


def uses_fields(document: Document) -> bool:
    """Whether the task list uses Do, Files, Done when, Verify and Commit."""
    tasks = leaf_tasks(document)
    filled = sum(1 for task in tasks if len(set(task.fields) & set(FIELDS)) >= 2)
    return document.format is not Format.CHOO and filled > 0 and filled >= 0.3 * len(tasks)


@rule("TSK028", "incomplete-task", criteria=COMPLETENESS, severity=Severity.IMPORTANT, precision=0.9)
def incomplete_task(subject: Subject) -> Iterator[Hit]:
    """A task lacks Do, Files, Done when, Verify or Commit.

    What it checks: the five fields of each task, in lists that use them. Tasks that check work ([VERIFY], checkpoints)
    need only Verify or Done when, and pull requests need none. If most tasks lack a field, there is one finding for the
    document. A missing Commit is minor.

    Why: agents fill in the missing fields, each in its own way.

    Known problems: formats without these fields (Kiro, spec-kit, OpenSpec) are not checked.

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
    lacking = [(task, _missing_fields(task)) for task in leaf_tasks(document)]
    counts = {name: sum(name in missing for _, missing in lacking) for name in FIELDS}
    common = [name for name, count in counts.items() if len(lacking) > 2 and count > len(lacking) / 2]
    for name in common:
        yield Hit(
            issue=f"{counts[name]} of {len(lacking)} tasks have no {name.capitalize()}",
            line=document.tasks[0].line,
            severity=Severity.MINOR if name == "commit" else None,
        )
    for task, missing in lacking:
        rest = [name for name in missing if name not in common]
        if rest:
            yield Hit(
                issue=f"task {task.id} has no {' and no '.join(name.capitalize() for name in rest)}",
                line=task.line,
                column=task.column,
                quote=task.title[:200],
                severity=Severity.MINOR if rest == ["commit"] else None,
            )


def _missing_fields(task: Task) -> list[str]:
    if is_gate(task):
        return [] if _SHIPS.search(task.title) or task.field("verify", "done when") else ["verify"]
    return [name for name in FIELDS if name not in task.fields or not task.fields[name].text.strip()]


MAX_WITHOUT_GATE = 5


@rule("TSK035", "no-quality-gate", criteria={Kind.TASKS: "quality_gates"}, severity=Severity.MINOR, precision=0.9)
def no_quality_gate(subject: Subject) -> Iterator[Hit]:
    """More than five tasks in a row have no quality gate.

    What it checks: sequences of tasks without a [VERIFY] or checkpoint task, in lists that use [VERIFY] or the five
    fields.

    Why: later tasks build on undetected errors of earlier ones.

    Known problems: tasks with thorough Verify commands may need fewer gates.

    Example: 1.1 to 1.8, and then 1.9 [VERIFY].

    Instead: add a [VERIFY] task after every two or three tasks.
    """
    document = subject.document
    tasks = leaf_tasks(document)
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
    (lazy_re(r"\bpoc\b|make it work|proof of concept|prototype|\bmvp\b|walking skeleton", re.IGNORECASE), 0),
    (lazy_re(r"refactor|clean ?up|make it right", re.IGNORECASE), 1),
    (lazy_re(r"\btest(?:s|ing)?\b", re.IGNORECASE), 2),
    (lazy_re(r"quality|make it fast|polish|harden", re.IGNORECASE), 3),
    (lazy_re(r"\bPR\b|pull request|lifecycle|release", re.IGNORECASE), 4),
)


_TEST_FIRST = lazy_re(r"\bTDD\b|test[- ]first|red[- ]green", re.IGNORECASE)


@rule("TSK036", "phases-out-of-order", criteria={Kind.TASKS: "structure"}, severity=Severity.MINOR, precision=0.9)
def phases_out_of_order(subject: Subject) -> Iterator[Hit]:
    """The phases are in the wrong order.

    What it checks: the order of phases with known names: proof of concept, refactoring, testing, quality gates, pull
    request. Test-first lists are skipped.

    Why: polishing and testing parts that do not work together yet is often wasted.

    Known problems: phases with other names are not checked.

    Example: "Phase 1: Testing", then "Phase 2: Make it work".

    Instead: use the order proof of concept, refactoring, testing, quality gates.
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
            yield Hit(issue=f'"{phase}" should come before "{name}"', line=line, quote=phase)
        elif rank > highest:
            highest, name = rank, phase


_VAGUE_STEP = lazy_re(
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
    """A step of a task is vague.

    What it checks: phrases such as "handle edge cases", "as needed" and "clean up the code" in titles and steps.

    Why: the agent has to guess what the author means.

    Known problems: the surrounding steps may say enough. The rule is off by default, because many of its findings are
    wrong.

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
                    issue=f'"{match[0]}" in task {task.id} is vague',
                    line=number,
                    column=match.start() + 1,
                    quote=match[0],
                )
