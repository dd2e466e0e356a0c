"""After `kill -9` at any point the session goes on, comes to the same end, and pays for nothing twice."""

from __future__ import annotations

import json
from typing import Any

import pytest
from killing import NOTE_THE_CALL, killed_at, run_to_the_end

from kill_points import points
from project import SPEC, Project, failing, passing
from reviewloop.errors import ExitCode

APPENDS = 15
CALLS = [*(f"review:{number}" for number in range(1, 5)), *(f"author:{number}" for number in range(1, 4))]


def prepare(project: Project) -> None:
    """Four iterations, each with one finding less; the author changes two files each time."""
    (project.root / "spec.md").unlink()
    project.write("specs/a.md", SPEC)
    project.write("specs/b.md", SPEC.replace("FR-", "FR-9").replace("Export", "Import"))
    issues = ["The CSV dialect is not said", "Nobody says who may export", "There is no limit on the file size"]
    for number in range(1, 5):
        left = issues[number - 1 :]
        (project.tools / f"review-{number}").write_text(failing(*left, section="Design") if left else passing())
    project.agent("reviewer", f'sleep 0.05; cat "{project.tools}/review-$REVIEWLOOP_ITERATION"; {NOTE_THE_CALL}')
    edit = 'for f in specs/*.md; do sed -i "s/^Rows are.*/& Fix $REVIEWLOOP_ITERATION./" $f; done'
    project.agent("author", f"sleep 0.05; {edit}; {NOTE_THE_CALL}")
    project.configure(max_iterations=4)


def state(project: Project) -> dict[str, Any]:
    """What has to be the same, however often the process died."""
    session = project.cli("status", "specs", "--json").session
    return {
        "outcome": session["outcome"],
        "verdicts": [one["result"]["verdict"] for one in session["iterations"]],
        "findings": [[item["issue"] for item in one["result"]["feedback"]] for one in session["iterations"]],
        "files": [project.read("specs/a.md"), project.read("specs/b.md")],
        "log": [
            one["decision"] for one in json.loads(project.read(".reviewloop/review-logs/specs.json"))["iterations"]
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


@pytest.mark.slow
def test_the_undisturbed_run(project: Project):
    prepare(project)
    run_to_the_end(project, APPENDS, "run", "specs")
    assert state(project) == EXPECTED


@pytest.mark.slow
@pytest.mark.parametrize("point", [*points(APPENDS, *CALLS), "file:1", "file:4"])
def test_kill_and_resume(project: Project, point: str):
    prepare(project)
    with killed_at(point, project, "run", "specs"):
        go_on = "run" if point == "before:1" else "resume"
        assert ExitCode.PASSED == project.cli(go_on, "specs", "--json").exit_code
    assert state(project) == EXPECTED
