"""After `kill -9` at any point of a feature, `run` and `resume` go on, come to the same end, and pay for nothing twice."""

from __future__ import annotations

import signal
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from test_feature import PRD, TASKS, WRITE
from test_feature import prepare as prepare_feature

from project import PYTHON, Project, failing, passing
from reviewloop.errors import ExitCode

DYING = Path(__file__).with_name("dying_feature.py")
APPENDS = 14
"""How often an undisturbed run writes; a test below keeps it true."""

POINTS = [f"{when}:{number}" for number in range(1, APPENDS + 1) for when in ("before", "after")]
POINTS += ["call:author:0", "call:author:1", "call:review:1", "call:review:2"]
DONE = 'echo "$REVIEWLOOP_KIND $REVIEWLOOP_ROLE $REVIEWLOOP_ITERATION" >> "$TOLD/made"'


def prepare(project: Project) -> None:
    """Specs that are reviewed twice, and tasks that pass at once."""
    prepare_feature(project, failing("no limit is given"), passing(), author=f"sleep 0.05\n{WRITE}{DONE}")
    case = f'case "$REVIEWLOOP_KIND $REVIEWLOOP_ITERATION" in "spec 1") M=0;; *) M=1;; esac; sleep 0.05; {DONE}'
    project.agent("reviewer", f'{case}; cat "{project.tools}/reviewer-answer-$M"')


def run_until(project: Project, point: str) -> subprocess.CompletedProcess[str]:
    command = [PYTHON, str(DYING), point]
    return subprocess.run(command, cwd=project.root, capture_output=True, text=True, timeout=60, check=False)


def on_record(project: Project) -> Counter[str]:
    """Calls whose answer is on record, as the agents call them."""
    roles = {"spec.review.answered": "review", "spec.review.authored": "author"}
    found = [event for event in project.events() if event["type"] in roles]
    kinds = {False: "spec", True: "tasks"}
    return Counter(
        f"{kinds[one['session'].startswith('export-tasks')]} {roles[one['type']]} {one['payload']['iteration']}"
        for one in found
    )


def made(project: Project) -> Counter[str]:
    calls = project.told / "made"
    return Counter(calls.read_text().splitlines() if calls.exists() else [])


def check_the_end(project: Project) -> None:
    assert project.read("specs/export/spec.md").endswith("FR-2.\nFix 1.\n")
    assert TASKS == project.read("specs/export/tasks.md")
    prd = project.read("docs/prd/export.md")
    assert "\nfeature_status: specs_committed\n" in prd
    assert PRD.partition("---\n\n")[2] == prd.partition("---\n\n")[2]


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
    recorded, already_made = on_record(project), made(project)
    go_on = (
        ["resume", "export"]
        if project.events() and point.startswith("before")
        else ["run", "--prd", "docs/prd/export.md"]
    )
    assert ExitCode.PASSED == project.cli(*go_on, "-q").exit_code
    check_the_end(project)
    assert max(on_record(project).values()) == 1
    assert not set(made(project) - already_made) & set(recorded), "a completed call was made again"
