"""The kinds of agents: built-in kinds in one table, others from the entry-point group `reviewloop.agents`.

An adapter is a class with a `Settings` class (a dataclass or pydantic model) and the constructor
`(name, settings, base)`. Relative paths in the settings start at `base`. Instances implement `reviewloop.ports.Agent`.
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

_TOKENS_ONLY = ("acp", "codex", "gemini")
_NOTHING = ("command", "static")


class Adapter(Protocol):
    """The class that implements a kind."""

    Settings: ClassVar[type[Any]]

    def __call__(self, name: str, settings: Any, base: Path) -> Agent: ...


def kinds() -> list[str]:
    """Return every kind that is installed."""
    return sorted({*KINDS, *_installed()})


def reports_tokens(kind: str) -> bool:
    """Whether an agent of this kind can say how many tokens it used; kinds of other packages may."""
    return kind not in _NOTHING


def reports_cost(kind: str) -> bool:
    """Whether an agent of this kind can say what it cost; kinds of other packages may."""
    return kind not in (*_NOTHING, *_TOKENS_ONLY)


def check(kind: str, name: str, settings: Mapping[str, Any]) -> None:
    """Check the settings that `build` takes, without building an agent."""
    read_as(_adapter(kind, name).Settings, dict(settings), what=f"agent `{name}`")


def build(kind: str, name: str, settings: Mapping[str, Any], base: Path) -> Agent:
    """Build an agent without its wrappers.

    Args:
        kind: One of `kinds()`.
        name: The agent's name in the configuration.
        settings: The agent's settings, without `kind`.
        base: The directory of the configuration file.

    Raises:
        ConfigError: The kind is unknown, or a setting is invalid.
    """
    adapter = _adapter(kind, name)
    return adapter(name, read_as(adapter.Settings, dict(settings), what=f"agent `{name}`"), base)


def _adapter(kind: str, name: str) -> Adapter:
    if kind in KINDS:
        module, _, attribute = KINDS[kind].partition(":")
        return cast("Adapter", getattr(import_module(module), attribute))
    if entry := _installed().get(kind):
        try:
            return cast("Adapter", entry.load())
        except (ImportError, AttributeError) as error:
            hint = f"the kind comes from {entry.value}: repair or reinstall that package"
            raise ConfigError(f"agent `{name}`: kind `{kind}` cannot be loaded: {error}", hint=hint) from error
    raise ConfigError(f"agent `{name}`: unknown kind `{kind}`", hint=options_hint(kind, kinds()))


def _installed() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}
