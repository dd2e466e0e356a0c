"""The same question several times, each time in a session that nobody keeps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reviewloop.app.one_look import look
from reviewloop.app.targets.sources import find_source
from reviewloop.core.statistics.stability import Steadiness, steadiness
from reviewloop.core.types.policy import Gate, Policy, Seat
from reviewloop.errors import UsageError

if TYPE_CHECKING:
    from reviewloop.app.project import Project


async def ask_again(
    project: Project, path: str, *, reviewer: str | None, times: int, kind: str | None, quiet: bool
) -> list[Steadiness]:
    """How steady the reviewer is in each of its seats."""
    source = find_source(project, {"paths": (path,), "kind": kind})
    policy = _one_look(project.policy(source, {}), reviewer, list(project.config.agents))
    histories = [await look(project, source, policy, quiet=quiet) for _ in range(times)]
    looks = [history.iterations[0] for history in histories]
    return [steadiness(seat, [one.attempts(seat.name) for one in looks], policy) for seat in policy.seats]


def _one_look(policy: Policy, reviewer: str | None, known: list[str]) -> Policy:
    """Only this reviewer, once, whatever the rules say, and nobody after it."""
    agent = reviewer or policy.seats[-1].agent
    seats = tuple(seat for seat in policy.seats if seat.agent == agent)
    if not seats and agent not in known:
        raise UsageError(f"there is no agent `{agent}`", hint=f"known are {', '.join(known)}")
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
