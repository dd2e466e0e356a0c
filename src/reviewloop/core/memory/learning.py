"""What reviewers have learned about a service: what comes up again and again, and what is no issue here.

Reviewers never write. The engine learns from what they raise and from what people say about it. Everything it learns
from is an event, so what is known is the fold of the ledger, in its order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from reviewloop.core.judging.pattern_recognition import CERTAIN, recognise
from reviewloop.core.judging.ratchet import known
from reviewloop.core.session.events import Dismissed
from reviewloop.core.session.events.memory import (
    MemoryChange,
    MemoryImported,
    PatternAdded,
    PatternDismissed,
    PatternRestored,
    PatternsPruned,
    PatternsTakenOut,
)
from reviewloop.core.session.history import History
from reviewloop.core.statistics.finding_outcomes import Resolution, fates, is_reviewed
from reviewloop.core.types.finding import NOWHERE, Finding, Severity
from reviewloop.core.types.memory_pattern import Dismissal, Memory, Pattern, Sighting
from reviewloop.core.types.outcome import Answer
from reviewloop.core.types.review import Stage, Verdict

RECOGNISED_FROM = 0.9
"""How sure it must be that a finding is a known pattern. Its place says nothing: the next one is in another file."""

KEPT_SIGHTINGS = 50
KEPT_REVIEWS = 200
KEPT_LESSONS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """One thing a session teaches: something was raised, and perhaps somebody said that it is no issue.

    `key` is what counts once, a session say. `name` tells the lesson from all others: it is recognised once.
    """

    finding: Finding
    key: str
    on: date
    dismissal: Dismissal | None = None
    name: str = ""


def learn(memory: Memory, session: str, history: History) -> Memory:
    """The memory after a session, as far as it got. Learning the same again changes nothing."""
    reviewed = [
        f"{session}/{one.number}"
        for one in history.iterations
        if is_reviewed(one) and any((ended.call.stage or Stage.SPEC) is memory.stage for ended in one.ended)
    ]
    if not reviewed:
        return memory
    for lesson in lessons(memory.stage, session, history):
        memory = taught(memory, lesson)
    new = [one for one in reviewed if one not in memory.recent]
    return replace(
        memory,
        reviews=memory.reviews + len(new),
        recent=(*memory.recent, *new)[-KEPT_REVIEWS:],
        last_review=max(history.updated_at.date(), memory.last_review or date.min),
    )


def lessons(stage: Stage, session: str, history: History) -> list[Lesson]:
    """What a session teaches the reviewers of a stage. A pattern is seen once in a session, however often raised."""
    found: list[Lesson] = []
    for iteration in history.iterations:
        if not is_reviewed(iteration) or iteration.concluded_at is None:
            continue
        on = iteration.concluded_at.date()
        for fate in fates(history, iteration):
            finding = fate.finding
            if (finding.stage or Stage.SPEC) != stage or finding.severity <= Severity.INFO:
                continue
            dismissal = _dismissal(fate.resolution, finding, session, history)
            name = f"{session}/{iteration.number}/{finding.id}"
            found.append(Lesson(finding=finding, key=session, on=on, dismissal=dismissal, name=name))
    if stage is Stage.SPEC:
        found += _raised_by_people(session, history)
    return found


def changed(memory: Memory, change: MemoryChange, *, key: str) -> Memory:
    """The memory after what somebody told it, outside of any review. `key` tells the event from others."""
    match change:
        case PatternAdded():
            finding = Finding(issue=change.issue, severity=change.severity)
            return taught(memory, Lesson(finding=finding, key=key, on=change.on))
        case PatternDismissed():
            said = Dismissal(key=f"said {change.on} {change.by}", on=change.on, by=change.by, why=change.why)
            pattern = memory.pattern(change.pattern)
            return memory.with_pattern(_dismissed(pattern, said)) if pattern else memory
        case PatternRestored():
            pattern = memory.pattern(change.pattern)
            return memory.with_pattern(replace(pattern, dismissals=(), taken_out=None)) if pattern else memory
        case PatternsPruned():
            return replace(memory, patterns=tuple(one for one in memory.patterns if one.id not in change.patterns))
        case PatternsTakenOut():
            return _taken_out(memory, change.patterns)
        case MemoryImported():
            return _imported(memory, change)
        case _:
            return memory


def _taken_out(memory: Memory, gone: Sequence[str]) -> Memory:
    """Somebody took patterns out of the file. A false positive that is taken out is none any more."""

    def without(one: Pattern) -> Pattern:
        if one.id not in gone:
            return one
        unlisted = replace(one, listed=False)
        return replace(unlisted, dismissals=()) if one.dismissals else replace(unlisted, taken_out=one.frequency)

    return replace(memory, patterns=tuple(without(one) for one in memory.patterns))


def _imported(memory: Memory, change: MemoryImported) -> Memory:
    """What was imported, in place of what was known. None of it is in the file yet."""
    if memory.numbered and not change.replaces:
        return memory
    new = change.memory
    return replace(new, patterns=tuple(replace(one, listed=False) for one in new.patterns))


def taught(memory: Memory, lesson: Lesson) -> Memory:
    """The memory after one lesson: its pattern is known, or new."""
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
    if lesson.key not in {one.key for one in pattern.sightings}:
        pattern = _seen(pattern, Sighting(key=lesson.key, on=lesson.on))
    pattern = replace(pattern, severity=max(pattern.severity, lesson.finding.severity))
    if lesson.dismissal:
        pattern = _dismissed(pattern, lesson.dismissal)
    return memory.with_pattern(pattern)


def _pattern_of(lesson: Lesson, memory: Memory) -> Pattern | None:
    """The pattern that a lesson is about: the one it was about before, else one that is recognised."""
    name = memory.placed.get(lesson.name) or lesson.finding.pattern_id
    if name and (named := memory.pattern(name)):
        return named
    same = recognise([lesson.finding], [one.as_finding for one in memory.patterns], sure=RECOGNISED_FROM).get(0)
    return memory.patterns[same] if same is not None else None


def _seen(pattern: Pattern, sighting: Sighting) -> Pattern:
    kept = (*pattern.sightings, sighting)
    over = max(0, len(kept) - KEPT_SIGHTINGS)
    return replace(pattern, sightings=kept[over:], earlier=pattern.earlier + over)


def _dismissed(pattern: Pattern, dismissal: Dismissal) -> Pattern:
    """One voice a session: a dismissal outweighs letting it pass."""
    others = [one for one in pattern.dismissals if one.key != dismissal.key]
    same = next((one for one in pattern.dismissals if one.key == dismissal.key), None)
    if same and dismissal.probation:
        return pattern
    return replace(pattern, dismissals=(*others, dismissal))


def _dismissal(resolution: Resolution, finding: Finding, session: str, history: History) -> Dismissal | None:
    on = history.updated_at.date()
    match resolution:
        case Resolution.DISMISSED:
            said = _words_of(finding, history.dismissed)
            return Dismissal(key=session, on=on, by=said.by if said else "", why=said.why if said else "")
        case Resolution.ACCEPTED:
            opened = history.window.opened
            assert opened is not None
            return Dismissal(key=session, on=on, by=opened.by, why=opened.note, probation=True)
        case _:
            return None


def _words_of(finding: Finding, dismissed: Sequence[Dismissed]) -> Dismissed | None:
    same = known([finding], [one.finding for one in dismissed], same_from=CERTAIN).get(0)
    return next((one for one in dismissed if one.finding is same), None)


def _raised_by_people(session: str, history: History) -> list[Lesson]:
    """What people raised, and why they turned down what had passed."""
    on = history.updated_at.date()
    found = [
        Lesson(finding=one.finding, key=session, on=on, name=f"{session}/{one.finding.id}") for one in history.added
    ]
    for window in history.windows:
        before = [one for one in history.iterations if one.window == window.number - 1 and one.conclusion]
        passed = bool(before) and before[-1].conclusion is not None and before[-1].conclusion.verdict is Verdict.PASS
        opened = window.opened
        if opened and passed and opened.note and opened.action in (Answer.REJECT, Answer.RETRY):
            finding = Finding(issue=opened.note, severity=Severity.IMPORTANT, by=(opened.by or "a person",))
            found.append(Lesson(finding=finding, key=session, on=on, name=f"{session}/window {window.number}"))
    return found
