"""After `kill -9` at any point of a workflow it goes on, comes to the same end, and pays for nothing twice."""

from __future__ import annotations

import json

import pytest
from killing import NOTE_THE_CALL, killed_at, run_to_the_end

from kill_points import points
from project import Project, says_go
from reviewloop.errors import ExitCode

APPENDS = 12


def prepare(project: Project) -> None:
    """Two tasks: one is reviewed twice, by its change; the other depends on it and is not reviewed."""
    refused = '{"decision": "NO_GO", "feedback": "no errors"}'
    say = f"if [ \"$REVIEWLOOP_ITERATION\" = 1 ]; then echo '{refused}'; else echo '{says_go('ok')}'; fi"
    project.agent("dev", f'sleep 0.05; echo "version $REVIEWLOOP_ITERATION" >> code.py; {NOTE_THE_CALL}')
    project.agent("critic", f"sleep 0.05; {say}; {NOTE_THE_CALL}")
    project.configure("""\
tasks:
  build: {agent: dev, overlays: {agentic_review: {enabled: true, reviewer_agent: critic}}}
  ship: {agent: dev, outputs: code.py, depends_on: build}
""")


def check_the_end(project: Project) -> None:
    assert "version 0\nversion 1\nversion 0\n" == project.read("code.py")
    session = json.loads(project.cli("status", "build", "--json").stdout)
    assert ["needs_revision", "pass"] == [one["result"]["verdict"] for one in session["iterations"]]


@pytest.mark.slow
def test_the_undisturbed_run(project: Project):
    prepare(project)
    run_to_the_end(project, APPENDS, "work")
    check_the_end(project)


@pytest.mark.slow
@pytest.mark.parametrize("point", points(APPENDS, "author:0", "author:1", "review:1", "review:2", sample=3))
def test_kill_and_go_on(project: Project, point: str):
    prepare(project)
    with killed_at(point, project, "work"):
        assert ExitCode.PASSED == project.cli("work", "-q").exit_code
    check_the_end(project)
