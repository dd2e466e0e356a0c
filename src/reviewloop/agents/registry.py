"""The kinds of agents: ours in one table, other people's from the entry-point group `reviewloop.agents`.

An adapter is a class with a `Settings` (a dataclass or pydantic model) and the constructor `(name, settings, base)`;
`base` is the directory that relative paths in the settings are relative to. Its instances are `reviewloop.ports.Agent`.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, ClassVar, Protocol, cast

from reviewloop.agents.settings import options_hint, read_as
from reviewloop.errors import ConfigError
from reviewloop.ports import Agent

KINDS: Mapping[str, str] = {
    "acp": "reviewloop.agents.kinds.acp:Acp",
    "claude": "reviewloop.agents.kinds.claude:Claude",
    "codex": "reviewloop.agents.kinds.codex:Codex",
    "command": "reviewloop.agents.kinds.command:Command",
    "gemini": "reviewloop.agents.kinds.gemini:Gemini",
    "model": "reviewloop.agents.kinds.model:Model",
    "replay": "reviewloop.agents.kinds.replay:Transcript",
    "static": "reviewloop.agents.kinds.static:Static",
}
GROUP = "reviewloop.agents"


class Adapter(Protocol):
    """What a kind's entry leads to."""

    Settings: ClassVar[type[Any]]

    def __call__(self, name: str, settings: Any, base: Path) -> Agent: ...


def kinds() -> list[str]:
    """Every kind there is on this machine."""
    return sorted({*KINDS, *_theirs()})


def check(kind: str, name: str, settings: Mapping[str, Any]) -> None:
    """Read the settings as `build` does, and no more."""
    read_as(_adapter(kind, name).Settings, dict(settings), what=f"agent `{name}`")


def build(kind: str, name: str, settings: Mapping[str, Any], base: Path) -> Agent:
    """The agent called `name` in the configuration.

    Args:
        kind: One of `kinds()`.
        name: What the configuration calls it.
        settings: Its settings, without `kind`.
        base: The directory of the configuration file.

    Raises:
        ConfigError: There is no such kind, or a setting is wrong.
    """
    adapter = _adapter(kind, name)
    return adapter(name, read_as(adapter.Settings, dict(settings), what=f"agent `{name}`"), base)


def _adapter(kind: str, name: str) -> Adapter:
    if kind in KINDS:
        module, _, attribute = KINDS[kind].partition(":")
        return cast("Adapter", getattr(import_module(module), attribute))
    if theirs := _theirs().get(kind):
        try:
            return cast("Adapter", theirs.load())
        except (ImportError, AttributeError) as error:
            hint = f"it comes from {theirs.value}, which has to be repaired or installed anew"
            raise ConfigError(f"agent `{name}`: kind `{kind}` cannot be loaded: {error}", hint=hint) from error
    raise ConfigError(f"agent `{name}`: there is no kind `{kind}`", hint=options_hint(kind, kinds()))


def _theirs() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}
