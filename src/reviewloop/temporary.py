"""Temporary names that say whose they are, so that what a killed process left behind can be told and removed."""

from __future__ import annotations

import logging
import os
import re
import secrets
import shutil
import stat
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

from reviewloop.errors import WorkspaceError

_log = logging.getLogger(__name__)

# Processes of another container have numbers of their own, so the name also carries their number space.
_OWNED = re.compile(r"\.?reviewloop-(?P<space>\d+)-(?P<pid>\d+)-(?P<start>\d+)-[0-9a-f]+(?P<done>\.done)?(?:\.tmp)?")


def folder_path(root: Path | None = None, home: Path | None = None) -> Path:
    """A path for a new folder of our own, in the system's place for such, never inside the project.

    Agents look for settings in the folders above the one they work in.
    """
    home = Path(os.path.realpath(home or tempfile.gettempdir()))
    if root and home.is_relative_to(root):
        raise WorkspaceError(
            f"the folder for temporary files, {home}, lies inside the project",
            hint="set TMPDIR to a folder outside the project",
        )
    return home / f"reviewloop-{_token()}"


def make_folder(folder: Path) -> Path:
    """Make the folder, and remove those that dead processes left beside it."""
    try:
        sweep(folder.parent)
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise WorkspaceError(f"{folder} cannot be made: {error.strerror}", hint="check TMPDIR and the disk") from error
    return folder


@contextmanager
def own_folder() -> Generator[Path]:
    """A folder for as long as it is needed."""
    folder = make_folder(folder_path())
    try:
        yield folder
    finally:
        remove_folder(folder)


def file_name() -> str:
    """A name for a temporary file beside its target."""
    return f".reviewloop-{_token()}.tmp"


def is_leftover(name: str) -> bool:
    """Whether the name is one of ours and nobody needs it any more."""
    match = _OWNED.fullmatch(name)
    if not match or match["space"] != str(_number_space()):
        return False
    return bool(match["done"]) or _started(int(match["pid"])) != int(match["start"])


def sweep(home: Path) -> None:
    """Remove the folders that dead processes left."""
    with os.scandir(home) as entries:
        leftovers = [entry for entry in entries if is_leftover(entry.name) and entry.is_dir(follow_symlinks=False)]
    for entry in leftovers:
        with suppress(FileNotFoundError):
            if entry.stat(follow_symlinks=False).st_uid == os.geteuid():
                _remove(Path(entry.path))


def remove_folder(folder: Path) -> None:
    """Remove it, whatever an agent did to it. What cannot be removed now is marked, and goes with the next sweep."""
    done = folder.with_name(folder.name + ".done")
    try:
        folder.rename(done)
    except FileNotFoundError:
        return
    _remove(done)


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        _make_writable(folder)
        shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        _log.warning("%s could not be removed; the next run tries again", folder)


def _make_writable(folder: Path) -> None:
    with suppress(OSError):
        folder.chmod(stat.S_IRWXU)
        with os.scandir(folder) as entries:
            below = [Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)]
        for path in below:
            _make_writable(path)


def _token() -> str:
    pid = os.getpid()
    return f"{_number_space()}-{pid}-{_own_start(pid)}-{secrets.token_hex(6)}"


@lru_cache(maxsize=1)
def _number_space() -> int:
    try:
        return Path("/proc/self/ns/pid").stat().st_ino
    except OSError:
        return 0


@lru_cache(maxsize=4)
def _own_start(pid: int) -> int:
    return _started(pid) or 0


def _started(pid: int) -> int | None:
    """When a process started, in a unit of the system's own; None if it is not alive, 0 if only that is known."""
    try:
        about = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        return None if about[0] in "ZX" else int(about[19])
    except OSError:
        pass
    if Path("/proc/self/stat").exists():
        return None
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        pass
    return 0
