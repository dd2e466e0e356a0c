"""Runs that are killed at a chosen point, and what has to hold when somebody goes on with them."""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from project import PYTHON, Project

DYING = Path(__file__).with_name("dying.py")
ROLES = {"spec.review.answered": "review", "spec.review.authored": "author"}

NOTE_THE_CALL = 'echo "$REVIEWLOOP_SESSION $REVIEWLOOP_ROLE $REVIEWLOOP_ITERATION" >> "$TOLD/paid"'
"""The last line of an agent's script: what it was paid for is done."""

HANG_UNTIL_KILLED = '[ -e "$TOLD/killed" ] || sleep 60'


def run_to_the_end(project: Project, appends: int, *command: str) -> None:
    """Nobody kills it. `appends` is how often it writes, so that the tests know every point to kill it at."""
    code, output = _run_until("never", project, *command)
    assert (0, str(appends)) == (code, output.splitlines()[-1]), output


@contextmanager
def killed_at(point: str, project: Project, *command: str) -> Generator[None]:
    """A command that dies at a point; in the block the user goes on with it. No call that was over is made again."""
    code, output = _run_until(point, project, *command)
    assert -signal.SIGKILL == code, output
    over, made = _calls_on_record(project), _calls_made(project)
    yield
    assert {1} == set(_calls_on_record(project).values())
    assert not set(_calls_made(project) - made) & set(over), "a call that was over was made again"


def kill_while_asking(agent: str, project: Project) -> None:
    """`reviewloop run spec.md`, killed while an agent is asked that hangs until then."""
    command = [PYTHON, "-m", "reviewloop", "run", "spec.md"]
    with subprocess.Popen(
        command, cwd=project.root, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stderr
        asked = any(f"asking {agent}" in line for line in run.stderr)
        run.kill()
    assert asked, f"{agent} was never asked"
    (project.told / "killed").touch()


def _run_until(point: str, project: Project, *command: str) -> tuple[int, str]:
    """`reviewloop` with these arguments, in a process of its own: how it ended, and its output."""
    output = project.told / "output"
    request = {"point": point, "arguments": command, "directory": str(project.root), "output": str(output)}
    parent = _warm_parent()
    assert parent.stdin
    assert parent.stdout
    print(json.dumps({**request, "environment": dict(os.environ)}), file=parent.stdin, flush=True)
    return int(parent.stdout.readline()), output.read_text()


@cache
def _warm_parent() -> subprocess.Popen[str]:
    """One for all tests of this process: loading Reviewloop takes longer than most of what is killed."""
    parent = subprocess.Popen([PYTHON, str(DYING)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(parent.communicate)  # it ends with its input
    return parent


def _calls_on_record(project: Project) -> Counter[str]:
    """Calls whose answer is on record, as the agents call them."""
    found = [event for event in project.events() if event["type"] in ROLES]
    return Counter(f"{one['session']} {ROLES[one['type']]} {one['payload']['iteration']}" for one in found)


def _calls_made(project: Project) -> Counter[str]:
    paid = project.told / "paid"
    return Counter(paid.read_text().splitlines() if paid.exists() else [])
