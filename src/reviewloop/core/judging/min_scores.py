"""Confirms a reviewer's pass: every score at its minimum, no failed check, nothing critical."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from reviewloop.core.types.fast_replace import changed
from reviewloop.core.types.finding import Finding, Severity
from reviewloop.core.types.policy import Policy, Seat
from reviewloop.core.types.review import Review, Verdict
from reviewloop.core.types.rubric import Criterion

_FAILED = "failed by {}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmedReview:
    """One review after the engine has checked its verdict. `because` says who decided, with `{}` for the reviewer.

    `low` holds a finding for each score below its minimum.
    """

    verdict: Verdict
    because: str
    findings: tuple[Finding, ...]
    low: tuple[Finding, ...] = ()
    warnings: tuple[str, ...] = ()


def confirm_review(review: Review, seat: Seat, policy: Policy) -> ConfirmedReview:
    """Confirm a pass only if every score reaches its minimum and no finding is critical."""
    rubric = policy.rubric_of(seat)
    findings = tuple(
        changed(finding, by=(seat.agent,), criterion=finding.criterion or seat.criterion) for finding in review.findings
    )
    scores = review.scores
    below = [criterion for criterion in rubric.criteria if scores.get(criterion.name, inf) < criterion.min_score]
    near = [criterion for criterion in below if scores[criterion.name] >= criterion.min_score - policy.borderline]
    short = [criterion for criterion in below if criterion not in near]
    limits = [(criterion.name, criterion.min_score) for criterion in near]
    low = _too_low(short, review, seat)
    refused = review.verdict is Verdict.NEEDS_REVISION
    if refused and not near:
        return ConfirmedReview(verdict=Verdict.NEEDS_REVISION, because=_FAILED, findings=findings, low=low)
    if problem := _overruling(short, review):
        because = _FAILED if refused else f"passed by {{}} despite {problem}"
        return ConfirmedReview(verdict=Verdict.NEEDS_REVISION, because=because, findings=findings + low)
    return ConfirmedReview(
        verdict=Verdict.PASS,
        because="failed by {}, but its low scores are borderline" if refused else "passed by {}",
        findings=findings,
        warnings=tuple(f"{name} is borderline: {scores[name]:g} of {least:g}" for name, least in limits),
    )


def _overruling(short: Sequence[Criterion], review: Review) -> str:
    """Why a pass does not count; empty if it does."""
    if any(finding.severity is Severity.CRITICAL for finding in review.findings):
        return "a critical finding"
    if short:
        return "a score below its minimum"
    return "" if all(review.checks.values()) else "a failed check"


def _too_low(short: Sequence[Criterion], review: Review, seat: Seat) -> tuple[Finding, ...]:
    return tuple(
        Finding(
            issue=f"{criterion.name} scores {review.scores[criterion.name]:g}, below its minimum of "
            f"{criterion.min_score:g}",
            severity=Severity.IMPORTANT,
            criterion=criterion.name,
            suggestion=f"Raise it: {criterion.description}.",
            rule="score",
            by=(seat.agent,),
        )
        for criterion in short
    )
