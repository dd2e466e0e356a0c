"""`reviewloop` in a process of its own, with an agent that has begun to work."""

from __future__ import annotations

import subprocess
import time

from project import PYTHON, Project

WAIT_FOR_GO = (
    'touch "$TOLD/at-work"; i=0; while [ ! -e "$TOLD/go" ] && [ $i -lt 400 ]; do sleep 0.05; i=$((i+1)); done\n'
)
"""An agent that says it is at work, and goes on when the test says so."""


def at_work(project: Project, *command: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [PYTHON, "-m", "reviewloop", *command, "-q"],
        cwd=project.root,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 30
    while not (project.told / "at-work").exists():
        assert time.monotonic() < deadline, "no agent ever began"
        time.sleep(0.05)
    return process


def go(project: Project) -> None:
    (project.told / "go").touch()
