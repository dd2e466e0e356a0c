"""Runs that are killed at a chosen point, and what has to hold when somebody goes on with them."""

from __future__ import annotations

import signal
import subprocess
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from project import PYTHON, Project

DYING = Path(__file__).with_name("dying.py")
ROLES = {"spec.review.answered": "review", "spec.review.authored": "author"}

NOTE_THE_CALL = 'echo "$REVIEWLOOP_SESSION $REVIEWLOOP_ROLE $REVIEWLOOP_ITERATION" >> "$TOLD/paid"'
"""The last line of an agent's script: what it was paid for is done."""

HANG_UNTIL_KILLED = '[ -e "$TOLD/killed" ] || sleep 60'


def points(appends: int, *calls: str, start: int = 1) -> list[str]:
    """Right before and right after every append, from the first on, and in the middle of these calls."""
    sides = [f"{side}:{number}" for number in range(start, appends + 1) for side in ("before", "after")]
    return [*sides, *(f"call:{call}" for call in calls)]


def run_to_the_end(project: Project, appends: int, *work: str) -> None:
    """Nobody kills it. `appends` is how often it writes, so that the tests know every point to kill it at."""
    done = _run_until("never", project, *work)
    assert (0, f"{appends}\n") == (done.returncode, done.stdout), done.stderr


@contextmanager
def killed_at(point: str, project: Project, *work: str) -> Generator[None]:
    """Work that dies at a point; in the block somebody goes on with it. No call that was over is made again."""
    killed = _run_until(point, project, *work)
    assert -signal.SIGKILL == killed.returncode, killed.stderr
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


def _run_until(point: str, project: Project, *work: str) -> subprocess.CompletedProcess[str]:
    command = [PYTHON, str(DYING), point, *work]
    return subprocess.run(command, cwd=project.root, capture_output=True, text=True, timeout=60, check=False)


def _calls_on_record(project: Project) -> Counter[str]:
    """Calls whose answer is on record, as the agents call them."""
    found = [event for event in project.events() if event["type"] in ROLES]
    return Counter(f"{one['session']} {ROLES[one['type']]} {one['payload']['iteration']}" for one in found)


def _calls_made(project: Project) -> Counter[str]:
    paid = project.told / "paid"
    return Counter(paid.read_text().splitlines() if paid.exists() else [])
