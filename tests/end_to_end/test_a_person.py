"""A person has the last word: accept, retry with notes, reject, dismiss, add."""

from __future__ import annotations

import json

import pytest

from project import SCORES, Project, failing, passing
from reviewloop.errors import ExitCode

pytestmark = pytest.mark.slow


@pytest.fixture
def blocked(project: Project) -> Project:
    """A session that is blocked after two reviews; the third answer passes."""
    project.reviewer(failing("FR-3 is unclear"), failing("FR-3 is still unclear"), passing())
    project.author()
    project.configure(max_iterations=2)
    assert ExitCode.BLOCKED == project.run().exit_code
    return project


def test_retry_opens_a_new_window_and_the_note_reaches_author_and_reviewers(blocked: Project):
    result = blocked.cli("resume", "spec", "--retry", "--note", "keep FR-3", "--json")
    assert (ExitCode.PASSED, "passed") == (result.exit_code, result.session["outcome"])
    assert "keep FR-3" in blocked.prompts("author")[-1]
    assert "keep FR-3" in blocked.prompts("reviewer")[-1]


def test_a_note_reaches_the_reviewer_even_if_there_is_no_author(project: Project):
    project.reviewer(failing(), passing())
    assert ExitCode.NEEDS_REVISION == project.run().exit_code
    assert ExitCode.PASSED == project.cli("resume", "spec", "--retry", "--note", "keep FR-3").exit_code
    assert "keep FR-3" in project.prompts("reviewer")[1]


def test_a_text_that_was_just_turned_down_is_not_reviewed_again(blocked: Project):
    blocked.cli("resume", "spec", "--retry", "--note", "keep FR-3")
    assert (3, 2) == (len(blocked.prompts("reviewer")), len(blocked.prompts("author")))


def test_a_text_the_person_edited_is_reviewed_first(blocked: Project):
    blocked.write("spec.md", blocked.read() + "\nIt is clear now.\n")
    assert ExitCode.PASSED == blocked.cli("resume", "spec").exit_code
    assert (3, 1) == (len(blocked.prompts("reviewer")), len(blocked.prompts("author")))


def test_the_command_that_blocked_recommends_works_when_pasted(blocked: Project):
    command = blocked.cli("status", "spec", "--json").session["recovery_actions"][-1]
    program, *args = command.split()
    assert ("reviewloop", ExitCode.PASSED) == (program, blocked.cli(*args).exit_code)


def test_accept_passes_with_warnings_that_say_what_is_open(blocked: Project):
    result = blocked.cli("resume", "spec", "--accept", "--note", "good enough", "--json")
    assert (ExitCode.PASSED, "passed_with_warnings") == (result.exit_code, result.session["outcome"])
    assert [
        "accepted although open: FR-3 is still unclear",
        "accepted although completeness scores 60, below its minimum of 70",
    ] == result.session["warnings"]
    assert result.session["because"].endswith(": good enough")


def test_reject_is_final(blocked: Project):
    result = blocked.cli("resume", "spec", "--reject", "--note", "not needed", "--json")
    assert (ExitCode.NEEDS_REVISION, "rejected") == (result.exit_code, result.session["outcome"])
    again = blocked.cli("resume", "spec", "--retry")
    hint = "hint: start again: reviewloop run spec.md --name spec\n"
    assert (ExitCode.USAGE, f"error: session spec is over: rejected\n{hint}") == (again.exit_code, again.stderr)


def test_a_dismissed_finding_does_not_block_again(project: Project):
    project.reviewer(failing("Say which CSV dialect", score=SCORES))
    project.configure(max_iterations=1)
    project.run()
    dismissed = ("--dismiss", "F1", "--why", "RFC 4180 is meant", "--by", "lead")
    result = project.cli("inbox", "answer", "spec", "--retry", "--note", "look again", *dismissed, "--json")
    assert (ExitCode.PASSED, "passed_with_warnings") == (result.exit_code, result.session["outcome"])
    assert "dismissed by lead: RFC 4180 is meant" == result.session["findings"][0]["suppressed"]
    assert ["Say which CSV dialect (dismissed by lead: RFC 4180 is meant)"] == result.session["warnings"]
    assert "Say which CSV dialect" in project.prompts("reviewer")[-1].partition("Dismissed by a person")[2]


def test_dismissing_what_is_not_there_says_what_is(blocked: Project):
    result = blocked.cli("inbox", "answer", "spec", "--dismiss", "F9", "--why", "no")
    assert (ExitCode.USAGE, "error: session spec has no finding F9\nhint: its findings are F1\n") == (
        result.exit_code, result.stderr,
    )  # fmt: skip


