"""What comes up again and again in a service, and what is no issue there: the types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from reviewloop.core.types.finding import Category, Finding, Severity
from reviewloop.core.types.review import Stage

ARCHIVED_AFTER = timedelta(days=30)
EXPIRES_AFTER = timedelta(days=90)
"""How long after the last dismissal a false positive is still taken for one."""

DISMISSALS_NEEDED = 3


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

    `reviews` counts them, `recent` are the last ones; `numbered` is how many patterns ever got an id. `placed` says of
    the last lessons which pattern each was about.
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
