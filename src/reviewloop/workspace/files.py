"""Reads the files of an artifact as text, or explains why they cannot be reviewed."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from reviewloop.core.types.artifact import SourceFile
from reviewloop.errors import ArtifactError, WorkspaceError
from reviewloop.workspace.reserved_names import said, sayable
from reviewloop.workspace.safe_folders import Content, NotRegular, read_inside

_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(?:.*?\n)??(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_CLOSED = "make it readable for the user who runs this"
_INVISIBLE = "\ufeff\u200b\u2060"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The largest size of an artifact in bytes: of one file, and of all files with their upstream documents."""

    file: int = 2_000_000
    total: int = 8_000_000


class Reader:
    """Reads the files of one artifact, up to the limit on their total size."""

    def __init__(self, root: Path, limits: Limits) -> None:
        self._root = root
        self._limits = limits
        self._left = limits.total

    @property
    def is_full(self) -> bool:
        """Whether the files together are too large, so that no further file helps."""
        return self._left < 0

    def document(self, path: str) -> SourceFile:
        """Read a file that contains text to review."""
        data = opened(self._root, path, most=self._limits.file).data
        text = document_text(path, data, self._limits)
        self._left -= len(data)
        if self.is_full:
            refuse(
                path,
                f"is one too many: the files come to more than {megabytes(self._limits.total)}",
                hint="review fewer files at once",
            )
        return SourceFile(path=path, text=text)


def opened(root: Path, path: str, *, most: int) -> Content:
    try:
        return read_inside(root, path, most=most)
    except WorkspaceError as error:
        raise ArtifactError(error.message, path=path, hint=error.hint) from error
    except FileNotFoundError:
        refuse(path, "is not there", hint="check the path, and the folder you are in")
    except NotRegular:
        refuse(path, "is not a regular file", hint="name the file itself, not a folder, link or pipe in its place")
    except NotADirectoryError:
        refuse(path, "is reached through a symbolic link or a file", hint="name the file by its real path")
    except PermissionError:
        refuse(path, "cannot be read: permission denied", hint=_CLOSED)
    except OSError as error:
        refuse(path, f"cannot be read: {error.strerror}", hint="check the disk and the path")


def document_text(path: str, data: bytes, limits: Limits) -> str:
    """Decode the bytes, or raise `ArtifactError` if they cannot be reviewed."""
    if len(data) > limits.file:
        refuse(path, f"has more than {megabytes(limits.file)}", hint="split it")
    text = decoded(path, data)
    if reason := nothing_in(text):
        refuse(path, reason, hint="write it first, or review another file")
    return text


def decoded(path: str, data: bytes) -> str:
    """Decode a UTF-8 file. The byte order mark is removed, line endings are kept."""
    if (offset := data.find(b"\0")) >= 0:
        refuse(
            path, f"is binary: byte {offset} is NUL", hint="give a text file; if it is UTF-16 text, save it as UTF-8"
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        offset = error.start + (3 if data.startswith(b"\xef\xbb\xbf") else 0)
        refuse(path, f"is not UTF-8: byte {offset} is 0x{data[offset]:02x}", hint="save it as UTF-8")


def as_text(data: bytes) -> str | None:
    """Return the text of a file, or None if it is not text."""
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def nothing_in(text: str) -> str | None:
    """Return why the text contains nothing to review, or None if it does."""
    if not text:
        return "is empty"
    if not text.strip().strip(_INVISIBLE).strip():
        return "has only white space"
    if (front := _FRONT_MATTER.match(text)) and not text[front.end() :].strip():
        return "has only front matter"
    return None


def real_path(root: Path, given: Path) -> str:
    """Return the real path of a file or folder, relative to the project's real root, with forward slashes."""
    try:
        real = Path(os.path.realpath(given, strict=True))
    except FileNotFoundError:
        what = "is a symbolic link to nothing" if given.is_symlink() else "is not there"
        refuse(_shown(root, given), what, hint="check the path, and the folder you are in")
    except PermissionError:
        refuse(_shown(root, given), "cannot be read: permission denied", hint=_CLOSED)
    except OSError as error:
        # Mostly a loop of links. The system's message says what it is.
        refuse(_shown(root, given), f"cannot be followed: {error.strerror}", hint="name the file by its real path")
    if not real.is_relative_to(root):
        refuse(
            _shown(root, given),
            f"leads out of the project, to {real}" if given.is_symlink() else f"lies outside the project {root}",
            hint="move it into the project, or start from the folder that holds both",
        )
    path = real.relative_to(root).as_posix()
    if not sayable(path):
        refuse(_shown(root, given), "has a name that is not UTF-8", hint="rename it")
    return path


def _shown(root: Path, given: Path) -> str:
    return said((given.relative_to(root) if given.is_relative_to(root) else given).as_posix())


def refuse(path: str, what: str, *, hint: str) -> NoReturn:
    raise ArtifactError(f"{path} {what}", path=path, hint=hint)


def megabytes(size: int) -> str:
    return f"{size / 1_000_000:.3g} MB"
