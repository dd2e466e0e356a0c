"""Rules for the links between tasks and requirements, in both directions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.finding import Severity
from reviewloop.documents.model import Document, Format, Task, between
from reviewloop.documents.patterns import lazy_re
from reviewloop.documents.requirements import requirements
from reviewloop.rules.ids import DEFINING_KINDS, Mentions, defined_keys, format_ids, mentions
from reviewloop.rules.model import Hit, Subject
from reviewloop.rules.registry import rule
from reviewloop.rules.tasks import is_gate, leaf_tasks

TRACEABILITY: dict[Kind, str | None] = {Kind.TASKS: "traceability"}

_GROUNDWORK = lazy_re(r"\bbump\b|\bversion\b|\bclean ?up\b|\bscaffold|\bset ?up\b|\bgitignore\b", re.IGNORECASE)


@rule(
    "TSK029",
    "requirement-without-task",
    criteria=TRACEABILITY,
    severity=Severity.IMPORTANT,
    precision=0.85,
    scope="artifact",
)
def requirement_without_task(subject: Subject) -> Iterator[Hit]:
    """A requirement has no task.

    What it checks: every functional requirement of the upstream documents, against the ids in the tasks; for spec-kit,
    the user stories. Criteria and ranges count. One finding per document. Missing non-functional requirements are a
    minor finding. choo and OpenSpec lists that mention no ids are skipped.

    Why: a requirement without a task is not built, and nobody notices before the end.

    Known problems: a task that meets a requirement without naming its id is reported.

    Example: the requirements have FR-1 to FR-6, and the tasks mention FR-1 to FR-5.

    Instead: add `_Requirements: FR-6_` to the task that builds it, or add the task.
    """
    defined = defined_keys(subject.upstream_documents(*DEFINING_KINDS))
    direct = mentions(subject.documents)
    mentioned = mentions(subject.documents, _by_criterion(subject, direct))
    required = [key for key, id_ in defined.items() if id_.family.startswith(("FR", "REQ", "Requirement"))]
    covers_any = any(mentioned.covers(key) for key in required)
    if not covers_any and any(key.startswith("US-") for key in mentioned.keys):
        required = [key for key in defined if key.startswith("US-")]
    elif not covers_any and subject.document.format in (Format.CHOO, Format.OPENSPEC):
        return
    yield from _uncovered(subject, required, mentioned, "requirement", None)
    quality = [key for key, id_ in defined.items() if id_.family.startswith("NFR")]
    if any(mentioned.covers(key) for key in quality):
        yield from _uncovered(subject, quality, mentioned, "non-functional requirement", Severity.MINOR)


def _by_criterion(subject: Subject, mentioned: Mentions) -> set[str]:
    """The upstream requirements with a criterion that a task mentions."""
    return {
        requirement.key
        for document in subject.upstream_documents(*DEFINING_KINDS)
        for requirement in requirements(document)
        if any(key.startswith("AC-") and key in mentioned.keys for key in requirement.related)
    }


def _uncovered(
    subject: Subject, required: Sequence[str], mentioned: Mentions, noun: str, severity: Severity | None
) -> Iterator[Hit]:
    missing = [key for key in required if not mentioned.covers(key)]
    if not missing:
        return
    all_missing = len(missing) == len(required) > 1
    which = f"any of the {len(required)} {noun}s" if all_missing else format_ids(missing)
    yield Hit(
        issue=f"no task mentions {which}",
        line=subject.document.tasks[0].line if subject.document.tasks else 1,
        severity=severity,
        suggestion="Add `_Requirements: ..._` to the tasks that build them, or add the tasks.",
    )


@rule("TSK030", "task-without-requirement", criteria=TRACEABILITY, severity=Severity.MINOR, precision=0.8)
def task_without_requirement(subject: Subject) -> Iterator[Hit]:
    """A task mentions no requirement.

    What it checks: each task for the id of a requirement, story or criterion, in lists where most tasks mention one.
    Tasks that check or ship work need none, nor do phases in which most tasks have none, such as refactoring.

    Why: nobody may have asked for the work.

    Known problems: groundwork, such as a new package, serves all requirements and is reported.

    Example:
        - [ ] 2.3 Add a plugin system

    Instead: name the requirement, or remove the task.
    """
    document = subject.document
    tasks = [task for task in leaf_tasks(document) if not is_gate(task)]
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
            issue=f"task {task.id} mentions no requirement", line=task.line, column=task.column, quote=task.title[:200]
        )


def _traces(document: Document, task: Task) -> bool:
    if "requirements" in task.fields:
        return True
    return any(id_.family != "T" for id_ in between(document.ids, task.line, task.end))
