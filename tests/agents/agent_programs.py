"""Small programs that play agents, and a look at what became of their processes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 30.0
_MODULES = ("os", "signal", "subprocess", "sys", "time")


def python(tmp_path: Path, source: str) -> list[str]:
    """A program of Python source. It starts fast: it skips the site packages, and imports what the source names."""
    used = [name for name in _MODULES if f"{name}." in source]
    return _program(tmp_path, "\n".join((f"#!{sys.executable} -IS", *(f"import {name}" for name in used), source, "")))


def shell(tmp_path: Path, source: str) -> list[str]:
    return _program(tmp_path, f"#!/bin/sh\n{source}\n")


def _program(tmp_path: Path, text: str) -> list[str]:
    directory = tmp_path / "programs"
    directory.mkdir(exist_ok=True)
    file = directory / f"program{len(list(directory.iterdir()))}"
    file.write_text(text)
    file.chmod(0o755)
    return [str(file)]


def lives(pid: int) -> bool:
    """Whether a process still runs; one that only waits to be collected does not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status[status.rindex(")") + 2] not in "ZX"


def pid_in(file: Path) -> int:
    """The process id that a program writes into a file, as soon as it is there."""
    eventually(lambda: file.exists() and file.read_text().endswith("\n"))
    return int(file.read_text())


def eventually(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.01)
