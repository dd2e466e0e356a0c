"""Resolves the policy for one kind of artifact from the profile's defaults and the settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from reviewloop.config.agents import STATIC
from reviewloop.config.build import override
from reviewloop.config.model import Config
from reviewloop.config.schema import PARALLEL_MODELS, SINGLE_MODEL, Reviewer, ReviewSettings
from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.policy import Policy, Seat, Strategy, profile
from reviewloop.core.types.review import Stage
from reviewloop.core.types.rubric import BY_KIND, BY_STAGE, RUBRICS, Criterion, Rubric

_UNCHANGED = {part.name for part in fields(Policy)} - {"rubric", "strategy"}
"""Parts of the policy that are settings of the same name, if there is such a setting."""


def resolve(config: Config, kind: Kind, overrides: Mapping[str, Any], *, within: str | None = None) -> Policy:
    """The policy for reviewing this kind of artifact.

    Args:
        config: The effective settings.
        kind: The kind of artifact to review.
        overrides: The command line's settings by key; None for a flag that was not given.
        within: The profile whose work a panel reviews. Its rubric is then the quality stage's, unless the project has
            one of its own, and the session counts as one of that profile.

    Raises:
        ConfigError: An override is invalid; names the flag.
    """
    config = override(config, overrides)
    review = config.review
    base = profile(config.profile, kind)
    changes = {key: value for key in _UNCHANGED if (value := getattr(review, key, None)) is not None}
    if config.profile == "panel":
        strategy = review.strategy or base.strategy
        rubrics = _stage_rubrics(review, profile(within, kind).rubric if within else BY_STAGE[Stage.QUALITY])
        everything = replace(rubrics[Stage.SPEC].joined(rubrics[Stage.QUALITY]), name="panel")
        base = replace(base, profile=within or base.profile)
        return replace(base, rubric=everything, strategy=strategy, seats=_panel(review, strategy, rubrics), **changes)
    rubric = _adjusted(review.rubric or base.rubric, review)
    seats = tuple(Seat(agent=reviewer.agent, allow_failure=reviewer.allow_failure) for reviewer in _reviewers(review))
    strategy = Strategy.PARALLEL if len(seats) > 1 else Strategy.SINGLE
    if review.parallel_criteria:
        seats = tuple(part for seat in seats for part in _by_criterion(seat, rubric, config))
    return replace(base, rubric=rubric, strategy=strategy, seats=seats or base.seats, **changes)


def judged_by_rules(policy: Policy, kind: Kind) -> Policy:
    """The policy when the offline rules alone review: no rule can judge by the rubrics of `panel` and `overlay`."""
    if policy.profile not in ("panel", "overlay") and not any(seat.stage for seat in policy.seats):
        return policy
    return replace(policy, rubric=BY_KIND[kind], strategy=Strategy.SINGLE, seats=(Seat(agent=STATIC),))


def asks_agents(config: Config, policy: Policy) -> bool:
    """Whether anybody reviews besides the offline rules."""
    return any(config.agents[seat.agent].kind != STATIC for seat in policy.seats)


def _reviewers(review: ReviewSettings) -> tuple[Reviewer, ...]:
    return review.reviewers or ((Reviewer(agent=review.reviewer),) if review.reviewer else ())


def _by_criterion(seat: Seat, rubric: Rubric, config: Config) -> tuple[Seat, ...]:
    """One seat per criterion; the offline rules keep one seat, because they know which criteria they judge."""
    if config.agents[seat.agent].kind == STATIC:
        return (seat,)
    return tuple(
        replace(seat, criterion=criterion.name, rubric=replace(rubric, criteria=(criterion,)))
        for criterion in rubric.criteria
    )


def _panel(review: ReviewSettings, strategy: Strategy, rubrics: Mapping[Stage, Rubric]) -> tuple[Seat, ...]:
    """Every model in every stage, the spec stage first, the strongest model last."""
    named = _reviewers(review)
    if strategy is Strategy.PARALLEL:
        models = _as_reviewers(review.parallel_models) or named or _as_reviewers(PARALLEL_MODELS)
    else:
        models = _as_reviewers((review.single_model,)) or named[:1] or _as_reviewers((SINGLE_MODEL,))
    return tuple(
        Seat(agent=model.agent, stage=stage, rubric=rubrics[stage], allow_failure=model.allow_failure)
        for stage in Stage
        for model in models
    )


def _as_reviewers(names: tuple[str | None, ...] | None) -> tuple[Reviewer, ...]:
    return tuple(Reviewer(agent=name) for name in names or () if name)


def _stage_rubrics(review: ReviewSettings, of_quality_stage: Rubric) -> Mapping[Stage, Rubric]:
    """The rubric of each stage. The project's own rubric and criteria belong to the quality stage."""
    spec, quality = BY_STAGE[Stage.SPEC], review.rubric or of_quality_stage
    criteria = review.criteria or ()
    of_spec = tuple(item for item in criteria if isinstance(item, str) and item in spec.names)
    of_quality = tuple(item for item in criteria if item not in of_spec)
    return {
        Stage.SPEC: _adjusted(spec, replace(review, criteria=of_spec)),
        Stage.QUALITY: _adjusted(quality, replace(review, criteria=of_quality)),
    }


def _adjusted(rubric: Rubric, review: ReviewSettings) -> Rubric:
    """The rubric with the project's criteria, minimum scores and weights."""
    chosen = _chosen(rubric, review.criteria or ())
    return weighted(replace(rubric, criteria=chosen), review)


def weighted(rubric: Rubric, review: ReviewSettings) -> Rubric:
    """The rubric with the project's minimum scores and weights."""
    return replace(rubric, criteria=tuple(_weighted(criterion, review) for criterion in rubric.criteria))


def _chosen(rubric: Rubric, criteria: tuple[str | Criterion, ...]) -> tuple[Criterion, ...]:
    """The named criteria only; without names, the rubric's criteria, changed and extended by the defined ones."""
    if any(isinstance(item, str) for item in criteria):
        return tuple(_bundled(item, rubric) if isinstance(item, str) else item for item in criteria)
    defined = {item.name: item for item in criteria if isinstance(item, Criterion)}
    return tuple(({criterion.name: criterion for criterion in rubric.criteria} | defined).values())


def _bundled(name: str, rubric: Rubric) -> Criterion:
    return next(found for known in (rubric, *RUBRICS.values()) if (found := known.criterion(name)))


def _weighted(criterion: Criterion, review: ReviewSettings) -> Criterion:
    scores = review.min_score
    wanted = scores.get(criterion.name) if isinstance(scores, Mapping) else scores
    return replace(
        criterion,
        min_score=criterion.min_score if wanted is None else wanted,
        weight=(review.weights or {}).get(criterion.name, criterion.weight),
    )
