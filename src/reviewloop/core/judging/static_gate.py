"""The static gate: rule findings and failed task checks that block before any reviewer is asked."""

from __future__ import annotations

from reviewloop.core.judging.finding_status import dismiss
from reviewloop.core.judging.judge import Judgement, conclude
from reviewloop.core.session.history import History, Iteration
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.policy import Policy
from reviewloop.core.types.review import Verdict
from reviewloop.core.types.verification import RULE as VERIFY
from reviewloop.text import count


def gate_closed(iteration: Iteration, history: History, policy: Policy) -> tuple[Finding, ...]:
    """The rules' findings that block by themselves, and a failure of the task's own check, which always does."""
    facts = dismiss(iteration.checked.facts, history)
    return tuple(
        fact
        for fact in facts
        if (policy.static_gate.closes_on(fact.severity) or fact.rule == VERIFY) and not fact.suppressed
    )


def judge_gate(iteration: Iteration, history: History, policy: Policy) -> Judgement:
    closed = gate_closed(iteration, history, policy)
    verified = iteration.checked.verified
    because = f"the offline rules found {count(len(closed), 'problem')} that no reviewer needs to look at"
    if verified and iteration.checked.fails:
        because = f"{verified.said}, which no reviewer needs to look at"
    return conclude(
        iteration,
        history,
        verdict=Verdict.NEEDS_REVISION,
        findings=closed,
        because=because,
    )
