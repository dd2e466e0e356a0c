"""Finds the project's root and its configuration files, and reads them up to a size limit."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reviewloop.errors import ConfigError

PROJECT_FILE = "reviewloop.yml"
HIDDEN_FILE = ".reviewloop/config.yml"
SHARED_FILES = (".claude/project.yml", ".project-orchestrator/project.yml")
"""Other tools' files, of which Reviewloop reads the `review` block."""

PREFIX = "REVIEWLOOP_"
"""The prefix of environment variables for settings."""

MARKERS = (PROJECT_FILE, ".reviewloop", ".git")
"""Files and folders that mark the root of a project."""


MAX_BYTES = 256 * 1024
"""No configuration file is larger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A file that may have settings. Of a `shared` file, only the `review` block is read."""

    path: Path
    shared: bool = False


def project_root(cwd: Path) -> Path:
    """The nearest folder, from `cwd` upwards, that is a project's root; else `cwd`."""
    start = cwd.absolute()
    return next((folder for folder in (start, *start.parents) if is_project(folder)), start)


def is_project(folder: Path | str) -> bool:
    """Whether the folder is a project's root."""
    # Called for the folder of every document, for which `Path` is too slow.
    return any(os.path.exists(f"{folder}/{mark}") for mark in MARKERS)  # noqa: PTH110


def start_folder(cwd: Path, paths: Sequence[str]) -> Path:
    """Where to search for the project: at `cwd`, or at the first path outside if `cwd` is in no project."""
    if is_project(project_root(cwd)):
        return cwd
    existing = [Path(cwd, path) for path in paths if path != "-" and Path(cwd, path).exists()]
    folders = [path if path.is_dir() else path.parent for path in existing]
    outside = next((folder for folder in folders if not folder.resolve().is_relative_to(cwd.resolve())), None)
    return outside.resolve() if outside else cwd


def candidates(root: Path) -> Iterator[Candidate]:
    """The configuration files that exist, in order of precedence."""
    for name in (PROJECT_FILE, HIDDEN_FILE):
        if exists(root / name):
            yield Candidate(path=root / name)
        misspelt = (root / name).with_suffix(".yaml")
        if exists(misspelt) and not exists(root / name):
            raise ConfigError(
                "this file is not read: its name must end in .yml",
                file=str(misspelt.relative_to(root)),
                hint=f"rename it to {name}",
            )
    yield from (Candidate(path=root / name, shared=True) for name in SHARED_FILES if exists(root / name))


def user_file(environment: Mapping[str, str]) -> Path | None:
    """The path of the user's own settings; None without a home directory."""
    base = environment.get("XDG_CONFIG_HOME", "")
    if Path(base).is_absolute():
        return Path(base) / "reviewloop" / "config.yml"
    home = environment.get("HOME", "")
    return Path(home) / ".config" / "reviewloop" / "config.yml" if Path(home).is_absolute() else None


def exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a parent folder that cannot be read
        return False


def read(path: Path) -> bytes:
    """The file's bytes, up to one byte more than the limit."""
    with path.open("rb") as file:
        return file.read(MAX_BYTES + 1)
