"""What the memory learns about a service: recurring issues and false positives.

Reviewers never write to the memory. The engine learns from their findings and from people's answers to them. Every
lesson comes from an event, so the memory is a fold of the ledger, in its order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from reviewloop.core.judging.pattern_recognition import CERTAIN, recognise
from reviewloop.core.judging.ratchet import find_repeats
from reviewloop.core.session.events import Dismissed
from reviewloop.core.session.events.memory import (
    MemoryChange,
    MemoryImported,
    PatternAdded,
    PatternDismissed,
    PatternRestored,
    PatternsPruned,
    PatternsTakenOut,
    RowsAdopted,
)
from reviewloop.core.session.history import History, Iteration
from reviewloop.core.statistics.finding_outcomes import Resolution, finding_outcomes
from reviewloop.core.types.finding import NOWHERE, Finding, Severity
from reviewloop.core.types.memory_pattern import Dismissal, Memory, Pattern, Sighting
from reviewloop.core.types.outcome import Answer
from reviewloop.core.types.review import Stage, Verdict

RECOGNISED_FROM = 0.9
"""The probability needed to recognise a pattern in a finding. Places are ignored: patterns recur in other files."""

KEPT_SIGHTINGS = 50
KEPT_REVIEWS = 200
KEPT_LESSONS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A finding of a session, and its dismissal if a person dismissed it.

    A pattern counts each `key`, such as a session, once. `name` identifies the lesson, so that it is recognised once.
    """

    finding: Finding
    key: str
    on: date
    dismissal: Dismissal | None = None
    name: str = ""


def learn(memory: Memory, session: str, history: History) -> Memory:
    """The memory after a session so far. Learning the same session again changes nothing."""
    reviewed = [
        f"{session}/{iteration.number}"
        for iteration in history.iterations
        if iteration.conclusion and is_heard(iteration, memory.stage)
    ]
    if not reviewed:
        return memory
    for lesson in lessons(memory.stage, session, history):
        memory = taught(memory, lesson)
    new = [review for review in reviewed if review not in memory.recent]
    return replace(
        memory,
        reviews=memory.reviews + len(new),
        recent=(*memory.recent, *new)[-KEPT_REVIEWS:],
        last_review=max(history.updated_at.date(), memory.last_review or date.min),
    )


def is_heard(iteration: Iteration, stage: Stage) -> bool:
    """Whether a review counts for this stage's memory. Reviews without stages count as spec; discarded ones never."""
    return iteration.heard_in(stage) or (stage is Stage.SPEC and iteration.heard_in(None))


def lessons(stage: Stage, session: str, history: History) -> list[Lesson]:
    """The lessons of a session for one stage. A pattern counts once in a session, however often it is raised."""
    found: list[Lesson] = []
    for iteration in history.iterations:
        if not iteration.is_reviewed or iteration.concluded_at is None:
            continue
        on = iteration.concluded_at.date()
        for outcome in finding_outcomes(history, iteration):
            finding = outcome.finding
            if (finding.stage or Stage.SPEC) != stage or finding.severity <= Severity.INFO:
                continue
            dismissal = _dismissal(outcome.resolution, finding, session, history)
            name = f"{session}/{iteration.number}/{finding.id}"
            found.append(Lesson(finding=finding, key=session, on=on, dismissal=dismissal, name=name))
    if stage is Stage.SPEC:
        found += _raised_by_people(session, history)
    return found


def changed(memory: Memory, change: MemoryChange, *, key: str) -> Memory:
    """The memory after a change that a person made outside of any review. `key` identifies the event."""
    match change:
        case PatternAdded():
            finding = Finding(issue=change.issue, severity=change.severity)
            return taught(memory, Lesson(finding=finding, key=key, on=change.on))
        case PatternDismissed():
            dismissal = Dismissal(key=f"said {change.on} {change.by}", on=change.on, by=change.by, why=change.why)
            pattern = memory.pattern(change.pattern)
            return memory.with_pattern(_dismissed(pattern, dismissal)) if pattern else memory
        case PatternRestored():
            pattern = memory.pattern(change.pattern)
            return memory.with_pattern(replace(pattern, dismissals=(), taken_out=None)) if pattern else memory
        case PatternsPruned():
            return replace(memory, patterns=tuple(kept for kept in memory.patterns if kept.id not in change.patterns))
        case PatternsTakenOut():
            return _taken_out(memory, change.patterns)
        case RowsAdopted():
            return _adopted(memory, change.patterns)
        case MemoryImported():
            return _imported(memory, change)
        case _:
            return memory


def _taken_out(memory: Memory, gone: Sequence[str]) -> Memory:
    """The memory after a person deleted patterns from the file. A deleted false positive counts as an issue again."""

    def without(pattern: Pattern) -> Pattern:
        if pattern.id not in gone:
            return pattern
        if pattern.dismissals:
            return replace(pattern, listed=False, dismissals=())
        return replace(pattern, listed=False, taken_out=pattern.frequency)

    return replace(memory, patterns=tuple(without(pattern) for pattern in memory.patterns))


