"""A task's overlay with several reviewers: merged and decided as a panel, its exit conditions have the last word."""

from __future__ import annotations

import json
from typing import Any

import pytest

from project import Project
from reviewloop.errors import ExitCode

pytestmark = pytest.mark.slow

NIT = {"severity": "minor", "section": "Auth", "description": "The title could be longer", "category": "style"}
BOOM = {
    "severity": "critical",
    "section": "Auth",
    "description": "Anybody may log in as anybody",
    "category": "security",
}
ALSO = {"severity": "critical", "section": "Auth", "description": "Everybody can log in as anybody else", "category": "security"}  # fmt: skip
GAP = {"severity": "important", "section": "Auth", "description": "No error is described", "category": "missing"}
WRITE = 'mkdir -p docs; if [ "$REVIEWLOOP_ITERATION" = 0 ]; then printf "# Auth\\n\\nAnyone logs in.\\n" > docs/auth.md; else echo "Fix $REVIEWLOOP_ITERATION." >> docs/auth.md; fi'
LOG = ".ai-sdd/state/review-logs/implement.json"


def says(*findings: dict[str, Any]) -> str:
    serious = any(one["severity"] in ("critical", "important") for one in findings)
    return json.dumps({"verdict": "fail" if serious else "pass", "findings": list(findings)})


def prepare(project: Project, first: str, then: str = "", *, overlay: str = "", other: str = "", **review: Any) -> None:
    """`first` is what both models say in the first iteration, or the stronger one if `other` is the weaker one's."""
    project.agent("dev", WRITE)
    for name in ("small", "large"):
        (project.tools / f"{name}-1").write_text(other if name == "small" and other else first)
        (project.tools / f"{name}-2").write_text(then or first)
        project.agent(name, f'I=$REVIEWLOOP_ITERATION; [ $I -gt 2 ] && I=2; cat "{project.tools}/{name}-$I"')
    text = f"""\
tasks:
  implement:
    agent: dev
    prompt: Describe the auth flow.
    outputs: docs/auth.md
    acceptance_criteria: [Every error has a code]
    overlays: {{agentic_review: {{enabled: true, reviewer_agents: [small, large]{overlay}}}}}
"""
    project.configure(text, **review)


def work(project: Project) -> tuple[int, dict[str, Any]]:
    result = project.cli("work", "--json")
    assert result.stdout, result.stderr
    session = json.loads(project.cli("status", "implement", "--json").stdout)
    return result.exit_code, session


def test_both_stages_of_every_reviewer_are_asked_and_told_about_the_task(project: Project):
    project.write("constitution.md", "# P\n\n## Standards\n\nNames are whole words.\n")
    prepare(project, says(), auto_approve=True)
    code, session = work(project)
    assert (ExitCode.PASSED, "passed", "panel", 1.0) == (
        code, session["outcome"], session["profile"], session["confidence"],
    )  # fmt: skip
    told = [*project.prompts("small"), *project.prompts("large")]
    assert 4 == len(told)
    assert all("Every error has a code" in one and "Names are whole words." in one for one in told)
    log = json.loads(project.read(LOG))
    assert ("GO", "small, large") == (log["final_decision"], log["iterations"][0]["reviewer_agent"])


def test_what_both_find_goes_to_the_coder_who_works_on_it_again(project: Project):
    prepare(project, says(BOOM), says(), other=says(ALSO), auto_approve=True, auto_reject=True)
    code, session = work(project)
    assert (ExitCode.PASSED, ["needs_revision", "pass"]) == (
        code, [one["result"]["verdict"] for one in session["iterations"]],
    )  # fmt: skip
    assert "Anybody may log in as anybody" in project.prompts("dev")[1]
    assert "Anybody may log in as anybody" in project.prompts("large")[-1], "earlier findings reach the next review"


def test_without_flags_a_person_confirms_what_the_panel_decides(project: Project):
    prepare(project, says())
    code, session = work(project)
    assert (ExitCode.BLOCKED, "escalated", "approve") == (code, session["outcome"], session["proposal"])
    assert ExitCode.PASSED == project.cli("resume", "implement", "--accept", "-q").exit_code


def test_models_that_disagree_are_a_matter_for_a_person(project: Project):
    prepare(project, says(), other=says(BOOM), auto_approve=True, auto_reject=True)
    code, session = work(project)
    assert (ExitCode.BLOCKED, "disagreement", 0.4) == (code, session["reason"], session["confidence"])


def test_exit_conditions_that_hold_need_nobody_to_confirm(project: Project):
    prepare(project, says(NIT), overlay=', exit_conditions: ["review.decision == GO and review.confidence >= 0.8"]')
    code, session = work(project)
    assert (ExitCode.PASSED, 0.85) == (code, session["confidence"])
    assert "Approved, because the exit conditions hold" in project.cli("status", "implement").stdout


def test_exit_conditions_that_do_not_hold_send_what_the_panel_approves_back_to_the_coder(project: Project):
    prepare(project, says(NIT), says(), overlay=', exit_conditions: ["review.findings == 0"]')
    code, session = work(project)
    assert (ExitCode.PASSED, ["needs_revision", "pass"]) == (
        code, [one["result"]["verdict"] for one in session["iterations"]],
    )  # fmt: skip
    assert "the exit condition `review.findings == 0` does not hold" in project.prompts("dev")[1]


def test_exit_conditions_may_pass_what_the_panel_does_not_with_warnings_and_never_a_critical_finding(project: Project):
    prepare(project, says(GAP), overlay=', exit_conditions: ["review.findings.critical == 0"]')
    code, session = work(project)
    assert (ExitCode.PASSED, "passed_with_warnings") == (code, session["outcome"])
    assert "still open: No error is described" in session["warnings"]
    prepare(project, says(BOOM), overlay=', exit_conditions: ["review.findings < 9"]')
    result = project.cli("work", "--fresh", "implement", "--json")
    assert (ExitCode.BLOCKED, "waiting") == (result.exit_code, json.loads(result.stdout)["tasks"][0]["state"])


def test_the_panel_is_the_same_after_a_persons_answer(project: Project):
    prepare(project, says(BOOM), says(NIT), overlay=', exit_conditions: ["review.confidence >= 0.8"]')
    assert ExitCode.BLOCKED == work(project)[0]
    result = project.cli("resume", "implement", "--note", "close the hole", "--json")
    session = json.loads(result.stdout)
    assert (ExitCode.PASSED, "panel") == (result.exit_code, session["profile"]), session["because"]
    assert "close the hole" in project.prompts("dev")[1]


def test_a_tasks_rubric_is_the_quality_stages(project: Project):
    prepare(project, says(), auto_approve=True)
    config = project.read("reviewloop.yml").replace("    overlays:", "    rubric: execution\n    overlays:")
    project.write("reviewloop.yml", config)
    assert ExitCode.PASSED == work(project)[0]
    told = ["each responsibility is where the design puts it" in one for one in project.prompts("large")]
    assert [False, True] == sorted(told), "the spec stage keeps its own"
