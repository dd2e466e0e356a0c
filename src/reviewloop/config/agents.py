"""The `agents` block: names and kinds of agents. Each kind checks its own settings."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from reviewloop.config import fields
from reviewloop.config.message_text import nearest, shown
from reviewloop.config.source_marks import Entry, Node, Place, Scalar, Source, Table, plain
from reviewloop.errors import ConfigError

KINDS = ("static", "replay", "command", "claude", "codex", "gemini", "acp", "model")
"""The kinds that come with Reviewloop; other packages add kinds as entry points."""

STATIC = "static"
"""The offline rules, which every project has as an agent."""

_BUILT_IN = Table(entries={}, place=Place(source=Source(name="built in")))


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentEntry:
    """An agent of the configuration.

    `settings` are its keys without `kind`; `table` is the same with places. An `implied` agent is not declared: it
    stands for a bare model name in the profile `panel`.
    """

    name: str
    kind: str
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    table: Table = field(default=_BUILT_IN, repr=False)
    implied: bool = False

    def only(self, valid: Collection[str]) -> None:
        """Raise for a setting that is not one of `valid`."""
        self.table.only(("kind", *valid))

    def error(self, message: str, *path: str, hint: str | None = None, at_key: bool = False) -> ConfigError:
        """An error at the value or key of a setting, or at the agent if the setting is missing."""
        node: Node = self.table
        place = node.place
        for step in path:
            entry = node.entries.get(step) if isinstance(node, Table) else None
            if entry is None:
                break
            node = entry.value
            place = entry.key if at_key else node.place
        return place.error(message, hint=hint)


def read_agents(node: Node | None) -> dict[str, AgentEntry]:
    if node is None or (isinstance(node, Scalar) and node.value is None):
        return {}
    return {name: _agent(name, entry) for name, entry in fields.table(node, "agents").entries.items()}


def model_agent(model: str) -> AgentEntry:
    """The agent that a bare model name stands for in the profile `panel`."""
    return AgentEntry(name=model, kind="claude", settings={"model": model}, implied=True)


def static_agent() -> AgentEntry:
    return AgentEntry(name=STATIC, kind=STATIC)


def _agent(name: str, entry: Entry) -> AgentEntry:
    from importlib.metadata import entry_points  # slow to import, and rarely needed

    table = fields.table(entry.value, f"agent {shown(name)}")
    written = table.get("kind")
    if written is None:
        raise entry.key.error(f"agent {shown(name)} has no kind", hint=f"kinds: {', '.join(KINDS)}")
    kind = fields.text(written, "kind")
    if kind not in KINDS:
        kinds = (*KINDS, *(point.name for point in entry_points(group="reviewloop.agents")))
        if kind not in kinds:
            hint = nearest(kind, kinds) or f"kinds: {', '.join(kinds)}"
            raise written.place.error(f"unknown kind of agent {shown(kind)}", hint=hint)
    if name == STATIC and kind != STATIC:
        raise entry.key.error('"static" is always the offline rules', hint="give this agent another name")
    settings = {key: plain(setting.value) for key, setting in table.entries.items() if key != "kind"}
    return AgentEntry(name=name, kind=kind, settings=settings, table=table)
