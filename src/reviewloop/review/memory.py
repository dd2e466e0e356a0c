"""What reviewers have learned about a service: what comes up again and again, and what is no issue here.

Reviewers never write. The engine learns from what they raise and from what people say about it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from reviewloop.review.events import Dismissed
from reviewloop.review.fates import Resolution, fates, is_reviewed
from reviewloop.review.finding import NOWHERE, Category, Finding, Severity
from reviewloop.review.history import History
from reviewloop.review.outcome import Answer
from reviewloop.review.policy import Suppression
from reviewloop.review.ratchet import known
from reviewloop.review.recognition import CERTAIN, recognise
from reviewloop.review.review import Stage, Verdict

RECOGNISED_FROM = 0.9
"""How sure it must be that a finding is a known pattern. Its place says nothing: the next one is in another file."""

ARCHIVED_AFTER = timedelta(days=30)
EXPIRES_AFTER = timedelta(days=90)
"""How long after the last dismissal a false positive is still taken for one."""

DISMISSALS_NEEDED = 3
KEPT_SIGHTINGS = 50
KEPT_REVIEWS = 200
TOLD = 100
"""How many patterns a reviewer is told of at most, the most frequent ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """A review that raised a pattern. `key` tells it from others."""

    key: str
    on: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Dismissal:
    """Somebody said it is no issue. On probation, they only let it pass: that alone suppresses nothing."""

    key: str
    on: date
    by: str = ""
    why: str = ""
    probation: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """Something that comes up. `earlier` counts sightings that are no longer listed one by one.

    `listed` says that it was in a file: if it is gone from there, somebody took it out. `taken_out` is how frequent it
    was then: if it comes up again, it is back.
    """

    id: str
    issue: str
    severity: Severity
    example: str = ""
    category: Category | None = None
    sightings: tuple[Sighting, ...] = ()
    earlier: int = 0
    dismissals: tuple[Dismissal, ...] = ()
    listed: bool = False
    taken_out: int | None = None

    @property
    def frequency(self) -> int:
        return self.earlier + len(self.sightings)

    @property
    def last_seen(self) -> date | None:
        return max((one.on for one in self.sightings), default=None)

    @property
    def dismissed_on(self) -> date | None:
        return max((one.on for one in self.dismissals), default=None)

    def is_false(self, today: date) -> bool:
        """Whether people have said that it is no issue, and that has not expired."""
        return self.dismissed_on is not None and today - self.dismissed_on <= EXPIRES_AFTER

    def is_suppressed(self, today: date) -> bool:
        """Whether enough people's answers keep it from blocking. Never what is critical."""
        said = sum(1 for one in self.dismissals if not one.probation)
        return said >= DISMISSALS_NEEDED and self.severity < Severity.CRITICAL and self.is_false(today)

    def is_archived(self, today: date) -> bool:
        if self.taken_out is not None:
            return self.frequency <= self.taken_out
        return self.last_seen is not None and today - self.last_seen > ARCHIVED_AFTER

    @property
    def as_finding(self) -> Finding:
        return Finding(issue=self.issue, severity=self.severity, category=self.category, pattern_id=self.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What the reviewers of one stage know about one service.

    `reviews` counts them, `recent` are the last ones; `numbered` is how many patterns ever got an id.
    """

    stage: Stage
    service: str
    patterns: tuple[Pattern, ...] = ()
    reviews: int = 0
    recent: tuple[str, ...] = ()
    last_review: date | None = None
    numbered: int = 0

    def pattern(self, name: str) -> Pattern | None:
        return next((one for one in self.patterns if one.id == name), None)

    def with_pattern(self, changed: Pattern) -> Memory:
        return replace(self, patterns=tuple(changed if one.id == changed.id else one for one in self.patterns))

    def active(self, today: date) -> tuple[Pattern, ...]:
        """What comes up, the most frequent first."""
        live = [one for one in self.patterns if not one.is_archived(today) and not one.is_false(today)]
        return tuple(sorted(live, key=lambda one: (-one.frequency, one.id)))

    def false_positives(self, today: date) -> tuple[Pattern, ...]:
        return tuple(one for one in self.patterns if one.is_false(today))

    def archived(self, today: date) -> tuple[Pattern, ...]:
        return tuple(one for one in self.patterns if one.is_archived(today) and not one.is_false(today))


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """One thing a session teaches: something was raised, and perhaps somebody said that it is no issue."""

    finding: Finding
    key: str
    on: date
    dismissal: Dismissal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HandWritten:
    """What people wrote into a service's file: rules, issues and false positives with their reasons."""

    rules: tuple[str, ...] = ()
    issues: tuple[str, ...] = ()
    false_positives: Mapping[str, str] = field(default_factory=dict[str, str])


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
            found.append(Lesson(finding=finding, key=session, on=on, dismissal=dismissal))
    if stage is Stage.SPEC:
        found += _raised_by_people(session, history)
    return found


def suppressions(memories: Iterable[Memory], today: date) -> tuple[Suppression, ...]:
    """What people have said often enough is no issue, for the policy of a session."""
    return tuple(
        Suppression(
            pattern=one.id,
            issue=one.issue,
            category=one.category,
            because=f"{sum(not d.probation for d in one.dismissals)} times no issue here, last on {one.dismissed_on}",
        )
        for memory in memories
        for one in memory.patterns
        if one.is_suppressed(today)
    )


def told(memories: Sequence[Memory], written: Sequence[HandWritten], today: date) -> str:
    """What reviewers are told before they look: known issues first, then rules, then what is no issue."""
    active = [one for memory in memories for one in memory.active(today)]
    active.sort(key=lambda one: -one.frequency)
    false = [one for memory in memories for one in memory.false_positives(today)]
    parts = [
        _list(
            "Issues that came up here before. Look for these first. If a finding of yours is one of them, put its id\n"
            "into `pattern_id`.",
            [
                *(f"{one.id} ({one.severity}, {one.frequency} times): {_flat(one.issue)}" for one in active[:TOLD]),
                *(issue for one in written for issue in one.issues),
            ],
        ),
        _list("Rules of this service:", [rule for one in written for rule in one.rules]),
        _list(
            "People said that these are no issues here. Do not raise them, unless it is clearly different this time.",
            [
                *(f"{one.id}: {_flat(one.issue)} ({reason(one)})" for one in false),
                *(f"{issue} ({why})" for one in written for issue, why in one.false_positives.items()),
            ],
        ),
    ]
    return "\n\n".join(part for part in parts if part)


def taken_out(memory: Memory, there: Collection[str]) -> Memory:
    """The memory after somebody took patterns out of its file. A false positive that is taken out is none any more."""

    def changed(one: Pattern) -> Pattern:
        if not one.listed or one.id in there:
            return one
        gone = replace(one, listed=False)
        return replace(gone, dismissals=()) if one.dismissals else replace(gone, taken_out=one.frequency)

    return replace(memory, patterns=tuple(changed(one) for one in memory.patterns))


def dismiss_pattern(memory: Memory, name: str, dismissal: Dismissal) -> Memory:
    pattern = memory.pattern(name)
    assert pattern is not None
    return memory.with_pattern(_dismissed(pattern, dismissal))


def restore_pattern(memory: Memory, name: str) -> Memory:
    """An issue again, whatever was said before."""
    pattern = memory.pattern(name)
    assert pattern is not None
    return memory.with_pattern(replace(pattern, dismissals=(), taken_out=None))


def add_pattern(memory: Memory, issue: str, severity: Severity, on: date, *, key: str) -> Memory:
    finding = Finding(issue=issue, severity=severity)
    return taught(memory, Lesson(finding=finding, key=key, on=on))


def prune(memory: Memory, today: date) -> Memory:
    """Without what is archived."""
    gone = {one.id for one in memory.archived(today)}
    return replace(memory, patterns=tuple(one for one in memory.patterns if one.id not in gone))


def taught(memory: Memory, lesson: Lesson) -> Memory:
    """The memory after one lesson: its pattern is known, or new."""
    same = recognise([lesson.finding], [one.as_finding for one in memory.patterns], sure=RECOGNISED_FROM).get(0)
    pattern = memory.patterns[same] if same is not None else None
    if pattern is None:
        number = memory.numbered + 1
        pattern = Pattern(
            id=f"{memory.stage[0].upper()}{number}",
            issue=_flat(lesson.finding.issue),
            severity=lesson.finding.severity,
            example=str(lesson.finding.place) if lesson.finding.place != NOWHERE else "",
            category=lesson.finding.category,
        )
        memory = replace(memory, patterns=(*memory.patterns, pattern), numbered=number)
    if lesson.key not in {one.key for one in pattern.sightings}:
        pattern = _seen(pattern, Sighting(key=lesson.key, on=lesson.on))
    pattern = replace(pattern, severity=max(pattern.severity, lesson.finding.severity))
    if lesson.dismissal:
        pattern = _dismissed(pattern, lesson.dismissal)
    return memory.with_pattern(pattern)


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
    found = [Lesson(finding=one.finding, key=session, on=on) for one in history.added]
    for window in history.windows:
        before = [one for one in history.iterations if one.window == window.number - 1 and one.conclusion]
        passed = bool(before) and before[-1].conclusion is not None and before[-1].conclusion.verdict is Verdict.PASS
        opened = window.opened
        if opened and passed and opened.note and opened.action in (Answer.REJECT, Answer.RETRY):
            finding = Finding(issue=opened.note, severity=Severity.IMPORTANT, by=(opened.by or "a person",))
            found.append(Lesson(finding=finding, key=session, on=on))
    return found


def reason(pattern: Pattern) -> str:
    """Why people say a pattern is no issue, in one line."""
    last = max(pattern.dismissals, key=lambda one: (not one.probation, one.on))
    who = last.by or "a person"
    if last.probation:
        return f"on probation: {who} accepted it as it was" + (f": {_flat(last.why)}" if last.why else "")
    return f"{who}: {_flat(last.why) or 'no reason given'}"


def _list(about: str, items: Sequence[str]) -> str:
    return "\n".join([about, *(f"- {_flat(item)}" for item in items)]) if items else ""


def _flat(text: str) -> str:
    return " ".join(text.split())
