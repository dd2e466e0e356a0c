"""Opens folders step by step, so that no symbolic link in a path leads out of the project."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from reviewloop.errors import WorkspaceError
from reviewloop.private_files import FOLDER, make_folders
from reviewloop.workspace.reserved_names import said, stays_inside

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# Without O_NONBLOCK, opening a named pipe would wait for a writer.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CHUNK = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A project-relative path, split into its folders and its name."""

    folders: tuple[str, ...]
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A regular file's bytes and status."""

    data: bytes
    status: os.stat_result

    @property
    def executable(self) -> bool:
        return bool(self.status.st_mode & stat.S_IXUSR)

    @property
    def mode(self) -> int:
        """Who may read, write and run it."""
        return stat.S_IMODE(self.status.st_mode) & 0o777


class NotRegular(OSError):
    """The path exists, but is not a regular file: a folder, a symbolic link, a pipe."""


def place_of(path: str) -> Place:
    """Split a project-relative path. Raises if it could leave the project."""
    if not stays_inside(path):
        raise WorkspaceError(
            f"{said(path)!r} is not a path inside the project",
            hint="paths are relative to the project, with forward slashes and without `..`",
        )
    parts = path.split("/")
    return Place(folders=tuple(parts[:-1]), name=parts[-1])


@contextmanager
def folder(root: Path, names: Sequence[str], *, create: bool = False) -> Generator[int]:
    """Open a folder below root and yield its descriptor. A link among the names raises `NotADirectoryError`."""
    if create and FOLDER in names[:1]:
        make_folders(root / FOLDER)
    at = os.open(root, _FOLDER)
    try:
        for name in names:
            if create:
                _make(name, at)
            below = _enter(name, at)
            os.close(at)
            at = below
        yield at
    finally:
        os.close(at)


def _enter(name: str, at: int) -> int:
    try:
        return os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=at)
    except OSError as error:
        if error.errno == errno.ELOOP:  # some systems report this instead of ENOTDIR
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), name) from error
        raise


def _make(name: str, at: int) -> None:
    try:
        os.mkdir(name, dir_fd=at)
    except FileExistsError:
        return
    os.fsync(at)


def read_at(at: int, name: str, *, most: int | None = None) -> Content:
    """Read a regular file without following links. Reads up to one byte more than `most`, so that callers notice."""
    status = os.stat(name, dir_fd=at, follow_symlinks=False)
    if not stat.S_ISREG(status.st_mode):
        raise NotRegular(name)
    file = os.open(name, _FILE, dir_fd=at)
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise NotRegular(name)
        return Content(data=_read(file, status.st_size, sys.maxsize if most is None else most + 1), status=status)
    finally:
        os.close(file)


def _read(file: int, size: int, most: int) -> bytes:
    """Read up to `most` bytes. The file may hold more or less than its size says."""
    data = b""
    while len(data) < most and (more := os.read(file, min(max(size, _CHUNK), most - len(data)))):
        data += more
    return data


def read_inside(root: Path, path: str, *, most: int | None = None) -> Content:
    place = place_of(path)
    with folder(root, place.folders) as at:
        return read_at(at, place.name, most=most)


def content_of(root: Path, path: str, *, most: int | None = None) -> Content | None:
    """Return the content of a readable regular file, else None."""
    try:
        return read_inside(root, path, most=most)
    except OSError:
        return None
