"""After `kill -9` at any point of a workflow it goes on, comes to the same end, and pays for nothing twice."""

from __future__ import annotations

import json
import signal
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from project import PYTHON, Project
from reviewloop.errors import ExitCode

DYING = Path(__file__).with_name("dying_work.py")
APPENDS = 12
"""How often an undisturbed run writes; a test below keeps it true."""

POINTS = [f"{when}:{number}" for number in range(1, APPENDS + 1) for when in ("before", "after")]
POINTS += ["call:author:0", "call:author:1", "call:review:1", "call:review:2"]


def prepare(project: Project) -> None:
    """Two tasks: one is reviewed twice, by its change; the other depends on it and is not reviewed."""
    done = 'echo "$REVIEWLOOP_SESSION" "$REVIEWLOOP_ROLE" "$REVIEWLOOP_ITERATION" >> "$TOLD/calls"'
    say = 'if [ "$REVIEWLOOP_ITERATION" = 1 ]; then echo \'{"decision": "NO_GO", "feedback": "no errors"}\'; else echo \'{"decision": "GO", "feedback": "ok"}\'; fi'
    project.agent("dev", f'sleep 0.05; echo "version $REVIEWLOOP_ITERATION" >> code.py; {done}')
    project.agent("critic", f"sleep 0.05; {say}; {done}")
    project.configure("""\
tasks:
  build: {agent: dev, overlays: {agentic_review: {enabled: true, reviewer_agent: critic}}}
  ship: {agent: dev, outputs: code.py, depends_on: build}
""")


def run_until(project: Project, point: str) -> subprocess.CompletedProcess[str]:
    command = [PYTHON, str(DYING), point]
    return subprocess.run(command, cwd=project.root, capture_output=True, text=True, timeout=60, check=False)


def ended_calls(project: Project) -> Counter[str]:
    """Calls whose answer is on record, as the agents call them."""
    roles = {"spec.review.answered": "review", "spec.review.authored": "author"}
    found = [event for event in project.events() if event["type"] in roles]
    return Counter(f"{one['session']} {roles[one['type']]} {one['payload']['iteration']}" for one in found)


def made_calls(project: Project) -> Counter[str]:
    calls = project.told / "calls"
    return Counter(calls.read_text().splitlines() if calls.exists() else [])


def check_the_end(project: Project) -> None:
    assert "version 0\nversion 1\nversion 0\n" == project.read("code.py")
    session = json.loads(project.cli("status", "build", "--json").stdout)
    assert ["needs_revision", "pass"] == [one["result"]["verdict"] for one in session["iterations"]]


@pytest.mark.slow
def test_the_undisturbed_run(project: Project):
    prepare(project)
    done = run_until(project, "never")
    assert (0, f"{APPENDS}\n") == (done.returncode, done.stdout), done.stderr
    check_the_end(project)


@pytest.mark.slow
@pytest.mark.parametrize("point", POINTS)
def test_kill_and_go_on(project: Project, point: str):
    prepare(project)
    killed = run_until(project, point)
    assert -signal.SIGKILL == killed.returncode, killed.stderr
    on_record, already_made = ended_calls(project), made_calls(project)
    assert ExitCode.PASSED == project.cli("work", "-q").exit_code
    check_the_end(project)
    assert max(ended_calls(project).values()) == 1
    assert not set(made_calls(project) - already_made) & set(on_record), "a completed call was made again"
