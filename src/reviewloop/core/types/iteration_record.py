"""Iterations as other tools read them: their field names are a contract."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from reviewloop.core.types.finding import Finding
from reviewloop.core.types.review import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackItem:
    """One thing to change, as other tools read it."""

    section: str
    issue: str
    suggestion: str

    @classmethod
    def of(cls, finding: Finding) -> FeedbackItem:
        return cls(
            section=finding.place.section or str(finding.place),
            issue=finding.issue,
            suggestion=finding.suggestion or "Address this finding.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What an iteration came to, as other tools read it."""

    verdict: Verdict
    score: Mapping[str, float] = field(default_factory=dict[str, float])
    feedback: tuple[FeedbackItem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class IterationRecord:
    """One line of a session's history, as other tools read it."""

    iteration: int
    result: Result
    timestamp: datetime
