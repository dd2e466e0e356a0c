"""Speculative quality reviews: the time saved or lost by asking both stages at once."""

from __future__ import annotations

from dataclasses import dataclass

from reviewloop.core.session.history import Iteration
from reviewloop.core.types.review import Stage, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Speculation:
    """Seconds `saved` by asking both stages at once if the spec stage passes, and seconds `waited` if it fails."""

    saved: float
    waited: float


def wasted_usage(iteration: Iteration, keys: tuple[str, ...]) -> Usage:
    """The usage of the discarded answers."""
    return sum((ended.usage for ended in iteration.ended if ended.call.key in keys), Usage())


def speculation(iteration: Iteration) -> Speculation:
    spec, quality = (_slowest(iteration, stage) for stage in Stage)
    return Speculation(saved=min(spec, quality), waited=max(0.0, quality - spec))


def _slowest(iteration: Iteration, stage: Stage) -> float:
    """The seconds of a stage's slowest reviewer, over all its attempts."""
    seconds: dict[str, float] = {}
    for ended in iteration.ended:
        if ended.call.stage is stage:
            seconds[ended.call.key] = seconds.get(ended.call.key, 0.0) + ended.usage.seconds
    return max(seconds.values(), default=0.0)
