"""Builds an agent from its settings: its kind, wrapped with retries, limits, the egress policy and a fallback."""

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
    """Build an agent and its wrappers. From the inside out: retries, limits, egress policy, fallback.

    Args:
        kind: One of `registry.kinds()`.
        name: The agent's name in the configuration.
        settings: The agent's settings, without `kind`.
        base: The directory of the configuration file.
        egress: Which agents may be sent which files.
        find: Returns the agent with a name, for the fallback.

    Raises:
        ConfigError: The kind is unknown, or a setting is invalid.
    """
    common = read_common(settings, what=f"agent `{name}`")
    agent: Agent = Retrying(build(kind, name, common.own, base), common.retries)
    if common.concurrency or common.rate:
        agent = Limited(agent, gate_for(kind, name, concurrency=common.concurrency, rate=common.rate))
    if kind not in LOCAL_KINDS:
        agent = EgressGuard(agent, egress, name=name, kind=kind)
    return WithFallback(agent, common.fallback, find) if common.fallback else agent


def check_settings(kind: str, name: str, settings: Mapping[str, Any]) -> None:
    """Check the settings that `assemble` takes, without building an agent.

    Raises:
        ConfigError: The kind is unknown, or a setting is invalid.
    """
    check(kind, name, read_common(settings, what=f"agent `{name}`").own)
