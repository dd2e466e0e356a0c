"""A new project's configuration: finds the agent programs on this machine, and writes a file that works with them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from reviewloop.config.discover import HIDDEN_FILE, PROJECT_FILE
from reviewloop.config.template import TITLES, Setup, setup, template
from reviewloop.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundProgram:
    """An agent program on this machine. `agent` is also its kind in the configuration."""

    agent: str
    title: str
    program: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Initialised:
    """What was found and written."""

    config: str
    found: tuple[FoundProgram, ...]
    setup: Setup


def find_programs(environment: Mapping[str, str]) -> tuple[FoundProgram, ...]:
    """The agent programs on the search path. One that would depend on the current directory does not count."""
    found = {name: shutil.which(name, path=environment.get("PATH", os.defpath)) for name in TITLES}
    return tuple(
        FoundProgram(agent=name, title=TITLES[name], program=path)
        for name, path in found.items()
        if path and Path(path).is_absolute()
    )


def initialise(folder: Path, profile: str, environment: Mapping[str, str], *, force: bool = False) -> Initialised:
    """Write the configuration of a project.

    Args:
        folder: The project's root.
        profile: The set of defaults to start from.
        environment: The environment's variables; `PATH` says where programs are.
        force: Whether to replace a configuration that is there.

    Raises:
        UsageError: There is a configuration already, or it cannot be written.
    """
    for name in (PROJECT_FILE, HIDDEN_FILE):
        if (folder / name).exists() and not force:
            raise UsageError(f"{name} already exists", hint="edit it, or write a new reviewloop.yml with --force")
    found = find_programs(environment)
    chosen = setup(profile, [program.agent for program in found])
    try:
        (folder / PROJECT_FILE).write_text(template(chosen), encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"{PROJECT_FILE} cannot be written: {error.strerror}", hint="check who may write to this folder"
        ) from error
    return Initialised(config=PROJECT_FILE, found=found, setup=chosen)
