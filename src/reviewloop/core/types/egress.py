"""What may be sent to whom."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import fnmatchcase


class OnSecrets(StrEnum):
    """What happens when a prompt holds a key, a token or a password."""

    REFUSE = "refuse"
    REDACT = "redact"
    OFF = "off"


@dataclass(frozen=True, slots=True, kw_only=True)
class Egress:
    """Which agents, by name or by kind, may be sent what.

    `allowed_agents` holds for every file, None is no limit; `per_path` holds for the files that match a pattern. An
    agent needs the leave of everything that speaks of a file.
    """

    allowed_agents: tuple[str, ...] | None = None
    per_path: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    secrets: OnSecrets = OnSecrets.REDACT

    def forbidding(self, path: str, agent: str, kind: str) -> str | None:
        """The setting that keeps a file from an agent, if one does."""
        for setting, allowed in self._about(path):
            if agent not in allowed and kind not in allowed:
                return setting
        return None

    def _about(self, path: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        if self.allowed_agents is not None:
            yield "egress.allowed_agents", self.allowed_agents
        for pattern, allowed in self.per_path.items():
            if _matches(path, pattern):
                yield f'egress.per_path."{pattern}".allowed_agents', allowed


def _matches(path: str, pattern: str) -> bool:
    """Whatever the case: on some machines `Legal/x` and `legal/x` are one file."""
    path, pattern = path.lower(), pattern.lower()
    return fnmatchcase(path, pattern) or fnmatchcase(path, f"*/{pattern}")