def _adopted(memory: Memory, rows: Sequence[Pattern]) -> Memory:
    """The memory with patterns for these rows, except for those that it knows already."""
    for row in rows:
        if not memory.knows(row.issue):
            number = memory.numbered + 1
            pattern = replace(row, id=f"{memory.stage[0].upper()}{number}", listed=False)
            memory = replace(memory, patterns=(*memory.patterns, pattern), numbered=number)
    return memory


def _imported(memory: Memory, change: MemoryImported) -> Memory:
    """The imported memory instead of the old one. None of its patterns is in the file yet."""
    if memory.numbered and not change.replaces:
        return memory
    new = change.memory
    return replace(new, patterns=tuple(replace(pattern, listed=False) for pattern in new.patterns))


def taught(memory: Memory, lesson: Lesson) -> Memory:
    """The memory after one lesson, which may add a pattern."""
    pattern = _pattern_of(lesson, memory)
    if pattern is None:
        number = memory.numbered + 1
        pattern = Pattern(
            id=f"{memory.stage[0].upper()}{number}",
            issue=" ".join(lesson.finding.issue.split()),
            severity=lesson.finding.severity,
            example=str(lesson.finding.place) if lesson.finding.place != NOWHERE else "",
            category=lesson.finding.category,
        )
        memory = replace(memory, patterns=(*memory.patterns, pattern), numbered=number)
    if lesson.name and lesson.name not in memory.placed:
        kept = list(memory.placed.items())[1 - KEPT_LESSONS :]
        memory = replace(memory, placed=dict(kept) | {lesson.name: pattern.id})
    if lesson.key not in {sighting.key for sighting in pattern.sightings}:
        pattern = _seen(pattern, Sighting(key=lesson.key, on=lesson.on))
    pattern = replace(pattern, severity=max(pattern.severity, lesson.finding.severity))
    if lesson.dismissal:
        pattern = _dismissed(pattern, lesson.dismissal)
    return memory.with_pattern(pattern)


def _pattern_of(lesson: Lesson, memory: Memory) -> Pattern | None:
    """The pattern of a lesson: the one found for it before, else a recognised one."""
    name = memory.placed.get(lesson.name) or lesson.finding.pattern_id
    if name and (named := memory.pattern(name)):
        return named
    same = recognise([lesson.finding], [pattern.as_finding for pattern in memory.patterns], sure=RECOGNISED_FROM).get(0)
    return memory.patterns[same] if same is not None else None


def _seen(pattern: Pattern, sighting: Sighting) -> Pattern:
    kept = (*pattern.sightings, sighting)
    over = max(0, len(kept) - KEPT_SIGHTINGS)
    return replace(pattern, sightings=kept[over:], earlier=pattern.earlier + over)


def _dismissed(pattern: Pattern, dismissal: Dismissal) -> Pattern:
    """The pattern with a dismissal. Each session has one; a dismissal on probation replaces none."""
    others = tuple(other for other in pattern.dismissals if other.key != dismissal.key)
    if dismissal.probation and len(others) < len(pattern.dismissals):
        return pattern
    return replace(pattern, dismissals=(*others, dismissal))


def _dismissal(resolution: Resolution, finding: Finding, session: str, history: History) -> Dismissal | None:
    on = history.updated_at.date()
    match resolution:
        case Resolution.DISMISSED:
            event = _event_for(finding, history.dismissed)
            return Dismissal(key=session, on=on, by=event.by if event else "", why=event.why if event else "")
        case Resolution.ACCEPTED:
            opened = history.window.opened
            assert opened is not None
            return Dismissal(key=session, on=on, by=opened.by, why=opened.note, probation=True)
        case _:
            return None


def _event_for(finding: Finding, dismissed: Sequence[Dismissed]) -> Dismissed | None:
    same = find_repeats([finding], [event.finding for event in dismissed], same_from=CERTAIN).get(0)
    return next((event for event in dismissed if event.finding is same), None)


def _raised_by_people(session: str, history: History) -> list[Lesson]:
    """The findings that people added, and their notes on work that they sent back or rejected after a pass."""
    on = history.updated_at.date()
    found = [
        Lesson(finding=added.finding, key=session, on=on, name=f"{session}/{added.finding.id}")
        for added in history.added
    ]
    for window in history.windows:
        before = [past.conclusion for past in history.iterations if past.window == window.number - 1]
        verdicts = [conclusion.verdict for conclusion in before if conclusion]
        passed = verdicts[-1:] == [Verdict.PASS]
        opened = window.opened
        if opened and passed and opened.note and opened.action in (Answer.REJECT, Answer.RETRY):
            finding = Finding(issue=opened.note, severity=Severity.IMPORTANT, by=(opened.by or "a person",))
            found.append(Lesson(finding=finding, key=session, on=on, name=f"{session}/window {window.number}"))
    return found
