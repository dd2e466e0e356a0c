"""Finds and ends every process that an agent started, including detached ones.

Processes inherit a mark in their environment, even if they start a session of their own or lose their parent. A
process that cleared its environment is found by its group, its session or its parent.

A guard, a process of its own, watches over each run (`guard_command`). It reads the id of the run's first process from
standard input. When that closes, Reviewloop has ended or was killed, and the guard kills the processes that are left.
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
# Stopped processes start no others, so each round finds fewer. Only a fork bomb would need more rounds.
_ROUNDS = 50
_KILL_SECONDS = 0.5
_GUARD = """
import sys
leader = sys.stdin.read()
sys.path.append(sys.argv[1])
import descendants
descendants.kill(sys.argv[2], int(leader or -1))
"""


class Process(NamedTuple):
    """A running process."""

    pid: int
    parent: int
    group: int
    session: int
    started: int


def guard_command(mark: str) -> list[str]:
    """Return the command line of a run's guard. It imports this file when it needs it: until then, it costs little."""
    return [sys.executable, "-I", "-S", "-c", _GUARD, os.path.dirname(__file__), mark]  # noqa: PTH120


def find(mark: str, leader: int) -> set[int]:
    """Return the processes of a run: its leader, its group and session, all with its mark, and their children."""
    if not _PROC.is_dir():
        return {leader} if _group_exists(leader) else set()
    own = _process(os.getpid())
    # Processes that are older than this one are not its descendants. Skipping them saves most of the work.
    running = [process for process in map(_process, _pids()) if process and own and process.started >= own.started]
    found = {process.pid for process in running if _belongs(process, leader, mark)}
    while children := {process.pid for process in running if process.parent in found} - found:
        found |= children
    return found - {os.getpid()}


def terminate(mark: str, leader: int) -> bool:
    """Send SIGTERM to the processes of a run. Returns False if there are none."""
    found = find(mark, leader)
    _signal(found, leader, signal.SIGTERM)
    return bool(found)


def kill(mark: str, leader: int) -> None:
    """Send SIGKILL to the processes of a run. They are stopped first, so that they cannot start others."""
    found: set[int] = set()
    for _ in range(_ROUNDS):
        fresh = find(mark, leader) - found
        if not fresh:
            break
        _signal(fresh, leader, signal.SIGSTOP)
        found |= fresh
    _signal(found, leader, signal.SIGKILL)
    # The kernel needs a moment. A process that hangs in the kernel would never end, so the wait is limited.
    until = time.monotonic() + _KILL_SECONDS
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
        status = _read(pid, "stat")
    except OSError:
        return None  # the process has ended
    # The second field is the program's name in parentheses, which may contain any character.
    fields = status[status.rindex(b")") + 2 :].split()
    if fields[0] in (b"Z", b"X"):
        return None
    parent, group, session, started = (int(fields[place]) for place in (1, 2, 3, 19))
    return Process(pid=pid, parent=parent, group=group, session=session, started=started)


def _read(pid: int, name: str) -> bytes:
    with open(f"/proc/{pid}/{name}", "rb") as file:  # noqa: PTH123 - called for every process
        return file.read()


def _belongs(process: Process, leader: int, mark: str) -> bool:
    if leader in (process.group, process.session):
        return True
    try:
        return f"{VARIABLE}={mark}".encode() in _read(process.pid, "environ").split(b"\0")
    except OSError:
        return False  # the process has ended, or belongs to another user


def _group_exists(leader: int) -> bool:
    try:
        os.killpg(leader, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True
