"""Identifies the process that holds a lease, and checks whether it still runs."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A process. `start` and `boot` are empty where the system does not report them.

    `boot` identifies one boot of one machine and, in a container, its process id namespace. If `boot` and `host` are
    equal, a pid means the same process.
    """

    pid: int
    start: str
    host: str
    boot: str

    @property
    def runs(self) -> bool | None:
        """Whether the process runs, or None if this machine cannot tell."""
        if os.name == "nt" or (self.host, self.boot) != (_host(), _boot()):
            return None
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass  # it exists, but belongs to another user
        stat = _stat(self.pid)
        if stat is None or not self.start:
            return None
        return stat.start == self.start and not stat.dead


def this_process() -> Process:
    stat = _stat(os.getpid())
    return Process(pid=os.getpid(), start=stat.start if stat else "", host=_host(), boot=_boot())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stat:
    start: str
    dead: bool


def _stat(pid: int) -> _Stat | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return None
    # The program's name, in parentheses, may contain any text. The state follows it, and 19 fields later the start.
    fields = text.rpartition(")")[2].split()
    return _Stat(start=fields[19], dead=fields[0] in "ZX")


@cache
def _host() -> str:
    return socket.gethostname()


@cache
def _boot() -> str:
    try:
        return f"{Path('/proc/sys/kernel/random/boot_id').read_text().strip()} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return ""
