"""Asks a reviewer the same question several times, each time in a session that is not kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reviewloop.app.project import Project
from reviewloop.app.sessions import look_once
from reviewloop.app.targets.request import TargetRequest
from reviewloop.core.statistics.stability import Stability, stability
from reviewloop.core.types.policy import Gate, Policy, Seat
from reviewloop.engine.context import Observer
from reviewloop.errors import UsageError


async def measure_stability(
    project: Project,
    request: TargetRequest,
    *,
    reviewer: str | None,
    times: int,
    observers: Sequence[Observer] = (),
) -> list[Stability]:
    """How often the reviewer changes its mind, in each of its seats."""
    project = project.without_fallbacks()
    source = project.resolver.resolve(request).source
    policy = _one_review(project.policy(source, {}), reviewer, list(project.config.agents))
    histories = [await look_once(project, source, policy, observers) for _ in range(times)]
    iterations = [history.iterations[0] for history in histories]
    return [
        stability(seat, [iteration.attempts(seat.name) for iteration in iterations], policy) for seat in policy.seats
    ]


def _one_review(policy: Policy, reviewer: str | None, known: list[str]) -> Policy:
    """One review by this reviewer alone, whatever the rules find."""
    agent = reviewer or policy.seats[-1].agent
    seats = tuple(seat for seat in policy.seats if seat.agent == agent)
    if not seats and agent not in known:
        raise UsageError(f"there is no agent `{agent}`", hint=f"the agents are {', '.join(known)}")
    stages = dict.fromkeys((seat.stage, seat.rubric) for seat in policy.seats)
    seats = seats or tuple(Seat(agent=agent, stage=stage, rubric=rubric) for stage, rubric in stages)
    return replace(
        policy,
        seats=seats,
        author=None,
        max_iterations=1,
        static_gate=Gate.OFF,
        speculative_quality=True,
        tie_break=None,
    )
