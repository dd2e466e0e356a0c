"""Answers are bound to what the person saw, only decide what they say, and can overrule a pass."""

from __future__ import annotations

import json
from typing import Any

import pytest

from project import SCORES, Project, failing, passing
from reviewloop.errors import ExitCode

pytestmark = pytest.mark.slow

CHECKS = ("acceptance_criteria_met", "code_standards_met", "test_coverage_adequate", "security_review_passed")
GO = json.dumps({"decision": "GO", "feedback": "fine", "quality_checks": dict.fromkeys(CHECKS, True)})


def answers(project: Project, kind: str = "resumed") -> list[dict[str, Any]]:
    return [event["payload"] for event in project.events() if event["type"] == f"spec.review.{kind}"]


@pytest.fixture
def blocked(project: Project) -> Project:
    """A session that is blocked after a review and its fix, with one finding and a low score."""
    project.reviewer(failing("The format is unclear"), failing("The format is still unclear"), passing())
    project.author()
    project.configure(max_iterations=2)
    assert ExitCode.BLOCKED == project.run().exit_code
    return project


@pytest.fixture
def passed(project: Project) -> Project:
    project.reviewer(passing())
    project.author()
    project.configure()
    assert "passed" == project.run().session["outcome"]
    return project


def test_a_text_that_changed_since_its_review_is_not_accepted_without_a_word(blocked: Project):
    blocked.write("spec.md", f"{blocked.read()}Edited by hand.\n")

    refused = blocked.cli("resume", "spec", "--accept")

    assert ExitCode.USAGE == refused.exit_code
    assert refused.stderr.startswith("error: spec.md changed since its review, so it was not accepted\n")
    assert "\n+Edited by hand.\n" in refused.stderr
    assert "blocked" == blocked.cli("status", "spec", "--json").session["outcome"]
    assert [] == answers(blocked)


def test_a_text_that_is_accepted_anyway_is_recorded_and_kept(blocked: Project):
    revised = blocked.read()
    blocked.write("spec.md", f"{revised}Edited by hand.\n")

    session = blocked.cli("resume", "spec", "--accept", "--anyway", "--by", "ann", "--json").session

    (answer,) = answers(blocked)
    assert (True, ["spec.md"], session["digest"]) == (
        answer["anyway"], [change["path"] for change in answer["changes"]], answer["digest"],
    )  # fmt: skip
    assert "spec.md changed since its review; ann accepted it anyway" in session["warnings"]
    assert "+Edited by hand." in blocked.cli("diff", "spec").stdout
    refused = blocked.cli("undo", "spec")
    assert (ExitCode.USAGE, True) == (refused.exit_code, "spec.md changed since the author's edit" in refused.stderr)
    assert "Edited by hand." in blocked.read(), "undo takes the author's words back, not the person's"
    blocked.write("spec.md", revised)
    assert ExitCode.PASSED == blocked.cli("undo", "spec").exit_code
    assert "revised" not in blocked.read()


def test_what_a_person_edited_before_any_author_is_not_undone(project: Project):
    project.reviewer(failing("The format is unclear"))
    project.configure()
    project.run()
    project.write("spec.md", f"{project.read()}Edited by hand.\n")
    assert ExitCode.PASSED == project.cli("resume", "spec", "--accept", "--anyway").exit_code
    assert "no author has changed a file" in project.cli("undo", "spec").stderr
    assert "Edited by hand." in project.read()


def test_an_accepted_text_that_did_not_change_needs_no_more_words(blocked: Project):
    session = blocked.cli("resume", "spec", "--accept", "--json").session
    assert (False, session["digest"]) == (answers(blocked)[0]["anyway"], answers(blocked)[0]["digest"])


