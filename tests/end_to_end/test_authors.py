"""Feedback goes to the author of its criterion; criteria can be judged one by one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from killing import HANG_UNTIL_KILLED, kill_while_asking

from project import SCORES, Project, passing
from reviewloop.errors import ExitCode

pytestmark = pytest.mark.slow


def item(issue: str, criterion: str | None = None) -> dict[str, Any]:
    named = {"criterion": criterion} if criterion else {}
    return {"section": "Design", "issue": issue, "suggestion": f"Fix: {issue}", **named}


def answer(*items: dict[str, Any]) -> str:
    scores = SCORES | ({"completeness": 60} if items else {})
    return json.dumps({"verdict": "needs_revision" if items else "pass", "score": scores, "feedback": list(items)})


VAGUE = item("FR-2 cannot be tested", "testability")
MISSING = item("REQ-1 lacks a size limit", "completeness")
NAMELESS = item("The design is hard to follow")


@pytest.fixture
def two_authors(project: Project) -> Project:
    project.reviewer(answer(MISSING, VAGUE, NAMELESS), passing())
    project.author("cp spec.md $TOLD/seen-by-author; echo 'A limit of 1 MB.' >> spec.md")
    project.author("cp spec.md $TOLD/seen-by-tester; echo 'Tested by T-1.' >> spec.md", name="tester")
    project.configure(authors={"testability": "tester"})
    return project


def test_each_author_gets_the_findings_of_its_criteria_and_the_default_author_the_rest(two_authors: Project):
    assert ExitCode.PASSED == two_authors.run().exit_code
    general, tester = two_authors.prompts("author")[0], two_authors.prompts("tester")[0]
    assert "REQ-1 lacks a size limit" in general
    assert "The design is hard to follow" in general
    assert "FR-2 cannot be tested" not in general
    assert "FR-2 cannot be tested" in tester
    assert "REQ-1 lacks a size limit" not in tester


def test_the_second_author_goes_on_from_what_the_first_one_wrote(two_authors: Project):
    two_authors.run()
    assert two_authors.read().endswith("A limit of 1 MB.\nTested by T-1.\n")
    assert "A limit of 1 MB." in (two_authors.told / "seen-by-tester").read_text()


def test_several_authors_are_one_fix_and_each_call_is_on_record(two_authors: Project):
    result = two_authors.run()
    assert 2 == len(result.session["iterations"])
    authored = [
        event["payload"]["call"]["key"] for event in two_authors.events() if event["type"].endswith(".authored")
    ]
    assert ["1/author:author", "1/author:tester"] == authored
    feedback = [event["payload"]["feedback"] for event in two_authors.events() if event["type"].endswith(".feedback")]
    assert [2, 1] == [len(items) for items in feedback]
    assert 1 == two_authors.event_types().count("revised")


def test_an_author_without_findings_is_not_asked(two_authors: Project):
    two_authors.reviewer(answer(VAGUE), passing())
    assert ExitCode.PASSED == two_authors.run().exit_code
    assert (0, 1) == (len(two_authors.prompts("author")), len(two_authors.prompts("tester")))


def test_an_edit_between_two_authors_is_not_lost(two_authors: Project):
    """You save the file while the second author is at work: both versions are kept, a person decides."""
    kill_during_the_second(two_authors)
    two_authors.write("spec.md", two_authors.read() + "My own line.\n")
    result = two_authors.cli("resume", "spec", "--json")
    assert (ExitCode.BLOCKED, "conflict") == (result.exit_code, result.session["reason"])
    assert two_authors.read().endswith("My own line.\n")


def test_if_the_second_author_fails_nothing_is_brought_back(two_authors: Project):
    before = two_authors.read()
    two_authors.author("exit 3", name="tester")
    two_authors.configure(authors={"testability": "tester"})
    result = two_authors.run()
    assert (ExitCode.BLOCKED, "author_failed", before) == (
        result.exit_code, result.session["reason"], two_authors.read(),
    )  # fmt: skip


def kill_during_the_second(two_authors: Project) -> None:
    two_authors.author(f'{HANG_UNTIL_KILLED}; echo "Tested by T-1." >> spec.md', name="tester")
    two_authors.configure(authors={"testability": "tester"})
    kill_while_asking("tester", two_authors)


def test_killed_between_two_authors_only_the_second_is_asked(two_authors: Project):
    kill_during_the_second(two_authors)
    assert ExitCode.PASSED == two_authors.cli("resume", "spec").exit_code
    assert 1 == len(two_authors.prompts("author"))
    assert two_authors.read().endswith("A limit of 1 MB.\nTested by T-1.\n")


def test_authors_need_a_default_author(project: Project):
    project.reviewer(passing())
    project.author(name="tester")
    project.configure(authors={"testability": "tester"})
    result = project.run()
    assert (ExitCode.USAGE, True) == (result.exit_code, '"authors" needs "author" as well' in result.stderr)


def by_criterion(project: Project, **answers: str) -> None:
    """A reviewer that answers by the one criterion it is asked about."""
    for name in SCORES:
        text = answers.get(name) or json.dumps({"verdict": "pass", "score": {name: 90}, "feedback": []})
        (project.tools / f"about-{name}").write_text(text)
    project.agent(
        "reviewer",
        f'NAME=$(grep -o "^- [*][*][a-z]*" "$TOLD/reviewer-$N.txt" | head -1 | tr -cd a-z)\ncat "{project.tools}/about-$NAME"',
    )


def one_by_one(project: Project, **answers: str) -> None:
    by_criterion(project, **answers)
    project.configure(parallel_criteria=True)


def test_each_criterion_is_a_call_of_its_own_and_the_scores_are_joined(project: Project):
    one_by_one(project)
    session = project.run().session
    assert ("passed", dict.fromkeys(SCORES, 90)) == (session["outcome"], session["scores"])
    asked = next(event["payload"]["calls"] for event in project.events() if event["type"].endswith(".asked"))
    assert [f"1/reviewer:{name}" for name in SCORES] == [call["key"] for call in asked]


def test_a_finding_belongs_to_the_criterion_it_was_raised_for(project: Project):
    low = json.dumps({"verdict": "needs_revision", "score": {"testability": 40}, "feedback": [item("No test")]})
    one_by_one(project, testability=low)
    session = project.run().session
    assert [("No test", "testability")] == [(one["issue"], one["criterion"]) for one in session["findings"]]
    assert 40 == session["scores"]["testability"]


def test_a_criterion_without_an_answer_is_inconclusive(project: Project):
    one_by_one(project, architecture="hm")
    result = project.run()
    assert (ExitCode.BLOCKED, "malformed") == (result.exit_code, result.session["reason"])


@pytest.mark.parametrize("profile", ["panel", "overlay"])
def test_parallel_criteria_do_not_go_with_every_profile(project: Project, profile: str):
    project.reviewer(passing())
    project.configure(f"profile: {profile}", parallel_criteria=True)
    result = project.run()
    assert ExitCode.USAGE == result.exit_code
    assert f"parallel_criteria is not used: the profile {profile} does not judge each criterion" in result.stderr
    assert "reviewloop.yml:" in result.stderr
