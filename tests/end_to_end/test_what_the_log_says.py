"""The review log and the human item credit nobody with what they did not say."""

from __future__ import annotations

import json
from typing import Any

import pytest

from project import SPEC, Project, failing, passing

pytestmark = pytest.mark.slow

CHECKS = ("acceptance_criteria_met", "code_standards_met", "test_coverage_adequate", "security_review_passed")
GO = json.dumps({"decision": "GO", "feedback": "All criteria met.", "quality_checks": dict.fromkeys(CHECKS, True)})
NO_GO = json.dumps({"decision": "NO_GO", "feedback": "no error is described"})
OVERLAY = "overlays: {agentic_review: {enabled: true, reviewer_agent: critic%s}}"
WRITE = 'echo "# Work $REVIEWLOOP_ITERATION" >> a.md'


def work(project: Project, *answers: str, task: str, dev: str = WRITE) -> dict[str, Any]:
    project.agent("dev", dev)
    project.reviewer(*answers, name="critic")
    project.configure(f"tasks:\n  build: {{agent: dev, {task}}}")
    project.cli("work")
    return json.loads(project.read(".ai-sdd/state/review-logs/build.json"))


def log(project: Project, name: str = "spec") -> dict[str, Any]:
    return json.loads(project.read(f".reviewloop/review-logs/{name}.json"))


def item(project: Project, folder: str = ".reviewloop/inbox") -> dict[str, Any]:
    (path,) = (project.root / folder).glob("*.json")
    return json.loads(path.read_text())


def test_a_task_that_nobody_reviewed_has_no_go(project: Project):
    found = work(project, GO, task="outputs: a.md")
    assert ([], None, None) == (found["iterations"], found["final_decision"], found["decided_by"])


def test_a_refused_go_names_the_exit_condition(project: Project):
    conditions = ", max_iterations: 1, exit_conditions: ['review.iteration >= 2']"
    found = work(project, GO, task=f"outputs: a.md, {OVERLAY % conditions}")
    (line,) = found["iterations"]
    assert ("NO_GO", "critic") == (line["decision"], line["reviewer_agent"])
    assert line["feedback"].startswith("the exit condition `review.iteration >= 2` does not hold")
    assert line["feedback"].endswith("All criteria met.")


def test_what_the_rules_decide_is_the_rules(project: Project):
    project.write("spec.md", SPEC.replace("FR-2: 10,000 rows", "FR-2: TBD 10,000 rows"))
    project.reviewer(passing())
    project.author("sed -i 's/TBD //' spec.md")
    project.configure(static_gate="important")
    project.run()
    assert [("rules", "rules", "NO_GO"), ("reviewer", "reviewer", "GO")] == [
        (line["reviewer_agent"], line["answered_by"], line["decision"]) for line in log(project)["iterations"]
    ]


def test_sending_the_same_text_back_adds_no_decision(project: Project):
    project.reviewer(failing("No limit is given", section="Design"), passing())
    project.author()
    project.configure(max_iterations=1)
    project.run()
    project.cli("resume", "spec", "--retry")
    decisions = [line["decision"] for line in log(project)["iterations"]]
    assert "NO_GO" == decisions[0]
    assert len(project.prompts("reviewer")) == len(decisions), "a decision for every review, and no other"


def test_an_accepted_failure_is_the_persons_decision(project: Project):
    project.reviewer(failing("No limit is given", section="Design"))
    project.configure()
    project.run()
    project.cli("inbox", "answer", "spec", "--accept", "--by", "Ann")
    found = log(project)
    assert (["NO_GO"], "GO", "Ann") == (
        [line["decision"] for line in found["iterations"]],
        found["final_decision"],
        found["decided_by"],
    )
    assert ("resolved", "accept", "Ann") == tuple(item(project)[key] for key in ("status", "answer", "by"))


def test_a_fallback_is_named_beside_the_one_who_was_asked(project: Project):
    project.reviewer(passing(), name="spare")
    project.agent("reviewer", "exit 7", fallback="spare")
    project.configure()
    project.run()
    (line,) = log(project)["iterations"]
    assert ("reviewer", "spare", "spare") == (line["reviewer_agent"], line["answered_by"], log(project)["decided_by"])
    assert "spare, instead of reviewer (attempt 1" in project.cli("log", "spec").stdout


def test_an_item_names_the_files_of_code(project: Project):
    work(project, NO_GO, task=OVERLAY % ", max_iterations: 1")
    assert ["a.md"] == item(project, ".ai-sdd/state/hil")["artifact"]


def test_a_log_that_is_reopened_is_no_longer_complete(project: Project):
    project.reviewer(failing("No limit is given", section="Design"), "exit")
    project.agent("reviewer", f"cat {project.root}/.reviewloop/review-logs/spec.json > $TOLD/log-$N 2>&1; cat {project.tools}/reviewer-answer-0")  # fmt: skip
    project.configure()
    project.run()
    project.write("spec.md", f"{SPEC}\nMore.\n")
    project.cli("resume", "spec", "--retry")
    seen = json.loads((project.told / "log-1").read_text())
    assert (None, None, None) == (seen["outcome"], seen["final_decision"], seen["completed_at"])


def test_names_that_differ_by_a_slash_have_logs_of_their_own(project: Project):
    project.reviewer(passing())
    project.configure()
    for name in ("a/b", "a-b"):
        assert 0 == project.cli("run", "spec.md", "--name", name).exit_code
    logs = sorted((project.root / ".reviewloop/review-logs").glob("*.json"))
    assert {"a/b", "a-b"} == {json.loads(path.read_text())["task_id"] for path in logs}
    assert "a-b.json" in [path.name for path in logs], "a name that is a file name stays as it is"


def test_the_cost_of_an_author_whose_work_is_refused_is_counted(project: Project):
    project.write("t.json", json.dumps([{"role": "author", "text": "done", "edits": {"spec.md": None}, "usage": {"input_tokens": 900, "output_tokens": 70, "cost_usd": 0.5}}]))  # fmt: skip
    project.reviewer(failing("No limit is given", section="Design"))
    project.configure()
    text = project.read("reviewloop.yml").replace("agents:", "agents:\n  writer: {kind: replay, transcript: t.json}")
    project.write("reviewloop.yml", text.replace("review:", "review:\n  author: writer\n  author_retries: 0"))
    session = project.run().session
    assert ("author_failed", 900, 70, 0.5) == (
        session["reason"],
        session["usage"]["input_tokens"],
        session["usage"]["output_tokens"],
        session["usage"]["cost_usd"],
    )


def test_a_review_that_the_rules_decide_names_no_reviewer_and_says_so(project: Project):
    project.write("spec.md", SPEC.replace("FR-2: 10,000 rows", "FR-2: TBD 10,000 rows"))
    project.reviewer(passing())
    project.configure(static_gate="important")
    report = json.loads(project.cli("review", "spec.md", "--agents", "--json").stdout)
    assert (["rules"], ["spec: 1 important rule finding; reviewers were not asked"]) == (
        report["reviewers"],
        report["warnings"],
    )


def test_a_session_that_is_started_again_leaves_no_pending_item(project: Project):
    project.reviewer(failing("No limit is given", section="Design"), passing())
    project.configure()
    project.run()
    project.cli("run", "spec.md", "--fresh")
    newest = project.cli("status", "spec", "--json").session["session"]
    assert ("resolved", newest) == (item(project)["status"], item(project)["replaced_by"])
