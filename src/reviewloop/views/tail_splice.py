"""Replaces the end of a long file atomically, at a cost that does not depend on the file's length.

Two copies take turns. Readers see one copy; the other, the spare, is one write behind. The spare gets the bytes that it
lacks and the new end, and then replaces the first copy. So each write covers only the changes since the write before
the last one.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import BinaryIO

from reviewloop.private_files import make_folders

_CHUNK = 1 << 20


def splice(path: Path, spare: Path, *, keep: int, shared: int, end: bytes) -> None:
    """Keep the first `keep` bytes of a file and replace the rest by `end`.

    Args:
        path: The file that readers see.
        spare: The other copy, on the same file system. It need not exist.
        keep: The number of bytes to keep.
        shared: The number of leading bytes that both copies have in common; 0 if the spare is unknown.
        end: The new bytes after the kept ones.
    """
    make_folders(path.parent)
    make_folders(spare.parent)
    shared = min(shared, keep) if spare.is_file() else 0
    with spare.open("r+b" if shared else "w+b") as out:
        out.seek(shared)
        if keep > shared:
            with path.open("rb") as old:
                old.seek(shared)
                _copy(old, out, keep - shared)
        out.write(end)
        out.truncate()
        out.flush()
        os.fsync(out.fileno())
    if path.exists():
        shutil.copymode(path, spare)
    _swap(path, spare)


def _swap(path: Path, spare: Path) -> None:
    previous = spare.with_name(f"{spare.name}.old")
    previous.unlink(missing_ok=True)
    try:
        os.link(path, previous)
    except OSError:  # the first write, or a file system without links: the next write creates a new spare
        spare.replace(path)
    else:
        spare.replace(path)
        previous.replace(spare)


def _copy(old: BinaryIO, out: BinaryIO, size: int) -> None:
    while size > 0:
        data = old.read(min(size, _CHUNK))
        if not data:
            raise OSError("the file became shorter while it was being read")
        out.write(data)
        size -= len(data)
