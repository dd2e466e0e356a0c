"""The verdict on one iteration. The engine decides it; a reviewer's pass alone is not enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from reviewloop.core.judging.convergence import convergence
from reviewloop.core.judging.finding_status import (
    earlier_revisions,
    late_note,
    revision_of,
    set_aside,
    waived_findings,
    with_status,
)
from reviewloop.core.judging.min_scores import ConfirmedReview, confirm_review, low_total
from reviewloop.core.session.history import Ended, History, Iteration
from reviewloop.core.types.decision import Decision, PossiblySame
from reviewloop.core.types.finding import Finding, Severity, numbered
from reviewloop.core.types.outcome import Convergence, Reason
from reviewloop.core.types.policy import STATIC, Policy, Seat
from reviewloop.core.types.review import Failure, Malformed, Review, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The verdict on one revision, and everything it rests on."""

    verdict: Verdict
    because: str
    findings: tuple[Finding, ...] = ()
    scores: dict[str, float]
    total: float | None = None
    unjudged: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    convergence: Convergence | None = None
    reason: Reason | None = None
    confidence: float | None = None
    decision: Decision | None = None
    discarded: tuple[str, ...] = ()
    possible: tuple[PossiblySame, ...] = ()
    by_person: bool = False


def judge(iteration: Iteration, history: History, policy: Policy) -> Judgement:
    """Judge the reviewers' answers."""
    final = [(seat, ended) for seat in policy.seats if (ended := iteration.final(seat.name))]
    reviews = [(seat, review) for seat, ended in final if (review := ended.heard)]
    missing = [ended for _, ended in final if ended.heard is None]
    needed = missing_reviews(iteration, policy.seats)
    confirmed = [(seat, confirm_review(review, seat, policy)) for seat, review in reviews]
    failing = [(seat, review) for seat, review in confirmed if review.verdict is Verdict.NEEDS_REVISION]
    if not reviews or (needed and not failing):
        return inconclusive(iteration, history, needed or missing)
    scores = lowest_scores([review for _, review in reviews])
    total = policy.criteria.total(scores)
    warnings = tuple(warning for _, review in confirmed for warning in review.warnings)
    warnings += tuple(f"no answer from {ended.call.agent}: {failure_text(ended)}" for ended in missing)
    unjudged = unjudged_criteria([review for _, review in reviews], policy)
    if unjudged:
        warnings += (f"not checked: {', '.join(unjudged)}",)
    stated = [review.confidence for _, review in reviews if review.confidence is not None]
    too_low = low_total(total, policy)
    because = _who_decided(failing or confirmed)
    return conclude(
        iteration,
        history,
        verdict=Verdict.NEEDS_REVISION if failing or too_low else Verdict.PASS,
        findings=tuple(finding for _, review in confirmed for finding in review.findings),
        scores=scores,
        total=total,
        unjudged=unjudged,
        warnings=warnings,
        low=(*(finding for _, review in confirmed for finding in review.low), *too_low),
        because=f"{because}, but {too_low[0].issue}" if too_low and not failing else because,
        confidence=min(stated) if stated else None,
    )


def unjudged_criteria(reviews: Sequence[Review], policy: Policy) -> tuple[str, ...]:
    judged = {name for review in reviews for name in review.judged}
    return tuple(name for name in policy.criteria.names if name not in judged)


def _who_decided(confirmed: Sequence[tuple[Seat, ConfirmedReview]]) -> str:
    if all(seat.agent == STATIC and review.verdict is Verdict.PASS for seat, review in confirmed):
        return "no reviewer configured; the offline rules found nothing critical"
    names: dict[str, dict[str, None]] = {}
    for seat, review in confirmed:
        names.setdefault(review.because, {})["the offline rules" if seat.agent == STATIC else seat.agent] = None
    return "; ".join(because.format(" and ".join(reviewers)) for because, reviewers in names.items())


def missing_reviews(iteration: Iteration, seats: Sequence[Seat]) -> list[Ended]:
    """The calls without a review, for seats that may not fail; for every seat if no seat gave a review."""
    final = [(seat, ended) for seat in seats if (ended := iteration.final(seat.name))]
    silent = [(seat, ended) for seat, ended in final if ended.heard is None]
    if final and len(silent) == len(final):
        return [ended for _, ended in silent]
    return [ended for seat, ended in silent if not seat.allow_failure]


