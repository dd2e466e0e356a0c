"""The memory's types: patterns of a service, and their dismissals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from reviewloop.core.types.finding import Category, Finding, Severity
from reviewloop.core.types.review import Stage

ARCHIVED_AFTER = timedelta(days=30)
EXPIRES_AFTER = timedelta(days=90)
"""The time after the last dismissal for which a pattern counts as a false positive."""

DISMISSALS_NEEDED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """A review that raised a pattern, identified by `key`."""

    key: str
    on: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Dismissal:
    """A person dismissed a pattern. On probation, the person only accepted work with it; that suppresses nothing."""

    key: str
    on: date
    by: str = ""
    why: str = ""
    probation: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A recurring issue. `earlier` counts the sightings that are no longer listed in `sightings`.

    `listed` if the pattern is in the memory file; if it is then missing from the file, a person deleted it. `taken_out`
    is its frequency at that time: a new sighting brings the pattern back.
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
        return max((sighting.on for sighting in self.sightings), default=None)

    @property
    def dismissed_on(self) -> date | None:
        return max((dismissal.on for dismissal in self.dismissals), default=None)

    @property
    def dismissal_count(self) -> int:
        return sum(1 for dismissal in self.dismissals if not dismissal.probation)

    def is_false(self, today: date) -> bool:
        """Whether a dismissal has not expired yet."""
        return self.dismissed_on is not None and today - self.dismissed_on <= EXPIRES_AFTER

    def is_suppressed(self, today: date) -> bool:
        """Whether enough dismissals keep it from blocking. A critical pattern always blocks."""
        enough = self.dismissal_count >= DISMISSALS_NEEDED
        return enough and self.severity < Severity.CRITICAL and self.is_false(today)

    def is_archived(self, today: date) -> bool:
        if self.taken_out is not None:
            return self.frequency <= self.taken_out
        return self.last_seen is not None and today - self.last_seen > ARCHIVED_AFTER

    @property
    def as_finding(self) -> Finding:
        return Finding(issue=self.issue, severity=self.severity, category=self.category, pattern_id=self.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """The memory of one stage about one service.

    `reviews` counts the reviews, and `recent` lists the last ones. `numbered` counts the ids given so far. `placed`
    maps the last lessons to their patterns.
    """

    stage: Stage
    service: str
    patterns: tuple[Pattern, ...] = ()
    reviews: int = 0
    recent: tuple[str, ...] = ()
    last_review: date | None = None
    numbered: int = 0
    placed: Mapping[str, str] = field(default_factory=dict[str, str])

    def pattern(self, name: str) -> Pattern | None:
        return next((pattern for pattern in self.patterns if pattern.id == name), None)

    def knows(self, issue: str) -> bool:
        """Whether a pattern has this text, whatever its letters' case and spaces."""
        return any(_plain(pattern.issue) == _plain(issue) for pattern in self.patterns)

    def with_pattern(self, changed: Pattern) -> Memory:
        return replace(self, patterns=tuple(changed if old.id == changed.id else old for old in self.patterns))

    def active(self, today: date) -> tuple[Pattern, ...]:
        """The patterns that are neither archived nor false positives, most frequent first."""
        active = (pattern for pattern in self._issues(today) if not pattern.is_archived(today))
        return tuple(sorted(active, key=lambda pattern: (-pattern.frequency, pattern.id)))

    def false_positives(self, today: date) -> tuple[Pattern, ...]:
        return tuple(pattern for pattern in self.patterns if pattern.is_false(today))

    def archived(self, today: date) -> tuple[Pattern, ...]:
        return tuple(pattern for pattern in self._issues(today) if pattern.is_archived(today))

    def _issues(self, today: date) -> list[Pattern]:
        return [pattern for pattern in self.patterns if not pattern.is_false(today)]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
