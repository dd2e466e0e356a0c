"""An agent as the configuration wants it: its kind, and everything that stands around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from reviewloop.agents.kinds.common_settings import read_common
from reviewloop.agents.registry import build, check
from reviewloop.agents.wrappers.egress import LOCAL_KINDS, EgressGuard
from reviewloop.agents.wrappers.fallback import WithFallback
from reviewloop.agents.wrappers.rate_limit import Limited, gate_for
from reviewloop.agents.wrappers.retry import Retrying
from reviewloop.core.types.egress import Egress
from reviewloop.ports import Agent


def assemble(
    kind: str, name: str, settings: Mapping[str, Any], base: Path, *, egress: Egress, find: Callable[[str], Agent]
) -> Agent:
    """The agent called `name`, from the inside out: retries, limits, what may be sent to it, its fallback.

    Args:
        kind: What it is.
        name: What the configuration calls it.
        settings: Its settings, without `kind`.
        base: The directory of the configuration file.
        egress: What may be sent to whom.
        find: Finds another agent by its name.

    Raises:
        ConfigError: There is no such kind, or a setting is wrong.
    """
    common = read_common(settings, what=f"agent `{name}`")
    agent: Agent = Retrying(build(kind, name, common.own, base), common.retries)
    if common.concurrency or common.rate:
        agent = Limited(agent, gate_for(kind, name, concurrency=common.concurrency, rate=common.rate))
    if kind not in LOCAL_KINDS:
        agent = EgressGuard(agent, egress, name=name, kind=kind)
    return WithFallback(agent, common.fallback, find) if common.fallback else agent


def check_settings(kind: str, name: str, settings: Mapping[str, Any]) -> None:
    """Refuse what `assemble` would refuse of the settings, without building anything.

    Raises:
        ConfigError: There is no such kind, or a setting is wrong.
    """
    check(kind, name, read_common(settings, what=f"agent `{name}`").own)
