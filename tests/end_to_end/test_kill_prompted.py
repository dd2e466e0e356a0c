"""The same for agents that only get prompts and never touch a file."""

from __future__ import annotations

import json
from typing import Any

import pytest
from killing import killed_at, run_to_the_end

from kill_points import points
from project import SPEC, Project, failing, passing
from reviewloop.errors import ExitCode

ISSUES = ("Nobody says who may export", "There is no limit on the file size")
DELAY = 0.05
APPENDS = 11
POINTS = points(APPENDS, "review:1", "author:1", "review:2", "author:2", "review:3", sample=2)


def fixed(times: int) -> str:
    return SPEC + "".join(f"\nFix {number}.\n" for number in range(1, times + 1))


def prepare(project: Project) -> None:
    entries = [
        {"role": "review", "text": failing(*ISSUES)},
        {"role": "review", "text": failing(*ISSUES[1:])},
        {"role": "review", "text": passing()},
        {"role": "author", "text": "Done.", "edits": {"spec.md": fixed(1)}},
        {"role": "author", "text": "Done.", "edits": {"spec.md": fixed(2)}},
    ]
    project.write("answers.json", json.dumps([{**entry, "delay": DELAY} for entry in entries]))
    agent = "{kind: replay, transcript: answers.json}"
    project.write("reviewloop.yml", f"agents: {{r: {agent}, a: {agent}}}\nreview: {{reviewer: r, author: a}}\n")


def state(project: Project) -> tuple[Any, ...]:
    session = project.cli("status", "spec", "--json").session
    verdicts = [one["result"]["verdict"] for one in session["iterations"]]
    return session["outcome"], verdicts, project.read("spec.md")


EXPECTED = ("passed", ["needs_revision", "needs_revision", "pass"], fixed(2))


@pytest.mark.slow
def test_the_undisturbed_run(project: Project):
    prepare(project)
    run_to_the_end(project, APPENDS, "run", "spec.md")
    assert state(project) == EXPECTED


@pytest.mark.slow
@pytest.mark.parametrize("point", POINTS)
def test_kill_and_resume(project: Project, point: str):
    prepare(project)
    with killed_at(point, project, "run", "spec.md"):
        go_on = "run" if point == "before:1" else "resume"
        assert ExitCode.PASSED == project.cli(go_on, "spec.md" if go_on == "run" else "spec").exit_code
    assert state(project) == EXPECTED
