"""Independence: who may not review or rule, because it is about their own work or their own finding."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from reviewloop.core.judging.pattern_recognition import CERTAIN
from reviewloop.core.judging.ratchet import find_repeats
from reviewloop.core.session.history import History, Iteration
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.policy import Policy, Seat
from reviewloop.core.types.review import Review


def authors_of(history: History) -> frozenset[str]:
    """All agents that wrote a part of the work, or are configured to."""
    policy, commission = history.policy, history.started.commission
    named = (policy.author, *policy.authors.values(), commission.agent if commission else None)
    wrote = (work.call.agent for iteration in history.iterations for work in iteration.works)
    first = (writing.authored.call.agent for writing in history.writings if writing.authored)
    return frozenset(agent for agent in (*named, *wrote, *first) if agent)


def raisers(finding: Finding, history: History) -> frozenset[str]:
    """All reviewers that raised a finding, in whatever iteration, stage or words."""
    said = (
        ended.agent
        for iteration in history.iterations
        for ended in iteration.ended
        if (review := ended.result if isinstance(ended.result, Review) else ended.heard)
        and find_repeats([finding], review.findings, same_from=CERTAIN)
    )
    return frozenset((*finding.by, *said))


def stand_ins(iteration: Iteration) -> dict[str, str]:
    """The reviewer that each fallback stands in for in this iteration."""
    return {ended.answered_by: ended.call.agent for ended in iteration.ended if ended.answered_by}


def why_not_review(agent: str, seat: Seat, history: History, taken: Mapping[str, str]) -> str | None:
    """Why an agent may not stand in for the reviewer of a seat; None if it may. `taken` are the current stand-ins."""
    if agent in authors_of(history):
        return f"{agent} is an author, and nobody reviews their own work"
    if any(other.agent == agent for other in history.policy.seats):
        return f"{agent} already has a seat of its own"
    if taken.get(agent, seat.agent) != seat.agent:
        return f"{agent} already stands in for {taken[agent]}"
    return None


def why_not_rule(agent: str, findings: Iterable[Finding], history: History) -> str | None:
    """Why an agent may not rule on findings; None if it may."""
    if agent in authors_of(history):
        return f"{agent} is an author, and nobody rules on their own work"
    if any(agent in raisers(finding, history) for finding in findings):
        return f"{agent} raised it, and nobody rules on their own finding"
    return None


def as_answered(policy: Policy, iteration: Iteration) -> Policy:
    """The policy with each seat under the name of the agent that really answered in this iteration."""
    seats = tuple(_as_answered(seat, iteration) for seat in policy.seats)
    return policy if seats == policy.seats else replace(policy, seats=seats)


def _as_answered(seat: Seat, iteration: Iteration) -> Seat:
    ended = iteration.final(seat.name)
    return replace(seat, agent=ended.answered_by, asked=seat.agent) if ended and ended.answered_by else seat


def reviewers_of(iteration: Iteration, policy: Policy) -> tuple[str, ...]:
    """The reviewers that were asked in an iteration; where a fallback answered, the fallback instead."""
    answered = (iteration.final(seat.name) for seat in policy.seats)
    return tuple(dict.fromkeys(ended.agent for ended in answered if ended))
