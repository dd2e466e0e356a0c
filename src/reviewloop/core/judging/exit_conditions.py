"""Exit conditions at work: what a task says about when its loop is over decides, within what may never pass."""

from __future__ import annotations

from dataclasses import replace

from reviewloop.core.judging.condition_language import Facts, parse
from reviewloop.core.judging.judge import Judgement
from reviewloop.core.session.history import History
from reviewloop.core.types.finding import Finding, Severity, Standing, numbered
from reviewloop.core.types.policy import Policy
from reviewloop.core.types.review import Verdict

DECISIONS = {Verdict.PASS: "GO", Verdict.NEEDS_REVISION: "NO_GO", Verdict.INCONCLUSIVE: "INCONCLUSIVE"}


def by_exit_conditions(judgement: Judgement, history: History, policy: Policy) -> Judgement:
    """The judgement after the policy's exit conditions.

    They never make a pass of what nobody could judge, or of what has a critical finding.
    """
    if not policy.exit_conditions or judgement.verdict is Verdict.INCONCLUSIVE:
        return judgement
    facts = facts_of(judgement, history)
    unmet = [text for text in policy.exit_conditions if parse(text).holds(facts) is not True]
    if unmet:
        return _go_on(judgement, unmet) if judgement.verdict is Verdict.PASS else judgement
    if judgement.verdict is Verdict.PASS or facts["review.findings.critical"]:
        return judgement
    left = tuple(f"still open: {finding.issue}" for finding in _open(judgement))
    because = "the exit conditions hold, although the reviewers ask for a revision"
    return replace(judgement, verdict=Verdict.PASS, because=because, warnings=(*judgement.warnings, because, *left))


def facts_of(judgement: Judgement, history: History) -> Facts:
    """What a condition can ask about."""
    left = _open(judgement)
    counts = {one: float(sum(1 for finding in left if finding.severity is one)) for one in Severity}
    return {
        "review.decision": DECISIONS[judgement.verdict],
        "review.verdict": str(judgement.verdict),
        "review.confidence": judgement.confidence,
        "review.total": judgement.total,
        "review.iteration": float(history.reviews_in_window),
        "review.findings": float(len(left)),
        **{f"review.findings.{severity}": number for severity, number in counts.items()},
        **{f"review.score.{name}": score for name, score in judgement.scores.items()},
    }


def _open(judgement: Judgement) -> list[Finding]:
    return [finding for finding in judgement.findings if not finding.is_late and not finding.suppressed]


def _go_on(judgement: Judgement, unmet: list[str]) -> Judgement:
    """A pass that does not satisfy the task: the author is told which condition is open."""
    raised = tuple(
        Finding(
            issue=f"the exit condition `{text}` does not hold",
            severity=Severity.IMPORTANT,
            suggestion="Improve what it asks about.",
            rule="exit-condition",
        ).classed(Standing.NEW)
        for text in unmet
    )
    return replace(
        judgement,
        verdict=Verdict.NEEDS_REVISION,
        because=f"the reviewers pass it, and an exit condition does not hold: {unmet[0]}",
        findings=numbered((*judgement.findings, *raised)),
    )
