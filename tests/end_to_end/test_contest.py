"""An author contests a finding; somebody independent rules on it, once, without seeing the reviewer's reasoning."""

from __future__ import annotations

import json
from typing import Any

import pytest
from killing import HANG_UNTIL_KILLED, kill_while_asking

from project import SCORES, Project, failing, passing
from reviewloop.errors import ExitCode

pytestmark = pytest.mark.slow

WRONG = "The CSV dialect is not said"
SUGGESTION = "Fix: The CSV dialect is not said"
CONTEST = json.dumps({"contested": [{"id": "F1", "reason": "FR-1 says it: csv.writer's own"}]})
WITHDRAWN = json.dumps({"ruling": "withdrawn", "reason": "the text names it"})
UPHELD = json.dumps({"ruling": "upheld", "reason": "it is nowhere"})


def disputed(project: Project, ruling: str = WITHDRAWN, *, issues: tuple[str, ...] = (WRONG,), **review: Any) -> None:
    """A reviewer that insists, an author that contests F1, and an arbiter."""
    project.reviewer(failing(*issues, section="Design", score=SCORES))
    project.author(f"echo '{CONTEST}'".replace("'s own", "s own"))
    project.agent("arbiter", f"echo '{ruling}'")
    project.configure(arbiter="arbiter", **review)


def payloads(project: Project, kind: str) -> list[dict[str, Any]]:
    return [event["payload"] for event in project.events() if event["type"] == f"spec.review.{kind}"]


def test_the_author_is_told_how_to_contest(project: Project):
    disputed(project)
    project.run()
    assert (
        '{"contested": [{"id": "<the finding\'s id>", "reason": "<why it is wrong>"}]}' in project.prompts("author")[0]
    )


def test_a_withdrawn_finding_does_not_block_and_is_shown_with_the_ruling(project: Project):
    disputed(project)
    result = project.run()
    assert (ExitCode.PASSED, "passed_with_warnings") == (result.exit_code, result.session["outcome"])
    assert ["withdrawn by arbiter: the text names it"] == [one["suppressed"] for one in result.session["findings"]]


def test_an_upheld_finding_stands_and_is_ruled_on_once(project: Project):
    disputed(project, UPHELD)
    result = project.run()
    assert (ExitCode.BLOCKED, 1) == (result.exit_code, len(project.prompts("arbiter")))
    assert [("upheld", "it is nowhere")] == [(one["ruling"], one["reason"]) for one in payloads(project, "ruled")]
    assert "Ruling: upheld. it is nowhere" in project.prompts("author")[1]


def test_the_arbiter_sees_the_claim_the_reason_and_the_text_but_not_the_reasoning(project: Project):
    disputed(project)
    project.run()
    told = project.prompts("arbiter")[0]
    assert WRONG in told
    assert "FR-1 says it" in told
    assert "Rows are streamed" in told
    assert SUGGESTION not in told
    assert "important" not in told
    assert "reviewer" not in told.replace("reviewed", "")


def test_contest_and_ruling_are_on_record(project: Project):
    disputed(project)
    project.run()
    contested, ruled = payloads(project, "contested")[0], payloads(project, "ruled")[0]
    assert (WRONG, "author") == (contested["finding"]["issue"], contested["by"])
    assert ("withdrawn", "arbiter", WRONG) == (ruled["ruling"], ruled["call"]["agent"], ruled["finding"]["issue"])


def test_a_ruling_is_no_review_and_the_arbiter_no_reviewer_that_did_not_answer(project: Project):
    disputed(project, UPHELD, max_iterations=1)
    project.run()
    project.cli("resume", "spec", "--retry")  # the author contests what a person sent back, and changes nothing
    assert 1 == len(payloads(project, "ruled"))
    assert "has not answered" not in project.cli("log", "spec").stdout
    reviews = len(project.prompts("reviewer"))
    assert f"{reviews} iterations" in project.cli("status", "spec").stdout


def test_another_reviewer_rules_if_there_is_no_arbiter(project: Project):
    project.reviewer(failing(WRONG, section="Design", score=SCORES), name="first")
    project.agent(
        "second",
        f"""if grep -q 'The claim and the answer' "$TOLD/second-$N.txt"; then echo '{WITHDRAWN}'; else echo '{passing()}'; fi""",
    )
    project.author(f"echo '{CONTEST}'".replace("'s own", "s own"))
    project.configure(reviewers=["first", "second"])
    assert ExitCode.PASSED == project.run().exit_code
    assert ["second"] == [one["call"]["agent"] for one in payloads(project, "ruled")]


def test_if_nobody_is_independent_the_reviewers_hear_the_authors_words(project: Project):
    project.reviewer(failing(WRONG, section="Design", score=SCORES), passing())
    project.author(f"echo '{CONTEST}'".replace("'s own", "s own"))
    assert ExitCode.PASSED == project.run().exit_code
    assert "The author's reason: FR-1 says it" in project.prompts("reviewer")[1]
    assert (1, 0) == (len(payloads(project, "contested")), len(payloads(project, "ruled")))


def test_an_arbiter_that_says_nothing_usable_changes_nothing(project: Project):
    disputed(project, "I cannot tell.")
    result = project.run()
    assert (ExitCode.BLOCKED, [None]) == (result.exit_code, [one["ruling"] for one in payloads(project, "ruled")])


def test_the_author_cannot_be_its_own_judge(project: Project):
    disputed(project)
    project.configure(arbiter="author")
    result = project.run()
    assert (ExitCode.BLOCKED, []) == (result.exit_code, payloads(project, "ruled"))


def test_other_findings_still_block(project: Project):
    disputed(project, issues=(WRONG, "Nobody says who may export"))
    result = project.run()
    assert ExitCode.BLOCKED == result.exit_code
    open_findings = [one["issue"] for one in result.session["findings"] if not one["suppressed"]]
    assert ["Nobody says who may export"] == open_findings


def test_what_a_person_raised_cannot_be_contested(project: Project):
    project.reviewer(failing(WRONG, section="Design", score=SCORES))
    project.author("""echo '{"contested": [{"id": "P1", "reason": "no"}]}'""")
    project.agent("arbiter", f"echo '{WITHDRAWN}'")
    project.configure(arbiter="arbiter", max_iterations=2)
    project.run()
    project.cli("inbox", "answer", "spec", "--retry", "--add", "Say who may export")
    assert [] == payloads(project, "contested")


@pytest.mark.slow
def test_killed_while_the_arbiter_thinks_it_is_asked_again_and_nobody_else(project: Project):
    disputed(project)
    project.agent("arbiter", f"{HANG_UNTIL_KILLED}; echo '{WITHDRAWN}'")
    project.configure(arbiter="arbiter")
    kill_while_asking("arbiter", project)
    assert ExitCode.PASSED == project.cli("resume", "spec").exit_code
    assert (1, 1) == (len(project.prompts("author")), len(payloads(project, "ruled")))
