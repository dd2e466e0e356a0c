"""A panel in two stages: who is asked when, and what their merged answers come to."""

from __future__ import annotations

from dataclasses import dataclass, replace

from reviewloop.core.judging.convergence import convergence
from reviewloop.core.judging.finding_status import classed, look_at, looks_before
from reviewloop.core.judging.judge import Judgement, inconclusive, lost, why
from reviewloop.core.matching.merge import Merged, Ruling, merge_panel, settle
from reviewloop.core.matching.pairs import Pair
from reviewloop.core.panel.calibration import calibrated
from reviewloop.core.panel.confidence import counts, decide
from reviewloop.core.session.events import Settled
from reviewloop.core.session.history import History, Iteration, next_attempt
from reviewloop.core.types.decision import Action, PossiblySame
from reviewloop.core.types.finding import Finding, Group, numbered
from reviewloop.core.types.policy import Policy, Seat
from reviewloop.core.types.review import Review, Stage, Verdict
from reviewloop.core.types.rubric import Rubric
from reviewloop.text import count


@dataclass(frozen=True, slots=True, kw_only=True)
class StageResult:
    """What the models of one stage say, merged."""

    stage: Stage
    findings: tuple[Finding, ...]
    passes: dict[str, bool]
    fails: bool
    possible: tuple[Pair, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StagePair:
    """Two findings of a stage that are possibly the same. The pair's id is unique in its iteration."""

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
    """Who takes part at this point: everybody at first, if speculation is on; else quality only after spec passed."""
    if not is_staged(policy) or (iteration.number == 1 and policy.speculative_quality):
        return policy.seats
    spec = seats_of(Stage.SPEC, policy)
    if not all(_is_over(iteration, seat, policy) for seat in spec) or lost(iteration, spec):
        return spec
    if to_settle(iteration, history, policy):
        return spec
    result = _stage_result(Stage.SPEC, iteration, history, policy)
    return spec if result.fails else (*spec, *seats_of(Stage.QUALITY, policy))


def to_settle(iteration: Iteration, history: History, policy: Policy) -> tuple[StagePair, ...]:
    """The pairs a tie-break has to be asked about now: of each stage that is in, counts, and was not asked about."""
    if policy.tie_break is None or not is_staged(policy):
        return ()
    asked = {one.stage for settled in iteration.settled for one in settled.pairs}
    pairs: list[StagePair] = []
    for stage in Stage:
        seats = seats_of(stage, policy)
        if not all(_is_over(iteration, seat, policy) for seat in seats) or lost(iteration, seats):
            break
        result = _stage_result(stage, iteration, history, policy)
        if stage not in asked:
            pairs += [StagePair(stage=stage, pair=pair) for pair in result.possible]
        if result.fails:
            break
    return tuple(pairs)


def judge_panel(iteration: Iteration, history: History, policy: Policy) -> Judgement:
    """Merge spec, then quality if spec passes; decide by what agrees and what does not."""
    seats = seats_of(Stage.SPEC, policy)
    if missing := lost(iteration, seats):
        return inconclusive(iteration, history, missing)
    results = [_stage_result(Stage.SPEC, iteration, history, policy)]
    discarded: tuple[str, ...] = ()
    if results[0].fails:
        discarded = tuple(ended.call.key for ended in iteration.ended if ended.call.stage is Stage.QUALITY)
    else:
        seats = policy.seats
        if missing := lost(iteration, seats_of(Stage.QUALITY, policy)):
            return inconclusive(iteration, history, missing)
        results.append(_stage_result(Stage.QUALITY, iteration, history, policy))
    findings = numbered(tuple(finding for result in results for finding in result.findings))
    possible = _possible(results, findings)
    models = {
        model: all(result.passes[model] for result in results if model in result.passes)
        for model in dict.fromkeys(model for result in results for model in result.passes)
    }
    stated = [r.confidence for seat in seats if (r := _review(iteration, seat)) and r.confidence is not None]
    decision = calibrated(decide(findings, models, min(stated) if stated else None), policy.experience)
    silent = [iteration.attempts(seat.name)[-1] for seat in seats if _review(iteration, seat) is None]
    return Judgement(
        verdict=Verdict.PASS if decision.action is Action.APPROVE else Verdict.NEEDS_REVISION,
        because=decision.because,
        findings=findings,
        scores={},
        warnings=(
            *(f"no answer from {ended.call.agent}: {why(ended)}" for ended in silent),
            *_tie_break_warnings(iteration),
        ),
        convergence=convergence(look_at(iteration, findings), looks_before(history)),
        confidence=decision.confidence,
        decision=decision,
        discarded=discarded,
        possible=possible,
    )


def _possible(results: list[StageResult], findings: tuple[Finding, ...]) -> tuple[PossiblySame, ...]:
    """The pairs nobody ruled on, by the ids their findings have in the end."""
    ids = {replace(finding, id=""): finding.id for finding in findings}
    return tuple(
        PossiblySame(first=ids[pair.left], second=ids[pair.right], p=round(pair.p, 3))
        for result in results
        for pair in result.possible
    )


def _tie_break_warnings(iteration: Iteration) -> tuple[str, ...]:
    return tuple(
        f"{count(len(settled.unsettled), 'pair')} of findings may be the same: "
        f"{settled.call.agent} {_no_ruling(settled)}"
        for settled in iteration.settled
        if settled.unsettled
    )


def _no_ruling(settled: Settled) -> str:
    return f"failed: {settled.failure.about(settled.call.agent)}" if settled.failure else "did not rule on it"


def _stage_result(stage: Stage, iteration: Iteration, history: History, policy: Policy) -> StageResult:
    reviews = {seat.agent: r for seat in seats_of(stage, policy) if (r := _review(iteration, seat))}
    raised = tuple(
        replace(finding, by=(model,), stage=stage) for model, review in reviews.items() for finding in review.findings
    )
    standing = classed(raised, iteration, history)
    said = {model: [finding for finding in standing if finding.by == (model,)] for model in reviews}
    merged = settle(_named(merge_panel(said), stage), _rulings(iteration))
    groups = (
        (Group.AGREED, merged.agreed),
        (Group.MODEL_B_ONLY, merged.model_b_only),
        (Group.MODEL_A_ONLY, merged.model_a_only),
        (Group.CONTRADICTION, tuple(one for pair in merged.contradiction for one in (pair.left, pair.right))),
    )
    grouped = {finding: replace(finding, group=group, id="") for group, some in groups for finding in some}
    return StageResult(
        stage=stage,
        findings=tuple(grouped.values()),
        passes={model: not any(counts(finding) for finding in some) for model, some in said.items()},
        fails=merged.fails or any(counts(one) for pair in merged.contradiction for one in (pair.left, pair.right)),
        possible=tuple(
            replace(pair, left=grouped[pair.left], right=grouped[pair.right])
            for pair in merged.possible
            if pair.left in grouped and pair.right in grouped
        ),
    )


def _named(merged: Merged, stage: Stage) -> Merged:
    """With ids that tell the stages' pairs apart."""
    return replace(merged, possible=tuple(replace(pair, id=f"{stage}-{pair.id}") for pair in merged.possible))


def _rulings(iteration: Iteration) -> dict[str, Ruling]:
    return {one.pair: one.ruling for settled in iteration.settled for one in settled.pairs if one.ruling}


def _review(iteration: Iteration, seat: Seat) -> Review | None:
    attempts = iteration.attempts(seat.name)
    result = attempts[-1].result if attempts else None
    return result if isinstance(result, Review) and result.verdict is not Verdict.INCONCLUSIVE else None


def _is_over(iteration: Iteration, seat: Seat, policy: Policy) -> bool:
    """Whether this seat will not be asked again in this iteration."""
    return next_attempt(iteration, seat, policy) is None
