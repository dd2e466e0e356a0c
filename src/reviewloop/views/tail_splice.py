"""Replacing the end of a long file: whoever reads sees the old file or the new one, and its length costs nothing.

Two files take turns. One is being read; the other, the spare, is one write behind and nobody looks at it. The spare
gets what it lacks and the new end, and then takes the other's place. So what is written is what changed since the last
but one write, however long the file is.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import BinaryIO

from reviewloop.private_files import make_folders

_CHUNK = 1 << 20


def splice(path: Path, spare: Path, *, keep: int, shared: int, end: bytes) -> None:
    """Keep the first `keep` bytes of a file and put `end` behind them.

    Args:
        path: The file that is read.
        spare: Where the other copy lies, on the same file system. It need not exist.
        keep: How much of the file stays as it is.
        shared: How many leading bytes both are known to have in common; 0 if the spare cannot be trusted.
        end: What comes after.
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
    _take_turns(path, spare)


def _take_turns(path: Path, spare: Path) -> None:
    passing = spare.with_name(f"{spare.name}.old")
    passing.unlink(missing_ok=True)
    try:
        os.link(path, passing)
    except OSError:  # the first write, or a file system without links: the next spare is made from scratch
        spare.replace(path)
    else:
        spare.replace(path)
        passing.replace(spare)


def _copy(old: BinaryIO, out: BinaryIO, size: int) -> None:
    while size > 0:
        data = old.read(min(size, _CHUNK))
        if not data:
            raise OSError("the file became shorter while it was read")
        out.write(data)
        size -= len(data)
