"""What an iteration comes to. The engine decides, not the reviewer's word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from reviewloop.core.judging.convergence import convergence
from reviewloop.core.judging.finding_status import classed, look_at, looks_before
from reviewloop.core.judging.min_scores import stand
from reviewloop.core.session.events import Iterated
from reviewloop.core.session.history import Ended, History, Iteration
from reviewloop.core.types.decision import Decision, PossiblySame
from reviewloop.core.types.finding import Finding, Standing, numbered
from reviewloop.core.types.outcome import Convergence, Reason
from reviewloop.core.types.policy import Policy, Seat
from reviewloop.core.types.review import Malformed, Review, Verdict
from reviewloop.text import count


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


def judge_sent_back(iteration: Iteration, history: History, last: Iterated) -> Judgement:
    """A person sent the work back as it is: their word is this iteration's review."""
    raised = tuple(added.finding for added in history.added)
    open_findings = tuple(replace(f, standing=None) for f in last.findings if not f.is_late)
    return conclude(
        iteration,
        history,
        verdict=Verdict.NEEDS_REVISION,
        findings=open_findings,
        raised=raised,
        scores=dict(last.scores),
        because="a person sent it back",
    )


def judge(iteration: Iteration, history: History, policy: Policy) -> Judgement:
    """What the panel's answers come to."""
    final = [(seat, iteration.attempts(seat.name)[-1]) for seat in policy.seats]
    reviews = [(seat, review) for seat, ended in final if (review := _review(ended))]
    missing = [ended for _, ended in final if _review(ended) is None]
    needed = lost(iteration, policy.seats)
    standpoints = [stand(review, seat, policy) for seat, review in reviews]
    failing = [one for one in standpoints if one.verdict is Verdict.NEEDS_REVISION]
    if not reviews or (needed and not failing):
        return inconclusive(iteration, history, needed or missing)
    raised = tuple(finding for one in standpoints for finding in one.findings)
    scores = _lowest([review for _, review in reviews])
    warnings = tuple(warning for one in standpoints for warning in one.warnings)
    warnings += tuple(f"no answer from {ended.call.agent}: {why(ended)}" for ended in missing)
    judged = {name for _, review in reviews for name in review.judged}
    unjudged = tuple(name for name in policy.criteria.names if name not in judged)
    if unjudged:
        warnings += (f"nobody judged {', '.join(unjudged)}",)
    stated = [review.confidence for _, review in reviews if review.confidence is not None]
    return conclude(
        iteration,
        history,
        verdict=Verdict.NEEDS_REVISION if failing else Verdict.PASS,
        findings=raised,
        scores=scores,
        total=policy.criteria.total(scores),
        unjudged=unjudged,
        warnings=warnings,
        low=tuple(finding for one in standpoints for finding in one.low),
        because="the reviewers ask for a revision" if failing else "the reviewers pass it",
        confidence=min(stated) if stated else None,
    )


def _review(ended: Ended) -> Review | None:
    """The review a call ended with, if it judged anything."""
    result = ended.result
    return result if isinstance(result, Review) and result.verdict is not Verdict.INCONCLUSIVE else None


def lost(iteration: Iteration, seats: Sequence[Seat]) -> list[Ended]:
    """The calls of seats that may not fail and gave no review. If nobody at all gave one, all of them."""
    final = [(seat, attempts[-1]) for seat in seats if (attempts := iteration.attempts(seat.name))]
    silent = [(seat, ended) for seat, ended in final if _review(ended) is None]
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
    raised: tuple[Finding, ...] = (),
    scores: dict[str, float] | None = None,
    total: float | None = None,
    unjudged: tuple[str, ...] = (),
    warnings: tuple[str, ...] = (),
    low: tuple[Finding, ...] = (),
    confidence: float | None = None,
) -> Judgement:
    """Class the findings, leave out what was dismissed or comes late, and see where the loop is heading.

    What a person `raised` is never late; `low` are scores that count only if nothing else does.
    """
    new = tuple(finding.classed(Standing.NEW) for finding in raised)
    standing = numbered(new + classed(findings, iteration, history))
    late = [finding for finding in standing if finding.is_late]
    if verdict is Verdict.NEEDS_REVISION and standing and not look_at(iteration, standing).blocking:
        if still_low := _still_low(low, history):
            standing = numbered(standing + still_low)
        else:
            verdict = Verdict.PASS
            because = "what is left was raised late on unchanged text, or dismissed"
            warnings += tuple(finding.issue for finding in low)
    if late:
        warnings += (f"{count(len(late), 'finding')} raised late on unchanged text, kept as notes",)
    return Judgement(
        verdict=verdict,
        because=because,
        findings=standing,
        scores=scores or {},
        total=total,
        unjudged=unjudged,
        warnings=warnings,
        convergence=convergence(look_at(iteration, standing), looks_before(history)),
        confidence=confidence,
    )


def _still_low(low: tuple[Finding, ...], history: History) -> tuple[Finding, ...]:
    """Scores that were too low before as well. One that only fell with late findings is as late as they are.

    Once findings were dismissed by a person or withdrawn by a ruling, the scores that went with them have no ground.
    """
    if history.dismissed or history.withdrawn:
        return ()
    scores = [past.conclusion.scores for past in history.iterations if past.conclusion]
    before = scores[-1] if scores else dict[str, float]()
    rubric = history.policy.criteria
    return tuple(
        finding.classed(Standing.STILL_FAILING)
        for finding in low
        if (one := rubric.criterion(finding.criterion or "")) and before.get(one.name, 100) < one.min_score
    )


def inconclusive(iteration: Iteration, history: History, silent: list[Ended]) -> Judgement:
    """Nobody can say: these calls gave no review, and without them the panel is not the panel."""
    malformed = [ended for ended in silent if isinstance(ended.result, Malformed)]
    said = "; ".join(f"{ended.call.agent}: {why(ended)}" for ended in silent)
    tampered = any(not isinstance(e.result, Malformed | Review) and e.result.cause == "tampered" for e in silent)
    unheard = Reason.TAMPERED if tampered else Reason.UNANSWERED
    judgement = conclude(
        iteration,
        history,
        verdict=Verdict.INCONCLUSIVE,
        because=f"malformed output: {said}" if malformed else f"no usable answer: {said}",
    )
    return replace(judgement, reason=Reason.MALFORMED if len(malformed) == len(silent) else unheard)


def why(ended: Ended) -> str:
    if isinstance(ended.result, Review):
        return ended.result.summary or "it could judge nothing"
    return str(ended.result) if isinstance(ended.result, Malformed) else ended.result.about(ended.call.agent)


def _lowest(reviews: list[Review]) -> dict[str, float]:
    """Per criterion the lowest score anybody gave."""
    scores: dict[str, float] = {}
    for review in reviews:
        for name, score in review.scores.items():
            scores[name] = min(score, scores.get(name, score))
    return scores
