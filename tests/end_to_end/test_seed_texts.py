"""Texts of the seeds that programs read are kept word for word; people see the clearer sentence."""

from __future__ import annotations

import json
from typing import Any

import pytest

from project import Project, failing
from reviewloop.errors import ExitCode

LEAK = {"severity": "critical", "file": "docs/out.md", "line": 1, "description": "The export leaks rows"}
FAIL = json.dumps({"verdict": "fail", "findings": [LEAK]})


def panel_task(project: Project, **task: Any) -> dict[str, Any]:
    project.author('mkdir -p docs; echo "text $N" > docs/out.md')
    for name in ("small", "large"):
        project.reviewer(FAIL, name=name)
    review = "agentic_review: {enabled: true, coder_agent: author, reviewer_agents: [small, large]}"
    more = "".join(f", {key}: {json.dumps(value)}" for key, value in task.items())
    project.configure(
        f"tasks: {{write: {{agent: author, outputs: docs/out.md, overlays: {{{review}}}{more}}}}}",
        auto_reject=True, max_fix_iterations=1, static_gate="off",
    )  # fmt: skip
    assert ExitCode.BLOCKED == project.cli("work").exit_code
    (escalated,) = (event for event in project.events() if event["type"] == "spec.review.escalated")
    return escalated["payload"]


@pytest.mark.slow
@pytest.mark.parametrize(("task", "name"), [({}, "write"), ({"plan_row": 4}, "4")])
def test_003_an_escalated_panel_task_gives_the_seeds_reason(project: Project, task: dict[str, Any], name: str):
    expected = f"Task {name} failed review after 1 fix attempts. Remaining issues: docs/out.md:1: The export leaks rows"
    payload = panel_task(project, **task)
    assert (expected, "exhausted") == (payload["reason"], payload["code"])
    session = json.loads(project.cli("status", "write", "--json").stdout)
    assert expected == session["block_reason"]
    assert "still failing after 2 reviews" in project.cli("work").stdout, "people see the clearer sentence"


def test_000_a_session_that_is_exhausted_keeps_the_seeds_reason(project: Project):
    project.reviewer(failing("It is missing"))
    project.author()
    project.configure(max_iterations=1)
    session = project.run().session
    assert ("max iterations exhausted with needs_revision verdict", "blocked") == (
        session["block_reason"], session["final_verdict"],
    )  # fmt: skip
    shown = project.cli("status", "spec").stdout
    assert ("still failing after 1 review" in shown, "exhausted with" in shown) == (True, False)


def test_000_an_author_that_fails_gives_the_seeds_reason(project: Project):
    project.reviewer(failing("It is missing"))
    project.author("echo broken >&2; exit 3")
    project.configure()
    assert project.run().session["block_reason"].startswith("failed to apply feedback: ")


def test_000_an_answer_that_is_no_review_gives_the_seeds_reason(project: Project):
    project.reviewer("I have no opinion.")
    project.configure(retry_on_malformed=0)
    session = project.run().session
    assert session["block_reason"].startswith("malformed output: ")
    (malformed,) = (event for event in project.events() if event["type"] == "spec.review.malformed")
    assert "schema validation failed: root - no valid JSON found in output" == malformed["payload"]["parse_error"]


def test_003_the_two_fixed_messages_of_its_validation(project: Project):
    for key, message in (("max_fix_iterations", "max_fix_iterations must be 1-5"), ("fix_timeout_turns", "fix_timeout_turns must be 5-30")):  # fmt: skip
        project.configure(**{key: 99})
        assert f": {message}\n" in project.cli("status").stderr
