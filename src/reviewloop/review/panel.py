"""A panel in two stages: who is asked when, and what their merged answers come to."""

from __future__ import annotations

from dataclasses import dataclass, replace

from reviewloop.review.confidence import counts, decide
from reviewloop.review.events import Action
from reviewloop.review.finding import Finding, Group, numbered
from reviewloop.review.history import History, Iteration, next_attempt
from reviewloop.review.judge import Judgement, inconclusive, lost, why
from reviewloop.review.merge import merge_panel
from reviewloop.review.policy import Policy, Seat
from reviewloop.review.ratchet import heading
from reviewloop.review.review import Review, Stage, Usage, Verdict
from reviewloop.review.standing import classed, look_at, looks_before


@dataclass(frozen=True, slots=True, kw_only=True)
class StageResult:
    """What the models of one stage say, merged."""

    stage: Stage
    findings: tuple[Finding, ...]
    passes: dict[str, bool]
    fails: bool


def seats_of(stage: Stage, policy: Policy) -> tuple[Seat, ...]:
    return tuple(seat for seat in policy.seats if seat.stage is stage)


def is_staged(policy: Policy) -> bool:
    return any(seat.stage for seat in policy.seats)


def seats_now(iteration: Iteration, history: History, policy: Policy) -> tuple[Seat, ...]:
    """Who takes part at this point: everybody at first, if speculation is on; else quality only after spec passed."""
    if not is_staged(policy) or (iteration.number == 1 and policy.speculative_quality):
        return policy.seats
    spec = seats_of(Stage.SPEC, policy)
    if not all(_is_over(iteration, seat, policy) for seat in spec) or lost(iteration, spec):
        return spec
    result = _stage_result(Stage.SPEC, iteration, history, policy)
    return spec if result.fails else (*spec, *seats_of(Stage.QUALITY, policy))


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
    models = {
        model: all(result.passes[model] for result in results if model in result.passes)
        for model in dict.fromkeys(model for result in results for model in result.passes)
    }
    stated = [r.confidence for seat in seats if (r := _review(iteration, seat)) and r.confidence is not None]
    decision = decide(findings, models, min(stated) if stated else None)
    silent = [iteration.attempts(seat.name)[-1] for seat in seats if _review(iteration, seat) is None]
    return Judgement(
        verdict=Verdict.PASS if decision.action is Action.APPROVE else Verdict.NEEDS_REVISION,
        because=decision.because,
        findings=findings,
        scores={},
        warnings=tuple(f"no answer from {ended.call.agent}: {why(ended)}" for ended in silent),
        convergence=heading(look_at(iteration, findings), looks_before(history)),
        confidence=decision.confidence,
        decision=decision,
        discarded=discarded,
    )


def spent_in_vain(iteration: Iteration, keys: tuple[str, ...]) -> Usage:
    """What the discarded answers cost."""
    return sum((ended.usage for ended in iteration.ended if ended.call.key in keys), Usage())


def _stage_result(stage: Stage, iteration: Iteration, history: History, policy: Policy) -> StageResult:
    reviews = {seat.agent: r for seat in seats_of(stage, policy) if (r := _review(iteration, seat))}
    raised = tuple(
        replace(finding, by=(model,), stage=stage) for model, review in reviews.items() for finding in review.findings
    )
    standing = classed(raised, iteration, history)
    said = {model: [finding for finding in standing if finding.by == (model,)] for model in reviews}
    merged = merge_panel(said)
    groups = (
        (Group.AGREED, merged.agreed),
        (Group.MODEL_B_ONLY, merged.model_b_only),
        (Group.MODEL_A_ONLY, merged.model_a_only),
        (Group.CONTRADICTION, tuple(one for pair in merged.contradiction for one in (pair.left, pair.right))),
    )
    return StageResult(
        stage=stage,
        findings=tuple(replace(finding, group=group, id="") for group, some in groups for finding in some),
        passes={model: not any(counts(finding) for finding in some) for model, some in said.items()},
        fails=merged.fails or any(counts(one) for pair in merged.contradiction for one in (pair.left, pair.right)),
    )


def _review(iteration: Iteration, seat: Seat) -> Review | None:
    attempts = iteration.attempts(seat.name)
    result = attempts[-1].result if attempts else None
    return result if isinstance(result, Review) and result.verdict is not Verdict.INCONCLUSIVE else None


def _is_over(iteration: Iteration, seat: Seat, policy: Policy) -> bool:
    """Whether this seat will not be asked again in this iteration."""
    return next_attempt(iteration, seat, policy) is None
