"""The static gate: rule findings and failed task checks that block before any reviewer is asked."""

from __future__ import annotations

from reviewloop.core.judging.finding_status import dismiss
from reviewloop.core.judging.judge import Judgement, conclude
from reviewloop.core.session.history import History, Iteration
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.policy import STATIC, Policy
from reviewloop.core.types.review import Verdict
from reviewloop.core.types.verification import RULE as VERIFY


def gate_closed(iteration: Iteration, history: History, policy: Policy) -> tuple[Finding, ...]:
    """The rule findings that block without a review. A failed Verify command always does."""
    facts = dismiss(iteration.checked.facts, history)
    return tuple(
        fact
        for fact in facts
        if (policy.static_gate.closes_on(fact.severity) or fact.rule == VERIFY) and not fact.suppressed
    )


def judge_gate(iteration: Iteration, history: History, policy: Policy) -> Judgement:
    closed = gate_closed(iteration, history, policy)
    verified = iteration.checked.verified
    by_rules = [fact.severity for fact in closed if fact.rule != VERIFY]
    numbers = [f"{by_rules.count(level)} {level}" for level in sorted(set(by_rules), reverse=True)]
    parts = [
        verified.summary if verified and len(by_rules) < len(closed) else "",
        f"{' and '.join(numbers)} rule finding{'s' if len(by_rules) > 1 else ''}" if by_rules else "",
        "reviewers were not asked" if any(seat.agent != STATIC for seat in policy.seats) else "",
    ]
    because = "; ".join(part for part in parts if part)
    return conclude(iteration, history, verdict=Verdict.NEEDS_REVISION, findings=closed, because=because)
