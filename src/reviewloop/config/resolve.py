"""The policy for one kind of artifact: the profile's defaults, then the settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from reviewloop.config.agents import STATIC
from reviewloop.config.build import override
from reviewloop.config.model import Config
from reviewloop.config.schema import PARALLEL_MODELS, SINGLE_MODEL, Reviewer, ReviewSettings
from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.policy import Policy, Seat, Strategy, profile
from reviewloop.core.types.review import Stage
from reviewloop.core.types.rubric import BY_STAGE, RUBRICS, Criterion, Rubric

_AS_WRITTEN = (
    "speculative_quality",
    "max_iterations",
    "fix_timeout_turns",
    "auto_approve",
    "auto_reject",
    "cache",
    "authors",
    "arbiter",
    "parallel_criteria",
    "tie_break",
    "auto_confidence",
    "author",
    "author_retries",
    "dialect",
    "static_gate",
    "on_inconclusive",
    "on_exhausted",
    "on_author_failure",
    "borderline",
    "receipt",
    "retry_on_malformed",
    "timeout",
    "budget",
)


def resolve(config: Config, kind: Kind, overrides: Mapping[str, Any]) -> Policy:
    """How strictly, by whom and by what this kind of artifact is reviewed.

    Args:
        config: The settings in force.
        kind: What is reviewed.
        overrides: The command line's settings, by their key; None where a flag was not given.

    Raises:
        ConfigError: An override is wrong; names the flag.
    """
    config = override(config, overrides)
    review = config.review
    base = profile(config.profile, kind)
    changes = {key: value for key in _AS_WRITTEN if (value := getattr(review, key)) is not None}
    if config.profile == "panel":
        strategy = review.strategy or base.strategy
        rubrics = _stage_rubrics(review)
        everything = replace(rubrics[Stage.SPEC].joined(rubrics[Stage.QUALITY]), name="panel")
        return replace(base, rubric=everything, strategy=strategy, seats=_panel(review, strategy, rubrics), **changes)
    rubric = _adjusted(review.rubric or base.rubric, review)
    seats = tuple(Seat(agent=one.agent, allow_failure=one.allow_failure) for one in _reviewers(review))
    strategy = Strategy.PARALLEL if len(seats) > 1 else Strategy.SINGLE
    if review.parallel_criteria:
        seats = tuple(one for seat in seats for one in _by_criterion(seat, rubric, config))
    return replace(base, rubric=rubric, strategy=strategy, seats=seats or base.seats, **changes)


def _reviewers(review: ReviewSettings) -> tuple[Reviewer, ...]:
    return review.reviewers or ((Reviewer(agent=review.reviewer),) if review.reviewer else ())


def _by_criterion(seat: Seat, rubric: Rubric, config: Config) -> tuple[Seat, ...]:
    """A seat for each criterion. The offline rules answer at once, and know best what they can judge."""
    if config.agents[seat.agent].kind == STATIC:
        return (seat,)
    return tuple(replace(seat, criterion=one.name, rubric=replace(rubric, criteria=(one,))) for one in rubric.criteria)


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


def _stage_rubrics(review: ReviewSettings) -> Mapping[Stage, Rubric]:
    """The stages' rubrics. A rubric or criterion of the project's own belongs to the quality stage."""
    spec, quality = BY_STAGE[Stage.SPEC], review.rubric or BY_STAGE[Stage.QUALITY]
    named = [one for one in review.criteria or () if isinstance(one, str)]
    of_spec = tuple(name for name in named if name in spec.names)
    of_quality = tuple(one for one in review.criteria or () if isinstance(one, Criterion) or one not in spec.names)
    return {
        Stage.SPEC: _adjusted(spec, replace(review, criteria=of_spec)),
        Stage.QUALITY: _adjusted(quality, replace(review, criteria=of_quality)),
    }


def _adjusted(rubric: Rubric, review: ReviewSettings) -> Rubric:
    """The rubric with the project's choice of criteria, its scores and its weights."""
    return replace(rubric, criteria=tuple(_weighed(one, review) for one in _chosen(rubric, review.criteria or ())))


def _chosen(rubric: Rubric, criteria: tuple[str | Criterion, ...]) -> tuple[Criterion, ...]:
    """Names keep only what they name; criteria that are written out are added, or replace one of the same name."""
    if not any(isinstance(one, str) for one in criteria):
        added = Rubric(name="", criteria=tuple(one for one in criteria if isinstance(one, Criterion)))
        kept = tuple(added.criterion(one.name) or one for one in rubric.criteria)
        return (*kept, *(one for one in added.criteria if one.name not in rubric.names))
    return tuple(_bundled(one, rubric) if isinstance(one, str) else one for one in criteria)


def _bundled(name: str, rubric: Rubric) -> Criterion:
    return next(found for one in (rubric, *RUBRICS.values()) if (found := one.criterion(name)))


def _weighed(criterion: Criterion, review: ReviewSettings) -> Criterion:
    scores = review.min_score
    wanted = scores.get(criterion.name) if isinstance(scores, Mapping) else scores
    return replace(
        criterion,
        min_score=criterion.min_score if wanted is None else wanted,
        weight=(review.weights or {}).get(criterion.name, criterion.weight),
    )
