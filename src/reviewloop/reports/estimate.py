"""The estimated cost of a run, as terminal text."""

from __future__ import annotations

from rich.console import Console

from reviewloop.core.statistics.cost_estimate import Estimate
from reviewloop.text import count


def print_estimate(estimate: Estimate, out: Console) -> None:
    out.print(f"{estimate.name}: {estimate.kind}, {count(len(estimate.files), 'file')}, profile {estimate.profile}")
    for path in estimate.files[:10]:
        out.print(f"  {path}")
    if len(estimate.files) > 10:
        out.print(f"  and {len(estimate.files) - 10} more")
    if estimate.upstream:
        out.print(f"builds on: {', '.join(estimate.upstream)}")
    if not estimate.agents:
        out.print("no agent would be asked: the offline rules review it for free")
        return
    for agent in estimate.agents:
        out.print(f"{agent.role} {agent.agent}: at most {count(agent.calls, 'call')}, about {agent.tokens:,} tokens")
    if estimate.arbiter:
        out.print(f"arbiter {estimate.arbiter}: one call for each finding that an author contests")
    if estimate.retries:
        out.print(f"a malformed answer is asked for again, at most {count(estimate.retries, 'time')}")
    out.print(f"in all: at most {count(estimate.calls, 'call')}, about {estimate.tokens:,} tokens; nothing was asked")
