"""Whether a reviewer's pass may stand: every score at its minimum, no failed check, nothing critical."""

from __future__ import annotations

from dataclasses import dataclass

from reviewloop.core.types.fast_replace import changed
from reviewloop.core.types.finding import Finding, Severity
from reviewloop.core.types.policy import Policy, Seat
from reviewloop.core.types.review import Review, Verdict
from reviewloop.core.types.rubric import Criterion


@dataclass(frozen=True, slots=True, kw_only=True)
class Standpoint:
    """One review after the engine has checked that its pass may stand. `low` says which scores do not suffice."""

    verdict: Verdict
    findings: tuple[Finding, ...]
    low: tuple[Finding, ...] = ()
    warnings: tuple[str, ...] = ()


def stand(review: Review, seat: Seat, policy: Policy) -> Standpoint:
    """A pass stands only if every score is there and high enough, and nothing is critical."""
    rubric = policy.rubric_of(seat)
    findings = tuple(
        changed(finding, by=(seat.agent,), criterion=finding.criterion or seat.criterion) for finding in review.findings
    )
    low = [one for one in rubric.criteria if one.name in review.scores and review.scores[one.name] < one.min_score]
    near = [one for one in low if review.scores[one.name] >= one.min_score - policy.borderline]
    short = [one for one in low if one not in near]
    failed = [name for name, passed in review.checks.items() if not passed]
    critical = [finding for finding in findings if finding.severity is Severity.CRITICAL]
    refused = review.verdict is Verdict.NEEDS_REVISION and not near
    low = _too_low(short, review, seat)
    if refused:
        return Standpoint(verdict=Verdict.NEEDS_REVISION, findings=findings, low=low)
    if short or failed or critical:
        return Standpoint(verdict=Verdict.NEEDS_REVISION, findings=findings + low)
    warnings = tuple(f"{one.name} is borderline: {review.scores[one.name]:g} of {one.min_score:g}" for one in near)
    return Standpoint(verdict=Verdict.PASS, findings=findings, warnings=warnings)


def _too_low(short: list[Criterion], review: Review, seat: Seat) -> tuple[Finding, ...]:
    """Findings that say why a pass does not stand."""
    return tuple(
        Finding(
            issue=f"{one.name} scores {review.scores[one.name]:g}, below its minimum of {one.min_score:g}",
            severity=Severity.IMPORTANT,
            criterion=one.name,
            suggestion=f"Raise it: {one.description}.",
            rule="score",
            by=(seat.agent,),
        )
        for one in short
    )
