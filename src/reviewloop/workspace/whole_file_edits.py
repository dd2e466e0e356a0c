"""Writes whole files for authors that cannot edit files themselves."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from reviewloop.errors import WorkspaceError
from reviewloop.workspace.reserved_names import never_copied, said
from reviewloop.workspace.safe_folders import NotRegular, folder, place_of, read_at

_BOM = b"\xef\xbb\xbf"
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC


def write_edits(directory: Path, edits: Mapping[str, str | None]) -> frozenset[str]:
    """Write each text to its path; None deletes the file. Returns the paths that were refused."""
    refused: set[str] = set()
    for path, text in edits.items():
        if not may_write(path):
            refused.add(path)
            continue
        try:
            _write(directory, path.removeprefix("./"), text)
        except (NotADirectoryError, IsADirectoryError, NotRegular):
            refused.add(path)
        except OSError as error:
            raise WorkspaceError(
                f"{said(path)} could not be written: {error.strerror}", hint="check the disk"
            ) from error
    return frozenset(refused)


def encode_like(existing: bytes | None, text: str) -> bytes:
    """Encode the text with the existing file's byte order mark and line endings.

    An author sees the text without the mark, and rarely writes carriage returns.
    """
    if existing and "\r" not in text and _only_crlf(existing):
        text = text.replace("\n", "\r\n")
    mark = _BOM if existing and existing.startswith(_BOM) and not text.startswith("\ufeff") else b""
    return mark + text.encode("utf-8", "surrogatepass")


def _only_crlf(data: bytes) -> bool:
    return 0 < data.count(b"\r\n") == data.count(b"\n")


def may_write(path: str) -> bool:
    try:
        place_of(path.removeprefix("./"))
    except WorkspaceError:
        return False
    return not never_copied(path)


def _write(directory: Path, path: str, text: str | None) -> None:
    place = place_of(path)
    if text is None:
        with suppress(FileNotFoundError), folder(directory, place.folders) as at:
            os.unlink(place.name, dir_fd=at)
        return
    with folder(directory, place.folders, create=True) as at:
        try:
            existing = read_at(at, place.name).data
        except FileNotFoundError:
            existing = None
        with open(os.open(place.name, _WRITE, 0o600, dir_fd=at), "wb") as file:  # noqa: PTH123 - pathlib has no dir_fd
            file.write(encode_like(existing, text))
