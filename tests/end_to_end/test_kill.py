"""After `kill -9` at any point the session goes on, comes to the same end, and pays for nothing twice."""

from __future__ import annotations

import json
import signal
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from project import PYTHON, SPEC, Project, failing, passing
from reviewloop.errors import ExitCode

DYING = Path(__file__).with_name("dying.py")
APPENDS = 15
"""How often an undisturbed run of four iterations writes; a test below keeps it true."""

POINTS = [f"{when}:{number}" for number in range(1, APPENDS + 1) for when in ("before", "after")]
POINTS += [f"call:review:{number}" for number in range(1, 5)] + [f"call:author:{number}" for number in range(1, 4)]


def prepare(project: Project) -> None:
    """Four iterations, each with one finding less; the author changes two files each time."""
    (project.root / "spec.md").unlink()
    project.write("specs/a.md", SPEC)
    project.write("specs/b.md", SPEC.replace("FR-", "FR-9").replace("Export", "Import"))
    issues = ["The CSV dialect is not said", "Nobody says who may export", "There is no limit on the file size"]
    for number in range(1, 5):
        left = issues[number - 1 :]
        (project.tools / f"review-{number}").write_text(failing(*left, section="Design") if left else passing())
    done = 'echo "$REVIEWLOOP_ROLE $REVIEWLOOP_ITERATION" >> "$TOLD/calls"'
    project.agent("reviewer", f'sleep 0.05; cat "{project.tools}/review-$REVIEWLOOP_ITERATION"; {done}')
    edit = 'for f in specs/*.md; do sed -i "s/^Rows are.*/& Fix $REVIEWLOOP_ITERATION./" $f; done'
    project.agent("author", f"sleep 0.05; {edit}; {done}")
    project.configure(max_iterations=4)


def run_until(project: Project, point: str) -> subprocess.CompletedProcess[str]:
    command = [PYTHON, str(DYING), point]
    return subprocess.run(command, cwd=project.root, capture_output=True, text=True, timeout=60, check=False)


def state(project: Project) -> dict[str, Any]:
    """What has to be the same, however often the process died."""
    session = project.cli("status", "specs", "--json").session
    return {
        "outcome": session["outcome"],
        "verdicts": [one["result"]["verdict"] for one in session["iterations"]],
        "findings": [[item["issue"] for item in one["result"]["feedback"]] for one in session["iterations"]],
        "files": [project.read("specs/a.md"), project.read("specs/b.md")],
        "log": [
            one["decision"] for one in json.loads(project.read(".ai-sdd/state/review-logs/specs.json"))["iterations"]
        ],
    }


def expected_files() -> list[str]:
    fixed = SPEC.replace("csv.writer`.", "csv.writer`. Fix 1. Fix 2. Fix 3.")
    return [fixed, fixed.replace("FR-", "FR-9").replace("Export", "Import")]


EXPECTED = {
    "outcome": "passed",
    "verdicts": ["needs_revision"] * 3 + ["pass"],
    "findings": [
        ["The CSV dialect is not said", "Nobody says who may export", "There is no limit on the file size"],
        ["Nobody says who may export", "There is no limit on the file size"],
        ["There is no limit on the file size"],
        [],
    ],
    "files": expected_files(),
    "log": ["NO_GO", "NO_GO", "NO_GO", "GO"],
}


def ended_calls(project: Project) -> Counter[str]:
    """Calls whose answer is on record."""
    ends = ("spec.review.answered", "spec.review.authored")
    found = [event for event in project.events() if event["type"] in ends]
    roles = {"spec.review.answered": "review", "spec.review.authored": "author"}
    return Counter(f"{roles[event['type']]} {event['payload']['iteration']}" for event in found)


def made_calls(project: Project) -> Counter[str]:
    calls = project.told / "calls"
    return Counter(calls.read_text().splitlines() if calls.exists() else [])


@pytest.mark.slow
def test_the_undisturbed_run(project: Project):
    prepare(project)
    done = run_until(project, "never")
    assert (0, f"{APPENDS}\n") == (done.returncode, done.stdout), done.stderr
    assert state(project) == EXPECTED


@pytest.mark.slow
@pytest.mark.parametrize("point", POINTS)
def test_kill_and_resume(project: Project, point: str):
    prepare(project)
    killed = run_until(project, point)
    assert -signal.SIGKILL == killed.returncode, killed.stderr
    on_record = ended_calls(project)
    already_made = made_calls(project)
    if on_record or point != "before:1":
        result = project.cli("resume", "specs", "--json")
    else:
        result = project.cli("run", "specs", "--json")
    assert (ExitCode.PASSED, EXPECTED) == (result.exit_code, state(project))
    assert max(ended_calls(project).values()) == 1
    again = made_calls(project) - already_made
    assert not set(again) & set(on_record), "a completed call was made again"
