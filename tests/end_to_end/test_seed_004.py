"""004's scenarios that belong to the loop (the workflow file is another matter), through the command line."""

from __future__ import annotations

import json

import pytest

from project import SPEC, Project, says_go
from reviewloop.errors import ExitCode

pytestmark = pytest.mark.slow

GO = says_go()
NO_GO = json.dumps({"decision": "NO_GO", "feedback": "missing error handling on auth flow"})
LOG = ".ai-sdd/state/review-logs/spec.json"


def no_go(feedback: str) -> str:
    return json.dumps({"decision": "NO_GO", "feedback": feedback})


def test_004_reviewer_issues_go(project: Project):
    project.reviewer(GO)
    project.author()
    project.configure("profile: overlay")
    result = project.run()
    assert (ExitCode.PASSED, "passed", []) == (result.exit_code, result.session["outcome"], project.prompts("author"))
    log = json.loads(project.read(LOG))
    assert ("GO", "GO", "All criteria met.") == (
        log["final_decision"], log["iterations"][0]["decision"], log["iterations"][0]["feedback"],
    )  # fmt: skip
    assert result.session["digest"] == log["iterations"][0]["digest"], "what was approved is on record"


def test_004_no_go_feedback_is_injected_into_the_coders_context(project: Project):
    project.reviewer(NO_GO, GO)
    project.author("echo 'Errors: 401 without a valid token.' >> spec.md")
    project.configure("profile: overlay")
    result = project.run()
    assert "missing error handling on auth flow" in project.prompts("author")[0]
    assert "missing error handling on auth flow" in project.prompts("reviewer")[1], "the reviewer hears its own history"
    assert (ExitCode.PASSED, f"{SPEC}Errors: 401 without a valid token.\n") == (result.exit_code, project.read())


def test_004_loop_exits_on_max_iterations_with_a_human_item(project: Project):
    project.reviewer(no_go("no error handling"), no_go("the retry has no limit"), no_go("names are inconsistent"))
    project.author("sed -i 's/streamed/piped/' spec.md; echo \"change $N\" >> spec.md")
    project.configure("profile: overlay", max_iterations=3)
    result = project.run()
    assert (ExitCode.BLOCKED, "escalated") == (result.exit_code, result.session["outcome"])
    items = list((project.root / ".ai-sdd/state/hil").glob("*.json"))
    assert 1 == len(items)
    item = json.loads(items[0].read_text())
    assert ("spec", "pending", ["NO_GO"] * 3) == (
        item["task_id"], item["status"], [one["decision"] for one in item["history"]],
    )  # fmt: skip
    assert "no error handling" == item["history"][0]["feedback"]
    listed = json.loads(project.cli("inbox", "--json").stdout)
    assert ["spec"] == [one["task_id"] for one in listed]


def test_004_a_person_decides_and_the_item_is_resolved(project: Project):
    project.reviewer(NO_GO)
    project.author()
    project.configure("profile: overlay", max_iterations=1)
    project.run()
    result = project.cli("inbox", "answer", "spec", "--accept", "--note", "ship it", "--json")
    assert (ExitCode.PASSED, "passed_with_warnings") == (result.exit_code, result.session["outcome"])
    item = json.loads(next((project.root / ".ai-sdd/state/hil").glob("*.json")).read_text())
    assert ("resolved", "accept", "ship it") == (item["status"], item["answer"], item["note"])
    assert [] == json.loads(project.cli("inbox", "--json").stdout)


def test_004_review_decisions_are_auditable(project: Project):
    project.reviewer(NO_GO, GO)
    project.author()
    project.configure("profile: overlay")
    project.run()
    log = json.loads(project.read(LOG))
    fields = {
        "task_id",
        "reviewer_agent",
        "coder_agent",
        "iteration",
        "decision",
        "feedback",
        "quality_checks",
        "timestamp",
    }
    assert all(fields <= entry.keys() for entry in log["iterations"])
    assert [(1, "NO_GO"), (2, "GO")] == [(entry["iteration"], entry["decision"]) for entry in log["iterations"]]
    assert ("spec", "agentic_review", "GO") == (log["task_id"], log["overlay"], log["final_decision"])
    lines = (project.root / LOG).with_suffix(".jsonl").read_text().splitlines()
    assert log["iterations"] == [json.loads(line) for line in lines], "the .json is rendered from the .jsonl"
    assert log["iterations"] == json.loads(project.cli("log", "spec", "--json").stdout)["iterations"]


def test_004_quality_guidelines_come_from_the_constitution(project: Project):
    project.write(
        "constitution.md",
        "# Constitution\n\n## Coding Standards\n\n- No global state.\n\n### Errors\n\nFail closed.\n\n## Other\n\nNot this.\n",
    )
    project.reviewer(GO)
    project.configure("profile: overlay")
    project.run()
    told = project.prompts("reviewer")[0]
    assert "- No global state." in told
    assert "Fail closed." in told
    assert "Not this." not in told


def test_004_a_log_that_cannot_be_written_is_a_warning(project: Project):
    project.write(".ai-sdd/state/review-logs", "a file where a folder should be")
    project.reviewer(GO)
    project.configure("profile: overlay")
    result = project.run()
    assert ExitCode.PASSED == result.exit_code
    assert "warning: the review log could not be written" in result.stderr


def test_004_a_log_that_a_crash_cut_short_is_completed(project: Project):
    project.reviewer(NO_GO, GO)
    project.author()
    project.configure("profile: overlay")
    lines = (project.root / LOG).with_suffix(".jsonl")
    lines.parent.mkdir(parents=True)
    lines.write_text('{"iteration": 1, "decisi')
    project.run()
    assert ["NO_GO", "GO"] == [entry["decision"] for entry in json.loads(project.read(LOG))["iterations"]]
