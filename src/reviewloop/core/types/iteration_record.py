"""Iterations in the format that other tools read. The field names are a contract."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from reviewloop.core.types.finding import Finding
from reviewloop.core.types.review import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackItem:
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
    verdict: Verdict
    score: Mapping[str, float] = field(default_factory=dict[str, float])
    feedback: tuple[FeedbackItem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class IterationRecord:
    iteration: int
    result: Result
    timestamp: datetime
