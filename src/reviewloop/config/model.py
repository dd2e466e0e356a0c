"""The type of all settings of a project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from reviewloop.config.agents import AgentEntry
from reviewloop.config.layers import Layer
from reviewloop.config.schema import ExecutionSettings, ReviewSettings
from reviewloop.config.source_marks import Table
from reviewloop.config.view_paths import ViewPaths, view_paths
from reviewloop.core.types.egress import Egress
from reviewloop.core.types.scope import Scope
from reviewloop.rules.settings import RuleSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The effective settings of a project.

    `root` is the project's folder, `files` are the files that were read, by precedence. `agents` includes agents that
    need no declaration: `static` and the models of a panel. `ledger` is the path of a file or a postgresql:// address.
    `tasks` is the workflow as written. `layer` has the merged settings that everything else was built from.
    `unused` says which settings from the user's own file and the environment have no effect in this project.
    """

    root: Path
    files: tuple[Path, ...]
    profile: str
    agents: Mapping[str, AgentEntry]
    review: ReviewSettings
    rules: RuleSettings
    egress: Egress
    constitution: tuple[Path, ...]
    ledger: str = field(repr=False)
    paths: ViewPaths
    services: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])
    phases: Mapping[str, str] = field(default_factory=dict[str, str])
    execution: ExecutionSettings = field(default_factory=ExecutionSettings)
    scope: Scope = field(default_factory=Scope)
    tasks: Table | None = field(default=None, repr=False)
    layer: Layer = field(repr=False, compare=False)
    unused: tuple[str, ...] = field(default=(), repr=False, compare=False)

    def paths_under(self, profile: str) -> ViewPaths:
        """Where the views of a session are written that runs under another profile than the project's."""
        return view_paths(self.layer.paths, profile)