def test_every_answer_has_who_role_and_channel(blocked: Project):
    told = ("--by", "ann", "--role", "architect")
    blocked.cli("resume", "spec", "--dismiss", "F1", "--why", "by design", *told)
    blocked.cli("resume", "spec", "--retry", "--add", "Who may export?", *told)
    blocked.cli("resume", "spec", "--reject", "--by", "bob")
    for kind in ("dismissed", "added", "resumed", "rejected"):
        last = answers(blocked, kind)[-1]
        who = ("bob", "owner", "cli") if kind in ("resumed", "rejected") else ("ann", "architect", "cli")
        assert who == (last["by"], last["role"], last["channel"]), kind


def test_dismissing_only_records_and_says_what_is_left(blocked: Project):
    finding = blocked.cli("status", "spec", "--json").session["findings"][0]["id"]
    before = len(blocked.prompts("reviewer")), len(blocked.prompts("author"))

    result = blocked.cli("inbox", "answer", "spec", "--dismiss", finding, "--why", "it is clear", "--by", "ann")

    assert ExitCode.BLOCKED == result.exit_code
    assert "1 finding dismissed; left: completeness scores 60, below its minimum of 70" in result.stdout
    assert "reviewloop resume spec --accept" in result.stdout
    assert ("dismissed", []) == (blocked.event_types()[-1], answers(blocked))
    assert before == (len(blocked.prompts("reviewer")), len(blocked.prompts("author")))


def test_a_dismissal_needs_a_reason(blocked: Project):
    for command in (("resume", "spec"), ("inbox", "answer", "spec", "--accept")):
        refused = blocked.cli(*command, "--dismiss", "F1")
        assert (ExitCode.USAGE, True) == (refused.exit_code, "--why" in refused.stderr)
    assert [] == answers(blocked, "dismissed")


def test_a_pass_after_dismissals_names_them_and_the_low_scores(blocked: Project):
    finding = blocked.cli("status", "spec", "--json").session["findings"][0]["id"]
    blocked.cli("resume", "spec", "--dismiss", finding, "--why", "it is clear", "--by", "ann")
    session = blocked.cli("resume", "spec", "--accept", "--by", "bob", "--json").session
    assert "passed_with_warnings" == session["outcome"]
    assert [
        "accepted although completeness scores 60, below its minimum of 70",
        "The format is still unclear (dismissed by ann: it is clear)",
    ] == session["warnings"]


def test_a_retry_after_everything_was_dismissed_passes_without_asking_anybody(project: Project):
    project.reviewer(failing("The format is unclear", score=SCORES))
    project.author()
    project.configure(max_iterations=1)
    project.run()
    project.cli("resume", "spec", "--dismiss", "F1", "--why", "it is clear", "--by", "ann")

    session = project.cli("resume", "spec", "--retry", "--json").session

    assert ("passed_with_warnings", ["The format is unclear (dismissed by ann: it is clear)"]) == (
        session["outcome"], session["warnings"],
    )  # fmt: skip
    assert (1, 0) == (len(project.prompts("reviewer")), len(project.prompts("author")))
    log = project.cli("log", "spec", "--json").session
    assert ("GO", True, ["NO_GO"]) == (
        log["final_decision"], log["decided_by"] != "reviewer", [one["decision"] for one in log["iterations"]],
    )  # fmt: skip


def test_a_retry_after_a_dismissal_that_leaves_a_low_score_goes_to_the_author(blocked: Project):
    finding = blocked.cli("status", "spec", "--json").session["findings"][0]["id"]
    blocked.cli("resume", "spec", "--dismiss", finding, "--why", "it is clear")
    assert ExitCode.PASSED == blocked.cli("resume", "spec", "--retry").exit_code
    assert (3, 2) == (len(blocked.prompts("reviewer")), len(blocked.prompts("author")))
    assert "completeness scores 60, below its minimum of 70" in blocked.prompts("author")[-1]


def test_a_pass_can_be_sent_back(passed: Project):
    session = passed.cli("resume", "spec", "--retry", "--note", "name the format", "--json").session
    assert ("passed", 2, 1) == (session["outcome"], len(passed.prompts("reviewer")), len(passed.prompts("author")))
    assert "name the format" in passed.prompts("author")[0]


