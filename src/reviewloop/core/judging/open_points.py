"""What stands against a work after its last verdict: open findings, low scores, and what people dismissed."""

from __future__ import annotations

from dataclasses import dataclass

from reviewloop.core.judging.finding_status import dismiss
from reviewloop.core.session.events import Iterated
from reviewloop.core.session.history import History
from reviewloop.core.types.finding import Finding, Severity
from reviewloop.core.types.policy import Policy
from reviewloop.core.types.review import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class LowScore:
    name: str
    score: float
    least: float

    def __str__(self) -> str:
        return f"{self.name} scores {self.score:g}, below its minimum of {self.least:g}"


def last_verdict(history: History) -> Iterated | None:
    """The last conclusion with a verdict."""
    concluded = [iteration.conclusion for iteration in history.iterations if iteration.conclusion]
    return next((one for one in reversed(concluded) if one.verdict is not Verdict.INCONCLUSIVE), None)


def open_findings(history: History) -> tuple[Finding, ...]:
    """The findings of the last verdict that block: not late, not dismissed, more than information."""
    last = last_verdict(history)
    found = dismiss(last.findings, history) if last else ()
    return tuple(finding for finding in found if finding.is_open and finding.severity > Severity.INFO)


def low_scores(history: History, policy: Policy | None = None) -> tuple[LowScore, ...]:
    """The scores of the last verdict below their minimum, by more than the policy lets pass."""
    last = last_verdict(history)
    policy = policy or history.policy
    scores = dict(last.scores) if last else {}
    return tuple(
        LowScore(name=criterion.name, score=scores[criterion.name], least=criterion.min_score)
        for criterion in policy.criteria.criteria
        if scores.get(criterion.name, criterion.min_score) < criterion.min_score - policy.borderline
    )


def dismissals(history: History) -> tuple[str, ...]:
    """A warning for each finding that a person dismissed: who, and why."""
    return tuple(
        f"{event.finding.issue} (dismissed by {event.by or 'a person'}: {event.why or 'no reason given'})"
        for event in history.dismissed
    )
