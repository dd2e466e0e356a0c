"""Reviewloop's own folder in a project: git ignores it, and only its owner can read it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

FOLDER = ".reviewloop"

IGNORED = """\
# Reviewloop's own files. Git ignores them, this file included, except what a team may share:
*
!config.yml
!baseline.json
!memory/
!memory/**
"""

_UNSHARED = """\
# Delete this file to share what reviewers have learned with your team. Reviewloop does not write it again.
*
"""

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW


def make_folders(folder: Path) -> None:
    """Make a folder and those above it. Reviewloop's own one among them is private, and git ignores it."""
    own = next((part for part in (folder, *folder.parents) if part.name == FOLDER), None)
    if own is not None:
        _make_own(own)
    folder.mkdir(parents=True, exist_ok=True)


def make_memory_folder(folder: Path) -> None:
    """Make the memory's folder inside our own. A new one stays out of git until somebody decides to share it."""
    if not folder.is_dir():
        make_folders(folder)
        _write_new(folder / ".gitignore", _UNSHARED)


def make_database(path: Path) -> None:
    """Make a database's folder and its empty file, which only its owner can read; SQLite's other files follow suit.

    A file outside our folder that is there already keeps its permissions: a team may share a ledger on purpose.
    """
    make_folders(path.parent)
    with suppress(OSError):  # SQLite says what is wrong, in the words that users of the ledger know
        if not path.exists():
            os.close(os.open(path, _FLAGS, 0o600))
        elif path.parent.name == FOLDER:
            for file in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))):
                _close_to_others(file)


def _make_own(folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    if folder.is_symlink():  # somebody keeps it elsewhere, under rules of their own
        return
    _close_to_others(folder)
    _write_new(folder / ".gitignore", IGNORED)


def _close_to_others(path: Path) -> None:
    """Take away what others may do; never give the owner more."""
    with suppress(OSError):  # it is gone, or somebody else's
        mode = path.stat().st_mode & 0o7777
        if mode & 0o077:
            path.chmod(mode & 0o700)


def _write_new(path: Path, text: str) -> None:
    with suppress(OSError), os.fdopen(os.open(path, _FLAGS, 0o644), "w", encoding="utf-8") as file:
        file.write(text)
