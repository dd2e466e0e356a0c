"""Where the project is and which files hold its settings."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reviewloop.errors import ConfigError

PROJECT_FILE = "reviewloop.yml"
HIDDEN_FILE = ".reviewloop/config.yml"
SHARED_FILES = (".claude/project.yml", ".project-orchestrator/project.yml")
"""Files of other tools, of which the `review` block is ours."""

PREFIX = "REVIEWLOOP_"
"""How environment variables that are settings start."""

MARKERS = (PROJECT_FILE, ".reviewloop", ".git")
"""Names that say of their folder that a project starts there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A file that may hold settings. `shared`: only its `review` block is ours, if it has one."""

    path: Path
    shared: bool = False


def project_root(cwd: Path) -> Path:
    """The nearest directory, from `cwd` upwards, that looks like a project; else `cwd` itself."""
    start = cwd.absolute()
    return next((one for one in (start, *start.parents) if is_project(one)), start)


def is_project(folder: Path | str) -> bool:
    """Whether something in the folder says that a project starts here."""
    # Asked of the folder of every document, for which paths are too slow.
    return any(os.path.exists(f"{folder}/{mark}") for mark in MARKERS)  # noqa: PTH110


def start_folder(cwd: Path, paths: Sequence[str]) -> Path:
    """Where to look for the project: here, or at the first path if the current directory is in no project."""
    if is_project(project_root(cwd)):
        return cwd
    there = [Path(cwd, path) for path in paths if path != "-" and Path(cwd, path).exists()]
    folders = [path if path.is_dir() else path.parent for path in there]
    outside = next((folder for folder in folders if not folder.resolve().is_relative_to(cwd.resolve())), None)
    return outside.resolve() if outside else cwd


def candidates(root: Path) -> Iterator[Candidate]:
    """The files that are there, the one that wins first."""
    for name in (PROJECT_FILE, HIDDEN_FILE):
        if there(root / name):
            yield Candidate(path=root / name)
        misspelt = (root / name).with_suffix(".yaml")
        if there(misspelt) and not there(root / name):
            raise ConfigError(
                "this file is not read: its name must end in .yml",
                file=str(misspelt.relative_to(root)),
                hint=f"rename it to {name}",
            )
    yield from (Candidate(path=root / name, shared=True) for name in SHARED_FILES if there(root / name))


def user_file(environment: Mapping[str, str]) -> Path | None:
    """Where the user's own settings are, if anywhere."""
    base = environment.get("XDG_CONFIG_HOME", "")
    if Path(base).is_absolute():
        return Path(base) / "reviewloop" / "config.yml"
    home = environment.get("HOME", "")
    return Path(home) / ".config" / "reviewloop" / "config.yml" if Path(home).is_absolute() else None


def there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a directory above that we may not look into
        return False
