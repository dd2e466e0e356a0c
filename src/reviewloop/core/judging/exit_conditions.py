"""Exit conditions applied: a task's own conditions for a pass override the reviewers' verdict."""

from __future__ import annotations

from dataclasses import replace

from reviewloop.core.judging.condition_language import Facts, parse
from reviewloop.core.judging.judge import Judgement
from reviewloop.core.judging.min_scores import low_scores
from reviewloop.core.session.history import History
from reviewloop.core.types.finding import Finding, Severity, Standing, numbered
from reviewloop.core.types.policy import Policy
from reviewloop.core.types.review import Verdict

DECISIONS = {Verdict.PASS: "GO", Verdict.NEEDS_REVISION: "NO_GO", Verdict.INCONCLUSIVE: "INCONCLUSIVE"}


def by_exit_conditions(judgement: Judgement, history: History, policy: Policy) -> Judgement:
    """Apply the policy's exit conditions to a judgement.

    They never turn an inconclusive review, or one with a critical finding, into a pass.
    """
    if not policy.exit_conditions or judgement.verdict is Verdict.INCONCLUSIVE:
        return judgement
    facts = facts_of(judgement, history)
    unmet = [text for text in policy.exit_conditions if parse(text).holds(facts) is not True]
    if unmet:
        return _require_revision(judgement, unmet) if judgement.verdict is Verdict.PASS else judgement
    if judgement.verdict is Verdict.PASS or facts["review.findings.critical"]:
        return judgement
    because = f"the exit conditions hold, although the review fails: {judgement.because}"
    issues = [finding.issue for finding in judgement.findings if finding.is_open]
    low = [str(score) for score in low_scores(judgement.scores, judgement.total, policy)]
    left = (f"still open: {issue}" for issue in dict.fromkeys((*issues, *low)))
    warnings = (*judgement.warnings, because, *left)
    return replace(judgement, verdict=Verdict.PASS, because=because, warnings=warnings)


def facts_of(judgement: Judgement, history: History) -> Facts:
    """The values that a condition can refer to, by name."""
    found = [finding for finding in judgement.findings if finding.is_open]
    counts = {level: float(sum(finding.severity is level for finding in found)) for level in Severity}
    return {
        "review.decision": DECISIONS[judgement.verdict],
        "review.verdict": str(judgement.verdict),
        "review.confidence": judgement.confidence,
        "review.total": judgement.total,
        "review.iteration": float(history.reviews_in_window),
        "review.findings": float(len(found)),
        **{f"review.findings.{severity}": number for severity, number in counts.items()},
        **{f"review.score.{name}": score for name, score in judgement.scores.items()},
    }


def _require_revision(judgement: Judgement, unmet: list[str]) -> Judgement:
    """Turn a pass into a revision, with a finding for each exit condition that does not hold."""
    raised = tuple(
        Finding(
            issue=f"the exit condition `{text}` does not hold",
            severity=Severity.IMPORTANT,
            suggestion="Change the work until this condition holds.",
            rule="exit-condition",
        ).with_standing(Standing.NEW)
        for text in unmet
    )
    return replace(
        judgement,
        verdict=Verdict.NEEDS_REVISION,
        because=f"the exit condition `{unmet[0]}` does not hold ({judgement.because})",
        findings=numbered((*judgement.findings, *raised)),
    )
