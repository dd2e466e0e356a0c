"""Replaces a file of the user's tree so that it is always entirely old or entirely new."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from reviewloop.core.types.artifact import digest_of
from reviewloop.core.types.calls import FileChange
from reviewloop.temporary import file_name
from reviewloop.workspace.safe_folders import Content, NotRegular, folder, place_of, read_at

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_HARD_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """A change whose new content is written beside its target. A deletion has no content."""

    change: FileChange
    temporary: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """A change that is now in the tree, and the previous content."""

    change: FileChange
    was: Content | None


class ChangedMeanwhile(Exception):
    """The file has neither the old nor the new content: the user or another program changed it."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


def current(root: Path, path: str) -> Content | None:
    """Return the current content, or None. Raises `ChangedMeanwhile` if it is no regular file or is behind a link."""
    place = place_of(path)
    try:
        with folder(root, place.folders) as at:
            return read_at(at, place.name)
    except FileNotFoundError:
        return None
    except (NotADirectoryError, NotRegular) as error:
        raise ChangedMeanwhile(path) from error


def is_done(root: Path, change: FileChange) -> bool:
    content = current(root, change.path)
    if content is None or change.after is None:
        return content is None and change.after is None
    if change.mode_after is not None and change.mode_after != content.mode:
        return False
    return (digest_of(content.data), content.executable) == (change.after, change.executable)


def stage(root: Path, change: FileChange, data: bytes | None, *, like: os.stat_result | None = None) -> Staged:
    """Write the new content beside its target and force it to disk. The target itself is not touched."""
    if change.after is None or data is None:
        return Staged(change=change, temporary=None)
    place = place_of(change.path)
    with folder(root, place.folders, create=change.before is None) as at:
        with suppress(FileNotFoundError):
            like = os.stat(place.name, dir_fd=at, follow_symlinks=False)
        temporary = file_name()
        file = open(os.open(temporary, _NEW, 0o777 if change.executable else 0o666, dir_fd=at), "wb")  # noqa: PTH123, SIM115
        try:
            with file:
                if like:
                    _copy_permissions(file.fileno(), like, executable=change.executable)
                if change.mode_after is not None:
                    os.fchmod(file.fileno(), change.mode_after)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        except OSError:
            os.unlink(temporary, dir_fd=at)
            raise
    return Staged(change=change, temporary=temporary)


def move(root: Path, staged: Staged) -> Moved:
    """Replace the old content with the new. Raises `ChangedMeanwhile` if the old content has changed."""
    change = staged.change
    place = place_of(change.path)
    try:
        with folder(root, place.folders) as at:
            was = _expected(at, place.name, change)
            _check_untouched(at, place.name, was, change)
            # An edit that is saved in the microseconds between the check above and the call below is overwritten: no
            # file system can replace a file only if its content is unchanged. The folder cannot be swapped for a link,
            # because it is open. A new file cannot be overwritten, because a hard link never replaces a file.
            if staged.temporary is None:
                os.unlink(place.name, dir_fd=at)
            elif was is None:
                _create(at, staged.temporary, place.name)
            else:
                os.replace(staged.temporary, place.name, src_dir_fd=at, dst_dir_fd=at)
            os.fsync(at)
    except (FileNotFoundError, FileExistsError, NotADirectoryError, NotRegular) as error:
        raise ChangedMeanwhile(change.path) from error
    return Moved(change=change, was=was)


def drop(root: Path, staged: Staged) -> None:
    """Remove a staged file that is not needed. If that fails, the next run finds it by its name."""
    if staged.temporary:
        place = place_of(staged.change.path)
        with suppress(OSError), folder(root, place.folders) as at:
            os.unlink(staged.temporary, dir_fd=at)


def _expected(at: int, name: str, change: FileChange) -> Content | None:
    try:
        content = read_at(at, name)
    except FileNotFoundError:
        content = None
    if (digest_of(content.data) if content else None) not in (change.before, change.after):
        raise ChangedMeanwhile(change.path)
    return content


def _check_untouched(at: int, name: str, was: Content | None, change: FileChange) -> None:
    """Check that the file was not saved while it was read and hashed: that changes its times or its inode."""
    if was and _signature(was.status) != _signature(os.stat(name, dir_fd=at, follow_symlinks=False)):
        raise ChangedMeanwhile(change.path)


def _signature(status: os.stat_result) -> tuple[int, ...]:
    return (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _create(at: int, temporary: str, name: str) -> None:
    try:
        os.link(temporary, name, src_dir_fd=at, dst_dir_fd=at, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        os.rename(temporary, name, src_dir_fd=at, dst_dir_fd=at)


def _copy_permissions(file: int, like: os.stat_result, *, executable: bool) -> None:
    """Give the new file the old file's owner and permissions. Only the executable bit comes from the author."""
    mode = stat.S_IMODE(like.st_mode) & 0o777
    if executable != bool(mode & stat.S_IXUSR):
        mode = mode | (mode & 0o444) >> 2 if executable else mode & ~0o111
    own = os.fstat(file)
    if (like.st_uid, like.st_gid) != (own.st_uid, own.st_gid):
        with suppress(PermissionError):
            os.fchown(file, like.st_uid, like.st_gid)
    os.fchmod(file, mode)