def test_a_pass_can_be_rejected_and_started_again(passed: Project):
    rejected = passed.cli("resume", "spec", "--reject", "--note", "not needed")
    assert (ExitCode.NEEDS_REVISION, True) == (rejected.exit_code, "rejected by" in rejected.stdout)
    (command,) = [line for line in rejected.stdout.splitlines() if line.startswith("start again: reviewloop ")]
    assert ExitCode.PASSED == passed.cli(*command.removeprefix("start again: reviewloop ").split()).exit_code


def test_an_overruled_pass_no_longer_counts(passed: Project):
    passed.author("true")
    passed.configure()
    session = passed.cli("resume", "spec", "--retry", "--note", "name the format", "--json").session
    assert ("blocked", "no_change") == (session["outcome"], session["reason"])
    (last,) = [event["payload"] for event in passed.events() if event["type"] == "spec.review.passed"]
    assert last["digest"] == session["digest"], "the text is the same, and it waits for a person"


def test_an_accepted_session_can_be_overruled(blocked: Project):
    blocked.cli("resume", "spec", "--accept")
    assert "passed" == blocked.cli("resume", "spec", "--retry", "--json").session["outcome"]


@pytest.mark.parametrize("said", [["--accept"], ["--dismiss", "F1", "--why", "no"], ["--note", "hm"]])
def test_a_pass_is_reopened_only_if_the_person_says_so(passed: Project, said: list[str]):
    refused = passed.cli("resume", "spec", *said)
    assert (ExitCode.USAGE, True) == (refused.exit_code, "reviewloop resume spec --retry" in refused.stderr)
    assert "passed" == passed.cli("status", "spec", "--json").session["outcome"]


def test_a_panel_learns_from_an_overruled_approval(project: Project):
    for name in ("haiku", "sonnet"):
        project.agent(name, 'echo \'{"verdict": "pass", "findings": []}\'')
    project.configure("profile: panel", parallel_models=["haiku", "sonnet"], auto_approve=True)
    assert "passed" == project.run().session["outcome"]
    project.cli("resume", "spec", "--reject")
    rows = json.loads(project.cli("calibrate", "--format", "json").stdout)["decisions"]
    (row,) = [row for row in rows if row["decision"] == "both_pass"]
    assert (1, 0) == (row["observed"]["n"], row["observed"]["hits"])


def workflow(project: Project) -> None:
    project.reviewer(GO)
    project.author('echo "$REVIEWLOOP_ARTIFACT $N" >> log; mkdir -p out; for f in a b; do :; done', name="dev")
    overlay = "overlays: {agentic_review: {enabled: true, coder_agent: dev, reviewer_agent: reviewer}}"
    project.configure(
        f"tasks:\n  design: {{agent: dev, {overlay}}}\n  build: {{agent: dev, depends_on: [design], {overlay}}}\n"
    )


def test_who_builds_on_an_overruled_task_is_named_and_not_stopped(project: Project):
    workflow(project)
    assert ExitCode.PASSED == project.cli("work").exit_code, project.cli("status").stdout

    result = project.cli("resume", "design", "--reject", "--json")

    assert ["build"] == result.session["dependents"]
    assert "built on this work and not stopped: build" in result.stderr
    assert "passed" == project.cli("status", "build", "--json").session["outcome"]


def test_a_rejected_task_is_started_again(project: Project):
    workflow(project)
    project.cli("work")
    rejected = project.cli("resume", "build", "--reject").stdout
    assert "start again: reviewloop work build --fresh build" in rejected
    assert "rejected" in project.cli("work").stdout
    assert ExitCode.PASSED == project.cli("work", "build", "--fresh", "build").exit_code


