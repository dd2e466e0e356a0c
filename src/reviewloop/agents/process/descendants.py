"""Finds every process that an agent started, wherever it went, and ends them all.

Processes inherit a mark in their environment, also into a session of their own and after their parents are gone. One
that wiped its environment is still found by its group, its session or its parent.

Run by itself, without the package, this file is the guard of one run:

    python -I -S descendants.py MARK

It waits until its standard input closes, which happens when Reviewloop is gone, however that came about, and then
ends what is left. What it read until then is the id of the process that leads the run.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

VARIABLE = "REVIEWLOOP_RUN"
_PROC = Path("/proc")
# Stopped processes start nothing, so each round finds fewer; only a fork bomb would need more.
_ROUNDS = 50
_PATIENCE = 0.5


class Process(NamedTuple):
    """What the kernel says about a process that still runs."""

    pid: int
    parent: int
    group: int
    session: int
    started: int


def find(mark: str, leader: int) -> set[int]:
    """The processes of a run: its leader, its group and session, all that carry its mark, and their children."""
    if not _PROC.is_dir():
        return {leader} if _group_lives(leader) else set()
    born = _process(os.getpid())
    # What was there before this process did not come from it, and there is much of that on most machines.
    running = [one for one in map(_process, _pids()) if one and born and one.started >= born.started]
    found = {one.pid for one in running if leader in (one.group, one.session) or _carries(one.pid, mark)}
    while children := {one.pid for one in running if one.parent in found} - found:
        found |= children
    return found - {os.getpid()}


def ask_to_end(mark: str, leader: int) -> bool:
    """Send SIGTERM to all of them; False if there are none."""
    found = find(mark, leader)
    _signal(found, leader, signal.SIGTERM)
    return bool(found)


def end(mark: str, leader: int) -> None:
    """Send SIGKILL to all of them, after stopping them so that none can start another meanwhile."""
    found: set[int] = set()
    for _ in range(_ROUNDS):
        fresh = find(mark, leader) - found
        if not fresh:
            break
        _signal(fresh, leader, signal.SIGSTOP)
        found |= fresh
    _signal(found, leader, signal.SIGKILL)
    # The kernel takes a moment; one that hangs in the kernel would take for ever.
    until = time.monotonic() + _PATIENCE
    while any(map(_process, found)) and time.monotonic() < until:
        time.sleep(0.001)


def _signal(pids: Iterable[int], leader: int, number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
    if not _PROC.is_dir():
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, number)


def _pids() -> list[int]:
    return [int(entry.name) for entry in _PROC.iterdir() if entry.name.isdigit()]


def _process(pid: int) -> Process | None:
    try:
        status = (_PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return None  # it ended meanwhile
    # The second field is the program's name in brackets, and may hold anything.
    fields = status[status.rindex(b")") + 2 :].split()
    if fields[0] in (b"Z", b"X"):
        return None
    parent, group, session, started = (int(fields[place]) for place in (1, 2, 3, 19))
    return Process(pid=pid, parent=parent, group=group, session=session, started=started)


def _carries(pid: int, mark: str) -> bool:
    try:
        return f"{VARIABLE}={mark}".encode() in (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return False  # it ended meanwhile, or belongs to somebody else


def _group_lives(leader: int) -> bool:
    try:
        os.killpg(leader, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


if __name__ == "__main__":
    end(sys.argv[1], int(sys.stdin.read() or -1))
