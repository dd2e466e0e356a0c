"""The current content of an agent's directory."""

from __future__ import annotations

import os
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path

from reviewloop.workspace.reserved_names import NOT_ENTERED, never_copied_name


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectoryState:
    """Files and links by path. `odd` is everything else, `closed` are the folders that cannot be read."""

    files: dict[str, os.stat_result] = field(default_factory=dict[str, os.stat_result])
    links: dict[str, os.stat_result] = field(default_factory=dict[str, os.stat_result])
    odd: set[str] = field(default_factory=set[str])
    closed: set[str] = field(default_factory=set[str])


def scan(directory: Path, known_folders: AbstractSet[str]) -> DirectoryState:
    """Walk the directory without following links.

    A new folder whose name is never copied, or that programs fill, counts as one odd entry and is not entered.
    """
    state = DirectoryState()
    waiting = [""]
    while waiting:
        prefix = waiting.pop()
        try:
            with os.scandir(f"{directory}/{prefix}") as entries:
                for entry in entries:
                    path = prefix + entry.name
                    if entry.is_symlink():
                        state.links[path] = entry.stat(follow_symlinks=False)
                    elif entry.is_file(follow_symlinks=False):
                        state.files[path] = entry.stat(follow_symlinks=False)
                    elif not entry.is_dir(follow_symlinks=False):
                        state.odd.add(path)
                    elif path not in known_folders and (entry.name in NOT_ENTERED or never_copied_name(entry.name)):
                        state.odd.add(path + "/")
                    else:
                        waiting.append(path + "/")
        except OSError:
            state.closed.add(prefix or "./")
    return state