def test_a_rejected_phase_is_started_again(project: Project):
    rows = "".join(
        f"| {n} | {name} | PASS | fine |\n" for n, name in enumerate(("Completeness", "Grounding", "Scope"), 1)
    )
    project.reviewer(f"| # | Dimension | Status | Finding |\n|---|---|---|---|\n{rows}\nREVIEW_PASS\n")
    project.author('mkdir -p specs/login; echo "# Research $N" > specs/login/research.md')
    project.configure(static_gate="off")
    project.cli("plan", "log people in", "--name", "login")
    rejected = project.cli("resume", "login-research", "--reject")
    assert "start again: reviewloop plan --name login --fresh" in rejected.stdout
    assert "rejected" in project.cli("plan", "--name", "login").stdout

    again = project.cli("plan", "--name", "login", "--fresh")

    assert (ExitCode.BLOCKED, 2) == (again.exit_code, len(project.prompts("author")))
    assert "waiting" in again.stdout


def test_the_box_of_an_overruled_task_is_open_again_until_it_passes(project: Project):
    names = ("Alignment", "Correctness", "Completeness", "No hallucinations")
    rows = "".join(f"| {n} | {name} | PASS | fine |\n" for n, name in enumerate(names, 1))
    project.reviewer(f"| # | Dimension | Status | Finding |\n|---|---|---|---|\n{rows}\nREVIEW_PASS\n")
    project.write("specs/login/tasks.md", "# Tasks\n\n- [ ] 1.1 Build it\n- [ ] 1.2 Ship it\n")
    project.author('echo "built $N" >> built')
    project.configure()
    assert ExitCode.PASSED == project.cli("work", "--spec", "login").exit_code

    sent_back = project.cli("resume", "login-1.1", "--retry", "--note", "build it better")

    assert (ExitCode.PASSED, True) == (sent_back.exit_code, "not stopped: login-1.2" in sent_back.stderr)
    assert "- [x] 1.1 Build it" in project.read("specs/login/tasks.md")
    rejected = project.cli("resume", "login-1.1", "--reject")
    assert "- [ ] 1.1 Build it" in project.read("specs/login/tasks.md")
    assert "start again: reviewloop work --spec specs/login 1.1 --fresh 1.1" in rejected.stdout
    assert ExitCode.PASSED == project.cli("work", "--spec", "specs/login", "1.1", "--fresh", "1.1").exit_code
    assert "- [x] 1.1 Build it" in project.read("specs/login/tasks.md")


def test_a_wrong_id_among_several_dismisses_nothing(blocked: Project):
    name = blocked.cli("status", "spec", "--json").session["findings"][0]["id"]

    refused = blocked.cli("resume", "spec", "--dismiss", name, "--dismiss", "F99", "--why", "it is clear")

    assert (ExitCode.USAGE, []) == (refused.exit_code, answers(blocked, "dismissed"))


def test_a_person_who_accepts_files_that_nobody_read_is_named_with_them(project: Project):
    project.write("docs/spec.md", project.read())
    (project.root / "docs/broken.md").write_bytes(b"\xff\xfe\x00")
    project.reviewer(passing())
    project.configure(static_gate="off")
    assert ExitCode.INCONCLUSIVE == project.cli("run", "docs").exit_code

    session = project.cli("resume", "docs", "--accept", "--json").session

    assert "passed_with_warnings" == session["outcome"]
    (warning,) = session["warnings"]
    assert warning.startswith("accepted although not reviewed: docs/broken.md")


def test_a_finding_that_a_person_adds_is_told_although_a_reviewer_used_its_id(project: Project):
    answer = json.loads(failing("The format is unclear", score=SCORES))
    answer["feedback"][0]["id"] = "P1"
    project.reviewer(json.dumps(answer), passing())
    project.author()
    project.configure(max_iterations=1)
    project.run()

    project.cli("resume", "spec", "--add", "Nobody says who may export")

    assert "Nobody says who may export" in project.prompts("author")[0]
    assert ["P2"] == [one["finding"]["id"] for one in answers(project, "added")]
