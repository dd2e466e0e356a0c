"""The documents that a folder or a pattern stands for."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from reviewloop.core.types.scope import Scope
from reviewloop.errors import ArtifactError, UsageError
from reviewloop.workspace import git
from reviewloop.workspace.files import real_path
from reviewloop.workspace.reserved_names import MARKDOWN, NOT_ENTERED, sayable

BUILT = frozenset(("build", "dist", "target", "vendor", "third_party", "_build", "site-packages", "htmlcov"))
"""Folders with generated or third-party files. A folder that the user names is walked anyway."""

_ENOUGH_TO_TELL = 8_000


@dataclass(slots=True, kw_only=True)
class Found:
    """The documents that were found, as project-relative paths in order, and what could not be read and why."""

    paths: list[str] = field(default_factory=list[str])
    unread: list[str] = field(default_factory=list[str])


def documents_below(root: Path, folder: str, scope: Scope) -> Found:
    """The Markdown files below a folder. Left out: hidden, built and ignored ones, and what the project excludes.

    In a folder that git ignores as a whole, nothing is left out as ignored, because the user named the folder.
    """
    found = Found()
    walked = list(_walk(str(root), "" if folder == "." else folder, found))
    ignored = git.ignored(root, walked)
    if ignored and git.ignored(root, [folder]):
        ignored = frozenset[str]()
    found.paths = [path for path in walked if path not in ignored and scope.covers(path)]
    return found


def matching(root: Path, cwd: Path, pattern: str, skipped: list[str]) -> list[str]:
    """The files of the project that a pattern of the user matches. Those that hold no text are only noted.

    Raises:
        UsageError: The pattern matches nothing.
    """
    matches = sorted(glob.glob(pattern, root_dir=cwd, recursive=True))  # noqa: PTH207 - absolute patterns too
    files = [Path(cwd, match) for match in matches if not Path(cwd, match).is_dir()]
    if not files:
        raise UsageError(f"no file matches {pattern}", hint="check the pattern and the folder you are in")
    binary = [path for path in files if path.suffix.lower() not in MARKDOWN and _is_binary(path)]
    skipped.extend(f"{os.path.relpath(path, cwd)} holds no text" for path in binary)
    return [real_path(root, path) for path in files if path not in binary]


def _walk(root: str, folder: str, found: Found) -> Iterator[str]:
    """Documents of a folder first, then those of its folders, by name. Links to folders are not followed."""
    waiting = [folder]
    while waiting:
        at = waiting.pop()
        prefix = f"{at}/" if at else ""
        try:
            with os.scandir(f"{root}/{at}" if at else root) as entries:
                here = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            found.unread.append(f"{at or '.'} cannot be read: {(error.strerror or str(error)).lower()}")
            continue
        folders = [entry.name for entry in here if entry.is_dir(follow_symlinks=False) and is_walked(entry.name)]
        waiting.extend(f"{prefix}{name}" for name in reversed(folders))
        yield from _documents(Path(root), prefix, here, found)


def _documents(root: Path, prefix: str, entries: Iterable[os.DirEntry[str]], found: Found) -> Iterator[str]:
    for entry in entries:
        if entry.name.startswith(".") or not entry.name.lower().endswith(MARKDOWN):
            continue
        if entry.is_file(follow_symlinks=False) and sayable(entry.name):
            yield f"{prefix}{entry.name}"
        elif not entry.is_dir(follow_symlinks=False) and not Path(entry.path).is_dir():
            try:
                yield real_path(root, Path(entry.path))
            except ArtifactError as error:
                found.unread.append(error.message)


def is_walked(name: str) -> bool:
    """Hidden folders belong to other tools, except the one where Kiro keeps its specs."""
    return name not in NOT_ENTERED and name not in BUILT and (not name.startswith(".") or name == ".kiro")


def _is_binary(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return b"\0" in file.read(_ENOUGH_TO_TELL)
    except OSError:
        return False
