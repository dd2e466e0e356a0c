"""Egress rules: which files may be sent to which agents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import fnmatchcase


class OnSecrets(StrEnum):
    """What to do if a prompt contains a key, a token or a password."""

    REFUSE = "refuse"
    REDACT = "redact"
    OFF = "off"


@dataclass(frozen=True, slots=True, kw_only=True)
class Egress:
    """The agents, by name or kind, that may receive files.

    `allowed_agents` applies to every file, with None for no limit; `per_path` applies to files that match a pattern. An
    agent may receive a file only if every setting that applies to the file allows it.
    """

    allowed_agents: tuple[str, ...] | None = None
    per_path: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    secrets: OnSecrets = OnSecrets.REDACT

    def forbidding(self, path: str, agent: str, kind: str) -> str | None:
        """The setting that keeps a file from an agent; None if the agent may receive it."""
        for setting, allowed in self._settings_for(path):
            if agent not in allowed and kind not in allowed:
                return setting
        return None

    def _settings_for(self, path: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        if self.allowed_agents is not None:
            yield "egress.allowed_agents", self.allowed_agents
        for pattern, allowed in self.per_path.items():
            if _matches(path, pattern):
                yield f'egress.per_path."{pattern}".allowed_agents', allowed


def _matches(path: str, pattern: str) -> bool:
    """Match without regard to case: on some machines `Legal/x` and `legal/x` are the same file."""
    path, pattern = path.lower(), pattern.lower()
    return fnmatchcase(path, pattern) or fnmatchcase(path, f"*/{pattern}")
