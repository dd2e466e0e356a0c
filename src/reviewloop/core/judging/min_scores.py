"""Confirms a reviewer's pass: every score at its minimum, no failed check, nothing critical."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

from reviewloop.core.types.fast_replace import changed
from reviewloop.core.types.finding import Finding, Severity
from reviewloop.core.types.policy import Policy, Seat
from reviewloop.core.types.review import Review, Verdict
from reviewloop.core.types.rubric import Criterion

_FAILED = "failed by {}"
_TOTAL = "the weighted total"


@dataclass(frozen=True, slots=True, kw_only=True)
class LowScore:
    """A score below its minimum. Without a criterion, it is the weighted total."""

    score: float
    least: float
    criterion: str | None = None

    def __str__(self) -> str:
        said = f"{self.criterion} scores {self.score:g}" if self.criterion else f"{_TOTAL} is {self.score:.4g}"
        return f"{said}, below its minimum of {self.least:g}"


def low_scores(scores: Mapping[str, float], total: float | None, policy: Policy) -> tuple[LowScore, ...]:
    """The scores below their minimum by more than the policy lets pass, and the weighted total if it is too low."""
    low = tuple(
        LowScore(criterion=criterion.name, score=scores[criterion.name], least=criterion.min_score)
        for criterion in policy.criteria.criteria
        if scores.get(criterion.name, inf) < criterion.min_score - policy.borderline
    )
    return low + _low_total(total, policy)


def _low_total(total: float | None, policy: Policy) -> tuple[LowScore, ...]:
    if policy.min_total is None or total is None or total >= policy.min_total:
        return ()
    return (LowScore(score=total, least=policy.min_total),)


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
    """Confirm a pass only if every score reaches its minimum and no finding is critical. A refusal always stands."""
    rubric = policy.rubric_of(seat)
    findings = tuple(
        changed(finding, by=(seat.agent,), criterion=finding.criterion or seat.criterion) for finding in review.findings
    )
    scores = review.scores
    below = [criterion for criterion in rubric.criteria if scores.get(criterion.name, inf) < criterion.min_score]
    near = [criterion for criterion in below if scores[criterion.name] >= criterion.min_score - policy.borderline]
    low = _too_low([criterion for criterion in below if criterion not in near], review, seat)
    warnings = tuple(f"{item.name} is borderline: {scores[item.name]:g} of {item.min_score:g}" for item in near)
    if review.verdict is Verdict.NEEDS_REVISION:
        verdict, because = Verdict.NEEDS_REVISION, _FAILED
        findings += _unexplained(findings, seat, least=Severity.IMPORTANT if seat.stage else Severity.MINOR)
    elif problem := _overruling(low, review, policy):
        verdict, because = Verdict.NEEDS_REVISION, f"passed by {{}}, but {problem}"
    else:
        verdict, because = Verdict.PASS, "passed by {}"
    return ConfirmedReview(verdict=verdict, because=because, findings=findings, low=low, warnings=warnings)


def low_total(total: float | None, policy: Policy) -> tuple[Finding, ...]:
    """The finding that the weighted total is below `min_total`, if it is."""
    return tuple(
        Finding(issue=str(low), severity=Severity.IMPORTANT, suggestion="Raise the lowest scores.", rule="score")
        for low in _low_total(total, policy)
    )


def _unexplained(findings: Sequence[Finding], seat: Seat, *, least: Severity) -> tuple[Finding, ...]:
    """A finding that stands for a refusal which names nothing that blocks, so that nobody overlooks it."""
    if any(finding.severity >= least for finding in findings):
        return ()
    issue = f"{seat.agent} failed the work, but reported nothing that must be fixed"
    suggestion = "; ".join(finding.issue for finding in findings) or None
    finding = Finding(issue=issue, severity=Severity.IMPORTANT, suggestion=suggestion, rule="verdict", by=(seat.agent,))
    return (finding,)


def _overruling(low: Sequence[Finding], review: Review, policy: Policy) -> str:
    """Why a pass does not count; empty if it does."""
    if any(finding.severity is Severity.CRITICAL for finding in review.findings):
        return "a finding is critical"
    if policy.dialect == "findings" and any(finding.severity is Severity.IMPORTANT for finding in review.findings):
        return "a finding is important"  # which means in this dialect that it must be fixed first
    if low:
        return "a score is below its minimum"
    return "" if all(review.checks.values()) else "a check failed"


def _too_low(short: Sequence[Criterion], review: Review, seat: Seat) -> tuple[Finding, ...]:
    return tuple(
        Finding(
            issue=str(
                LowScore(criterion=criterion.name, score=review.scores[criterion.name], least=criterion.min_score)
            ),
            severity=Severity.IMPORTANT,
            criterion=criterion.name,
            suggestion=f"Raise it: {criterion.description}.",
            rule="score",
            by=(seat.agent,),
        )
        for criterion in short
    )