def conclude(
    iteration: Iteration,
    history: History,
    *,
    verdict: Verdict,
    because: str,
    findings: tuple[Finding, ...] = (),
    scores: dict[str, float] | None = None,
    total: float | None = None,
    unjudged: tuple[str, ...] = (),
    warnings: tuple[str, ...] = (),
    low: tuple[Finding, ...] = (),
    confidence: float | None = None,
) -> Judgement:
    """Classify the findings and turn a failure into a pass if nothing that is left blocks.

    Nothing but the ratchet waives a `low` score: not a dismissal, not a ruling, not the memory.
    """
    classified = numbered(with_status(findings, iteration, history))
    late = sum(finding.is_late for finding in classified)
    if verdict is Verdict.NEEDS_REVISION and not revision_of(iteration, classified).blocking:
        waived = _late_scores(low, classified, history)
        if left := tuple(finding for finding in low if finding not in waived):
            classified = numbered(classified + with_status(left, iteration, history))
        elif classified:
            verdict = Verdict.PASS
            because = set_aside(classified)
            warnings += (*waived_findings(classified), *(f"{finding.issue} (late)" for finding in waived))
    if late:
        warnings += (late_note(late),)
    return Judgement(
        verdict=verdict,
        because=because,
        findings=classified,
        scores=scores or {},
        total=total,
        unjudged=unjudged,
        warnings=warnings,
        convergence=convergence(revision_of(iteration, classified), earlier_revisions(history)),
        confidence=confidence,
    )


def _late_scores(low: tuple[Finding, ...], findings: tuple[Finding, ...], history: History) -> tuple[Finding, ...]:
    """The low scores that count as late: met in the last review, and fallen together with late findings alone."""
    raised = [finding for finding in findings if finding.severity > Severity.INFO]
    if not raised or not all(finding.is_late for finding in raised):
        return ()
    reviewed = [past.conclusion for past in history.iterations if past.conclusion and past.is_reviewed]
    before = reviewed[-1].scores if reviewed else dict[str, float]()
    rubric = history.policy.criteria
    return tuple(
        finding
        for finding in low
        if (judged := rubric.criterion(finding.criterion or "")) and before.get(judged.name, -1) >= judged.min_score
    )


def inconclusive(iteration: Iteration, history: History, silent: list[Ended]) -> Judgement:
    """Conclude without a verdict, because these calls gave no review."""
    malformed = [ended for ended in silent if isinstance(ended.result, Malformed)]
    tampered = [ended for ended in silent if isinstance(ended.result, Failure) and ended.result.cause == "tampered"]
    others = [ended for ended in silent if ended not in malformed and ended not in tampered]
    parts = [
        ("malformed output: ", [f"{ended.agent}: {failure_text(ended)}" for ended in malformed]),
        ("no usable answer from ", [f"{ended.call.agent}: {failure_text(ended)}" for ended in others]),
        ("review discarded: ", [_tampering(ended, history) for ended in tampered]),
    ]
    because = "; ".join(f"{title}{'; '.join(causes)}" for title, causes in parts if causes)
    judgement = conclude(iteration, history, verdict=Verdict.INCONCLUSIVE, because=because)
    unheard = Reason.TAMPERED if tampered else Reason.UNANSWERED
    return replace(judgement, reason=Reason.MALFORMED if len(malformed) == len(silent) else unheard)


def _tampering(ended: Ended, history: History) -> str:
    """Which files changed during a review. In the user's tree, the user may have edited them."""
    texts = {
        "copy": "`{agent}` changed {paths}, and reviewers may only read",
        "tree": "{paths} changed while `{agent}` was reviewing",
    }
    parts = [
        texts[tampered.where].format(agent=ended.call.agent, paths=", ".join(tampered.paths))
        for tampered in history.tampered
        if tampered.key == ended.call.key
    ]
    return "; ".join(parts) or failure_text(ended)


def failure_text(ended: Ended) -> str:
    """Why a call gave no review, for people."""
    match ended.result:
        case Review():
            return ended.result.summary or "it could judge nothing"
        case Malformed():
            return ended.result.explanation
        case Failure():
            return ended.result.about(ended.call.agent)


def lowest_scores(reviews: Sequence[Review]) -> dict[str, float]:
    """The lowest score that any reviewer gave, by criterion."""
    scores: dict[str, float] = {}
    for review in reviews:
        for name, score in review.scores.items():
            scores[name] = min(score, scores.get(name, score))
    return scores
