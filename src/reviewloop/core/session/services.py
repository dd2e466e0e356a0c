"""Which service a file belongs to: as the configuration says, else by its directory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from reviewloop.core.session.history import History

_CONTAINERS = frozenset(
    (
        "apps",
        "backend",
        "crates",
        "docs",
        "features",
        "libs",
        "modules",
        "packages",
        "plans",
        "services",
        "specs",
        "src",
    )
)
"""Directories that hold services, rather than being one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The services of a project: patterns by name, and what everything else that lies at the top belongs to."""

    patterns: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    otherwise: str = "project"

    def of(self, paths: Sequence[str]) -> str:
        """The service of an artifact: that of the first file which a pattern knows, else the first file's directory."""
        for path in paths:
            for name, patterns in self.patterns.items():
                if any(fnmatchcase(path, one) or fnmatchcase(path, f"*/{one}") for one in patterns):
                    return name
        return _directory(paths[0]) or self.otherwise if paths else self.otherwise


def _directory(path: str) -> str:
    *folders, _ = path.split("/")
    named = [folder for folder in folders if not folder.startswith(".")]
    while len(named) > 1 and named[0] in _CONTAINERS:
        named.pop(0)
    return named[0] if named else ""


def service_of(history: History, services: Services) -> str:
    """The service a session is about."""
    reviewed = history.iterations[0].checked.files if history.iterations else ()
    return services.of([file.path for file in reviewed] or history.started.paths)
