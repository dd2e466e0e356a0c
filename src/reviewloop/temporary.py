"""Temporary names that carry their process, so that leftovers of killed processes can be found and removed."""

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

# Other containers have their own process numbers, so the name also carries the process number space.
_OWNED = re.compile(r"\.?reviewloop-(?P<space>\d+)-(?P<pid>\d+)-(?P<start>\d+)-[0-9a-f]+(?P<done>\.done)?(?:\.tmp)?")


def folder_path(root: Path | None = None, home: Path | None = None) -> Path:
    """A path for a new folder in the system's temporary folder, never inside the project.

    Inside the project, agents would find its settings in the folders above.
    """
    home = Path(os.path.realpath(home or tempfile.gettempdir()))
    if root and home.is_relative_to(root):
        raise WorkspaceError(
            f"the folder for temporary files, {home}, is inside the project",
            hint="set TMPDIR to a folder outside the project",
        )
    return home / f"reviewloop-{_token()}"


def make_folder(folder: Path) -> Path:
    """Create the folder, and remove leftover folders beside it."""
    try:
        sweep(folder.parent)
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise WorkspaceError(f"cannot create {folder}: {error.strerror}", hint="check TMPDIR and the disk") from error
    return folder


@contextmanager
def own_folder() -> Generator[Path]:
    """A temporary folder, removed at the end of the context."""
    folder = make_folder(folder_path())
    try:
        yield folder
    finally:
        remove_folder(folder)


def file_name() -> str:
    """A name for a temporary file beside its target."""
    return f".reviewloop-{_token()}.tmp"


def is_leftover(name: str) -> bool:
    """Whether the name is ours and its process is dead or done with it."""
    match = _OWNED.fullmatch(name)
    if not match or match["space"] != str(_number_space()):
        return False
    return bool(match["done"]) or _started(int(match["pid"])) != int(match["start"])


def sweep(home: Path) -> None:
    """Remove the folders of dead processes."""
    with os.scandir(home) as entries:
        leftovers = [entry for entry in entries if is_leftover(entry.name) and entry.is_dir(follow_symlinks=False)]
    for entry in leftovers:
        with suppress(FileNotFoundError):
            if entry.stat(follow_symlinks=False).st_uid == os.geteuid():
                _remove(Path(entry.path))


def remove_folder(folder: Path) -> None:
    """Remove a folder, even if an agent changed its permissions. If that fails, the next sweep tries again."""
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
        _log.warning("cannot remove %s; the next run tries again", folder)


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
    """The start time of a process, in the system's unit; None if it is dead, 0 if the time is unknown."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        return None if fields[0] in "ZX" else int(fields[19])
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
