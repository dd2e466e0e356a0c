"""The upper cost of a run: the agents, their calls, and the approximate tokens."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from reviewloop.core.panel.stages import is_staged
from reviewloop.core.types.artifact import Artifact
from reviewloop.core.types.policy import Policy

CHARACTERS_PER_TOKEN = 4
INSTRUCTIONS = 1_200
"""The approximate tokens of a prompt without the artifact."""

ANSWER = 800
"""The approximate tokens of an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCalls:
    """One agent in one role, its most calls, and their approximate tokens."""

    agent: str
    role: str
    calls: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The most calls of a run. The offline rules cost nothing.

    On top come up to `retries` more calls for each malformed answer, and rulings if the author contests findings.
    """

    name: str
    kind: str
    files: tuple[str, ...]
    upstream: tuple[str, ...]
    profile: str
    agents: tuple[AgentCalls, ...]
    retries: int = 0
    arbiter: str | None = None

    @property
    def calls(self) -> int:
        return sum(agent.calls for agent in self.agents)

    @property
    def tokens(self) -> int:
        return sum(agent.tokens for agent in self.agents)


def estimate(artifact: Artifact, policy: Policy, free: Collection[str]) -> Estimate:
    """Count the calls of a run that uses all its iterations.

    `free` are agents that cost nothing, such as the offline rules.
    """
    own = artifact.size // CHARACTERS_PER_TOKEN
    prompt = INSTRUCTIONS + own + sum(above.size for above in artifact.upstream) // CHARACTERS_PER_TOKEN
    fixes = policy.max_fix_iterations if policy.author else 0
    agents = [
        AgentCalls(
            agent=seat.agent,
            role=f"reviewer ({seat.stage})" if seat.stage else "reviewer",
            calls=fixes + 1,
            tokens=(fixes + 1) * (prompt + ANSWER),
        )
        for seat in policy.seats
        if seat.agent not in free
    ]
    if policy.tie_break and is_staged(policy):
        tokens = (fixes + 1) * (prompt + ANSWER)
        agents.append(AgentCalls(agent=policy.tie_break, role="tie-break", calls=fixes + 1, tokens=tokens))
    if policy.author and fixes:
        tokens = fixes * (prompt + ANSWER + own)
        agents += [
            AgentCalls(agent=author, role="author", calls=fixes, tokens=tokens)
            for author in dict.fromkeys((policy.author, *policy.authors.values()))
        ]
    return Estimate(
        name=artifact.name,
        kind=str(artifact.kind),
        files=artifact.paths,
        upstream=tuple(path for above in artifact.upstream for path in above.paths),
        profile=policy.profile,
        agents=tuple(agents),
        retries=policy.retry_on_malformed,
        arbiter=policy.arbiter if fixes else None,
    )
