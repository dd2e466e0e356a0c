"""Services: each file belongs to one, by the configuration or by its directory."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from reviewloop.core.session.history import History

_CONTAINERS = re.compile("apps|backend|crates|docs|features|libs|modules|packages|plans|services|specs|src")
"""Directories that contain services, and are not services themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The services of a project: file patterns by name, and the service of top-level files that match none."""

    patterns: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    otherwise: str = "project"

    def of(self, paths: Sequence[str]) -> str:
        """The service of an artifact: of its first file that matches a pattern, else its first file's directory."""
        for path in paths:
            for name, patterns in self.patterns.items():
                if any(fnmatchcase(path, pattern) or fnmatchcase(path, f"*/{pattern}") for pattern in patterns):
                    return name
        return _directory(paths[0]) or self.otherwise if paths else self.otherwise


def _directory(path: str) -> str:
    *folders, _ = path.split("/")
    named = [folder for folder in folders if not folder.startswith(".")]
    while len(named) > 1 and _CONTAINERS.fullmatch(named[0]):
        named.pop(0)
    return named[0] if named else ""


def service_of(history: History, services: Services) -> str:
    reviewed = history.iterations[0].checked.files if history.iterations else ()
    return services.of([file.path for file in reviewed] or history.started.paths)
