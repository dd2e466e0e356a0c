"""What lies in an agent's directory now."""

from __future__ import annotations

import os
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path

from reviewloop.workspace.reserved_names import NOT_ENTERED, never_copied_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Files and links by path; `odd` is everything else, `closed` the folders that cannot be looked into."""

    files: dict[str, os.stat_result] = field(default_factory=dict[str, os.stat_result])
    links: dict[str, os.stat_result] = field(default_factory=dict[str, os.stat_result])
    odd: set[str] = field(default_factory=set[str])
    closed: set[str] = field(default_factory=set[str])


def scan(directory: Path, known_folders: AbstractSet[str]) -> Seen:
    """Walk the directory without following links.

    A new folder with a name that no copy holds, or that programs fill, is one odd thing and is not entered.
    """
    seen = Seen()
    waiting = [""]
    while waiting:
        prefix = waiting.pop()
        try:
            with os.scandir(f"{directory}/{prefix}") as entries:
                for entry in entries:
                    path = prefix + entry.name
                    if entry.is_symlink():
                        seen.links[path] = entry.stat(follow_symlinks=False)
                    elif entry.is_file(follow_symlinks=False):
                        seen.files[path] = entry.stat(follow_symlinks=False)
                    elif not entry.is_dir(follow_symlinks=False):
                        seen.odd.add(path)
                    elif path not in known_folders and (entry.name in NOT_ENTERED or never_copied_name(entry.name)):
                        seen.odd.add(path + "/")
                    else:
                        waiting.append(path + "/")
        except OSError:
            seen.closed.add(prefix or "./")
    return seen