def test_a_finding_a_person_adds_reaches_the_author(blocked: Project):
    result = blocked.cli("inbox", "answer", "spec", "--add", "Nobody says who may export", "--json")
    assert ExitCode.PASSED == result.exit_code
    assert "Nobody says who may export" in blocked.prompts("author")[-1]


def test_show_tells_the_whole_story(blocked: Project):
    shown = blocked.cli("inbox", "show", "spec").stdout
    assert "blocked" in shown
    assert "FR-3 is still unclear" in shown
    assert "reviewloop resume spec" in shown
    item = json.loads(blocked.cli("inbox", "show", "spec", "--json").stdout)
    assert ["NO_GO", "NO_GO"] == [one["decision"] for one in item["history"]]


def test_an_answer_needs_something_to_say(blocked: Project):
    assert ExitCode.USAGE == blocked.cli("inbox", "answer", "spec").exit_code


@pytest.mark.parametrize(("name", "hint"), [("sepc", "did you mean `spec`?"), ("other", "the newest are spec")])
def test_an_unknown_session_names_the_known_ones(blocked: Project, name: str, hint: str):
    result = blocked.cli("resume", name)
    assert (ExitCode.USAGE, f"error: there is no session `{name}`\nhint: {hint}\n") == (
        result.exit_code,
        result.stderr,
    )


def test_resume_uses_the_configuration_the_session_was_started_with(project: Project):
    project.reviewer(failing("FR-3 is unclear"), passing())
    project.configure()
    (project.root / "reviewloop.yml").rename(project.root / "other.yml")
    assert ExitCode.NEEDS_REVISION == project.cli("run", "spec.md", "--config", "other.yml").exit_code
    assert ExitCode.PASSED == project.cli("resume", "spec").exit_code
    assert 2 == len(project.prompts("reviewer"))


def test_an_accepted_text_is_locked_as_the_person_left_it(blocked: Project):
    blocked.write("spec.md", f"{blocked.read()}Edited by hand.\n")
    blocked.cli("resume", "spec", "--accept", "--anyway")
    before = blocked.cli("status", "spec", "--json").session["drifted"]

    blocked.write("spec.md", f"{blocked.read()}Edited once more.\n")

    assert (False, True) == (before, blocked.cli("status", "spec", "--json").session["drifted"])


@pytest.mark.parametrize("answer", [["--accept"], ["--retry"], []])
def test_a_text_that_is_gone_cannot_be_accepted_or_sent_back_and_still_waits(blocked: Project, answer: list[str]):
    (blocked.root / "spec.md").unlink()

    told = blocked.cli("resume", "spec", *answer)

    assert (ExitCode.USAGE, "error: spec.md is not there\n") == (told.exit_code, told.stderr.partition("hint:")[0])
    assert ["spec"] == [item["task_id"] for item in json.loads(blocked.cli("inbox", "--json").stdout)]
    assert ExitCode.NEEDS_REVISION == blocked.cli("resume", "spec", "--reject").exit_code


def test_an_agent_with_wrong_settings_leaves_a_blocked_session_waiting(blocked: Project):
    blocked.write("reviewloop.yml", blocked.read("reviewloop.yml").replace("command: [", "comand: [", 1))

    told = blocked.cli("resume", "spec")

    assert ExitCode.USAGE == told.exit_code
    assert "blocked" == blocked.cli("status", "spec", "--json").session["outcome"]


def test_the_log_tells_what_people_made_of_findings(blocked: Project):
    blocked.cli(
        "inbox", "answer", "spec", "--dismiss", "F1", "--why", "by design", "--add", "Nobody may sign in", "--by", "ann"
    )

    logged = blocked.cli("log", "spec").stdout

    assert "\nann dismissed F1: by design\nann added P1: Nobody may sign in\n" in logged


def test_a_text_that_was_sent_back_gets_all_the_fixes_of_its_new_window(project: Project):
    project.reviewer(failing("FR-3 is unclear"))
    project.author()
    project.configure()
    project.run()

    session = json.loads(project.cli("resume", "spec", "--retry", "--json").stdout)

    assert (5, "exhausted") == (len(session["iterations"]), session["reason"]), "a send-back is no review"
    assert 4 == len(project.prompts("author"))


def test_what_a_person_dismisses_while_accepting_is_not_open(blocked: Project):
    result = blocked.cli(
        "inbox", "answer", "spec", "--accept", "--dismiss", "F1", "--why", "it is clear", "--by", "ann"
    )

    assert ExitCode.PASSED == result.exit_code
    assert ("accepted although open" in result.stdout, "dismissed by ann: it is clear" in result.stdout) == (
        False,
        True,
    )
