"""A panel in two stages: which reviewers to ask when, and the decision on their merged answers."""

from __future__ import annotations

from dataclasses import dataclass, replace

from reviewloop.core.judging.convergence import convergence
from reviewloop.core.judging.finding_status import earlier_revisions, revision_of, waived_findings, with_status
from reviewloop.core.judging.judge import (
    Judgement,
    failure_text,
    inconclusive,
    lowest_scores,
    missing_reviews,
    unjudged_criteria,
)
from reviewloop.core.judging.min_scores import confirm_review, low_total
from reviewloop.core.matching.merge import Merged, merge_panel, settle
from reviewloop.core.matching.pairs import Pair
from reviewloop.core.panel.calibration import calibrated
from reviewloop.core.panel.confidence import decide
from reviewloop.core.session.history import History, Iteration, next_attempt
from reviewloop.core.types.decision import Action, Decision, PossiblySame, Ruling
from reviewloop.core.types.finding import Finding, Group, numbered
from reviewloop.core.types.policy import Policy, Seat
from reviewloop.core.types.review import Review, Stage, Verdict
from reviewloop.core.types.rubric import Rubric
from reviewloop.text import count


@dataclass(frozen=True, slots=True, kw_only=True)
class StageResult:
    """The merged findings of one stage, and which models pass."""

    stage: Stage
    findings: tuple[Finding, ...]
    passes: dict[str, bool]
    fails: bool
    warnings: tuple[str, ...] = ()
    possible: tuple[Pair, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StagePair:
    """Two findings of a stage that are possibly the same. The pair's id is unique in the iteration."""

    stage: Stage
    pair: Pair


def seats_of(stage: Stage, policy: Policy) -> tuple[Seat, ...]:
    return tuple(seat for seat in policy.seats if seat.stage is stage)


def is_staged(policy: Policy) -> bool:
    return any(seat.stage for seat in policy.seats)


def with_quality(policy: Policy, rubric: Rubric) -> Policy:
    """The policy with a rubric of its own for the quality stage."""
    seats = tuple(replace(seat, rubric=rubric) if seat.stage is Stage.QUALITY else seat for seat in policy.seats)
    return replace(policy, seats=seats, rubric=replace(policy, seats=seats).criteria)


def seats_now(iteration: Iteration, history: History, policy: Policy) -> tuple[Seat, ...]:
    """The seats to ask now: the quality stage only after spec passes, or at once if speculation is on."""
    if not is_staged(policy) or (iteration.number == 1 and policy.speculative_quality):
        return policy.seats
    spec = seats_of(Stage.SPEC, policy)
    if not all(_is_over(iteration, seat, policy) for seat in spec) or missing_reviews(iteration, spec):
        return spec
    if to_settle(iteration, history, policy):
        return spec
    result = _stage_result(Stage.SPEC, iteration, history, policy)
    return spec if result.fails else (*spec, *seats_of(Stage.QUALITY, policy))


def to_settle(iteration: Iteration, history: History, policy: Policy) -> tuple[StagePair, ...]:
    """The pairs to ask the tie-break about: those of each finished stage that counts and was not asked about yet."""
    if policy.tie_break is None or not is_staged(policy):
        return ()
    asked = {pair.stage for settled in iteration.settled for pair in settled.pairs}
    pairs: list[StagePair] = []
    for stage in Stage:
        seats = seats_of(stage, policy)
        if not all(_is_over(iteration, seat, policy) for seat in seats) or missing_reviews(iteration, seats):
            break
        result = _stage_result(stage, iteration, history, policy)
        if stage not in asked:
            pairs += [StagePair(stage=stage, pair=pair) for pair in result.possible]
        if result.fails:
            break
    return tuple(pairs)


def judge_panel(iteration: Iteration, history: History, policy: Policy) -> Judgement:
    """Merge the spec stage, and the quality stage if spec passes; decide by how far the models agree."""
    seats = seats_of(Stage.SPEC, policy)
    if missing := missing_reviews(iteration, seats):
        return inconclusive(iteration, history, missing)
    results = [_stage_result(Stage.SPEC, iteration, history, policy)]
    discarded: tuple[str, ...] = ()
    if results[0].fails:
        discarded = tuple(ended.call.key for ended in iteration.ended if ended.call.stage is Stage.QUALITY)
    else:
        seats = policy.seats
        if missing := missing_reviews(iteration, seats_of(Stage.QUALITY, policy)):
            return inconclusive(iteration, history, missing)
        results.append(_stage_result(Stage.QUALITY, iteration, history, policy))
    findings = numbered(tuple(finding for result in results for finding in result.findings))
    possible = _possible(results, findings)
    models = {
        model: all(result.passes[model] for result in results if model in result.passes)
        for model in dict.fromkeys(model for result in results for model in result.passes)
    }
    reviews = [review for seat in seats if (review := _review(iteration, seat))]
    stated = [review.confidence for review in reviews if review.confidence is not None]
    refused = {
        seat.agent for seat in seats if (said := _review(iteration, seat)) and said.verdict is Verdict.NEEDS_REVISION
    }
    decision = calibrated(decide(findings, models, min(stated) if stated else None, refused), policy.experience)
    scores = lowest_scores(reviews)
    total = policy.criteria.total(scores)
    if decision.action is Action.APPROVE and (too_low := low_total(total, policy)):
        decision = _overruled(decision, too_low[0].issue)
        findings = numbered(findings + with_status(too_low, iteration, history))
    unjudged = unjudged_criteria(reviews, replace(policy, seats=seats))
    silent = [ended for seat in seats if (ended := iteration.final(seat.name)) and ended.heard is None]
    return Judgement(
        verdict=Verdict.PASS if decision.action is Action.APPROVE else Verdict.NEEDS_REVISION,
        because=decision.because,
        findings=findings,
        scores=scores,
        total=total,
        unjudged=unjudged,
        warnings=(
            *(warning for result in results for warning in result.warnings),
            *(f"no answer from {ended.call.agent}: {failure_text(ended)}" for ended in silent),
            *([f"not checked: {', '.join(unjudged)}"] if unjudged else []),
            *(waived_findings(findings) if decision.action is Action.APPROVE else ()),
            *_tie_break_warnings(iteration),
        ),
        convergence=convergence(revision_of(iteration, findings), earlier_revisions(history)),
        confidence=decision.confidence,
        decision=decision,
        discarded=discarded,
        possible=possible,
    )


def _overruled(decision: Decision, because: str) -> Decision:
    """A decision against what the models report, which has no prior."""
    return Decision(
        action=Action.REVISE,
        scenario="low_total",
        confidence=None,
        because=f"{decision.because}, but {because}",
        inputs=decision.inputs,
    )


def _possible(results: list[StageResult], findings: tuple[Finding, ...]) -> tuple[PossiblySame, ...]:
    """The pairs without a ruling, by the final ids of their findings."""
    ids = {replace(finding, id=""): finding.id for finding in findings}
    return tuple(
        PossiblySame(first=ids[pair.left], second=ids[pair.right], p=round(pair.p, 3))
        for result in results
        for pair in result.possible
    )


def _tie_break_warnings(iteration: Iteration) -> tuple[str, ...]:
    return tuple(
        f"{count(len(settled.unsettled), 'pair')} of findings may be the same: "
        f"{agent} {f'failed: {settled.failure.about(agent)}' if settled.failure else 'did not rule'}"
        for settled in iteration.settled
        if settled.unsettled and (agent := settled.call.agent)
    )


def _stage_result(stage: Stage, iteration: Iteration, history: History, policy: Policy) -> StageResult:
    reviews = {
        seat.agent: confirm_review(review, seat, policy)
        for seat in seats_of(stage, policy)
        if (review := _review(iteration, seat))
    }
    raised = tuple(
        replace(finding, by=(model,), stage=stage)
        for model, review in reviews.items()
        for finding in (*review.findings, *review.low)
    )
    classified = with_status(raised, iteration, history)
    by_model = {model: [finding for finding in classified if finding.by == (model,)] for model in reviews}
    merged = settle(_named(merge_panel(by_model), stage), _rulings(iteration))
    disputed = tuple(finding for pair in merged.contradiction for finding in (pair.left, pair.right))
    groups = (
        (Group.AGREED, merged.agreed),
        (Group.MODEL_B_ONLY, merged.model_b_only),
        (Group.MODEL_A_ONLY, merged.model_a_only),
        (Group.CONTRADICTION, disputed),
    )
    grouped = {finding: replace(finding, group=group, id="") for group, findings in groups for finding in findings}
    return StageResult(
        stage=stage,
        findings=tuple(grouped.values()),
        passes={model: not any(finding.is_serious for finding in findings) for model, findings in by_model.items()},
        fails=merged.fails or any(finding.is_serious for finding in disputed),
        warnings=tuple(warning for review in reviews.values() for warning in review.warnings),
        possible=tuple(
            replace(pair, left=grouped[pair.left], right=grouped[pair.right])
            for pair in merged.possible
            if pair.left in grouped and pair.right in grouped
        ),
    )


def _named(merged: Merged, stage: Stage) -> Merged:
    """Prefix the pairs' ids with the stage."""
    return replace(merged, possible=tuple(replace(pair, id=f"{stage}-{pair.id}") for pair in merged.possible))


def _rulings(iteration: Iteration) -> dict[str, Ruling]:
    return {pair.pair: pair.ruling for settled in iteration.settled for pair in settled.pairs if pair.ruling}


def _review(iteration: Iteration, seat: Seat) -> Review | None:
    ended = iteration.final(seat.name)
    return ended.heard if ended else None


def _is_over(iteration: Iteration, seat: Seat, policy: Policy) -> bool:
    """Whether this seat will not be asked again in this iteration."""
    return next_attempt(iteration, seat, policy) is None
