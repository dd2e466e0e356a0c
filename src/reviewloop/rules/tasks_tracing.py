"""Which tasks serve which requirements, both ways."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.finding import Severity
from reviewloop.documents.model import Document, Format, Task, between
from reviewloop.documents.patterns import lazily
from reviewloop.documents.requirements import requirements
from reviewloop.rules.ids import DEFINING, Mentions, defined_keys, listed, mentions
from reviewloop.rules.model import Hit, Subject
from reviewloop.rules.registry import rule
from reviewloop.rules.tasks import is_gate, working

TRACEABILITY: dict[Kind, str | None] = {Kind.TASKS: "traceability"}

_GROUNDWORK = lazily(r"\bbump\b|\bversion\b|\bclean ?up\b|\bscaffold|\bset ?up\b|\bgitignore\b", re.IGNORECASE)


@rule(
    "TSK029",
    "requirement-without-task",
    criteria=TRACEABILITY,
    severity=Severity.IMPORTANT,
    precision=0.85,
    scope="artifact",
)
def requirement_without_task(subject: Subject) -> Iterator[Hit]:
    """No task refers to a requirement.

    What it checks: every functional requirement of the documents above, against the ids that the tasks mention. For
    spec-kit, the user stories. Criteria and ranges count. One finding per document; missing non-functional requirements
    are a minor one.

    Why: what is in no task will not be built, and nobody will notice before the end.

    Known problems: a task may meet a requirement without naming it. choo's and OpenSpec's task lists name no ids at
    all, and are left alone then.

    Example: FR-1 to FR-6 above, and tasks that name FR-1 to FR-5.

    Instead: add `_Requirements: FR-6_` to the task that builds it, or add the task.
    """
    above = defined_keys(subject.above(*DEFINING))
    named = mentions(subject.documents)
    mentioned = mentions(subject.documents, _by_criterion(subject, named))
    wanted = [key for key, one in above.items() if one.family.startswith(("FR", "REQ", "Requirement"))]
    covers_any = any(mentioned.cover(key) for key in wanted)
    if not covers_any and any(key.startswith("US-") for key in mentioned.keys):
        wanted = [key for key in above if key.startswith("US-")]
    elif not covers_any and subject.document.format in (Format.CHOO, Format.OPENSPEC):
        return
    yield from _uncovered(subject, wanted, mentioned, "requirement", None)
    quality = [key for key, one in above.items() if one.family.startswith("NFR")]
    if any(mentioned.cover(key) for key in quality):
        yield from _uncovered(subject, quality, mentioned, "non-functional requirement", Severity.MINOR)


def _by_criterion(subject: Subject, mentioned: Mentions) -> set[str]:
    """Requirements above whose own criterion some task names."""
    return {
        one.key
        for document in subject.above(*DEFINING)
        for one in requirements(document)
        if any(key.startswith("AC-") and key in mentioned.keys for key in one.related)
    }


def _uncovered(
    subject: Subject, wanted: Sequence[str], mentioned: Mentions, noun: str, severity: Severity | None
) -> Iterator[Hit]:
    missing = [key for key in wanted if not mentioned.cover(key)]
    if not missing:
        return
    none = len(missing) == len(wanted) and len(wanted) > 1
    told = f"no task refers to any of the {len(wanted)} {noun}s" if none else f"no task refers to {listed(missing)}"
    first = subject.document.tasks[0].line if subject.document.tasks else 1
    yield Hit(
        issue=told,
        line=first,
        severity=severity,
        suggestion="Add `_Requirements: ..._` to the tasks that build them, or add the tasks.",
    )


@rule("TSK030", "task-without-requirement", criteria=TRACEABILITY, severity=Severity.MINOR, precision=0.8)
def task_without_requirement(subject: Subject) -> Iterator[Hit]:
    """A task refers to no requirement.

    What it checks: each task for an id of a requirement, story or criterion, in lists where most tasks have one. Tasks
    that check or ship work need none, nor do phases in which most tasks have none, such as refactoring.

    Why: it may be work that nobody asked for.

    Known problems: groundwork (a new package, a version bump) serves all requirements and names none.

    Example:
        - [ ] 2.3 Add a plugin system

    Instead: name the requirement, or leave the task out.
    """
    document = subject.document
    tasks = [task for task in working(document) if not is_gate(task)]
    phases: dict[str, list[Task]] = {}
    for task in tasks:
        phases.setdefault(task.phase, []).append(task)
    if sum(_traces(document, task) for task in tasks) * 2 < len(tasks):
        return
    without = [
        task
        for phase in phases.values()
        if sum(_traces(document, task) for task in phase) * 2 >= len(phase)
        for task in phase
        if not _traces(document, task) and not _GROUNDWORK.search(task.title)
    ]
    for task in without:
        yield Hit(
            issue=f"task {task.id} refers to no requirement", line=task.line, column=task.column, quote=task.title[:200]
        )


def _traces(document: Document, task: Task) -> bool:
    if "requirements" in task.fields:
        return True
    return any(one.family != "T" for one in between(document.ids, task.line, task.end))
