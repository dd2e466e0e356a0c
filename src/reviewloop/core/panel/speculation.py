"""Speculative quality reviews: what it saves to ask both stages at once, and what it costs if the first one fails."""

from __future__ import annotations

from dataclasses import dataclass

from reviewloop.core.session.history import Iteration
from reviewloop.core.types.review import Stage, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Speculation:
    """What asking the quality stage together with the spec stage does to the time until there is an answer.

    `saved` is what it saves if the spec stage passes, `waited` what it costs if it fails, both in seconds.
    """

    saved: float
    waited: float


def spent_in_vain(iteration: Iteration, keys: tuple[str, ...]) -> Usage:
    """What the discarded answers cost."""
    return sum((ended.usage for ended in iteration.ended if ended.call.key in keys), Usage())


def speculation(iteration: Iteration) -> Speculation:
    spec, quality = (_slowest(iteration, stage) for stage in Stage)
    return Speculation(saved=min(spec, quality), waited=max(0.0, quality - spec))


def _slowest(iteration: Iteration, stage: Stage) -> float:
    """How long the slowest reviewer of a stage took, all its attempts together."""
    seconds: dict[str, float] = {}
    for ended in iteration.ended:
        if ended.call.stage is stage:
            seconds[ended.call.key] = seconds.get(ended.call.key, 0.0) + ended.usage.seconds
    return max(seconds.values(), default=0.0)
