"""A person's answer and the next step: who is asked, in every state that the work can be in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from loop_story import GOOD, POLICY, REVIEWER, Story, issue

from reviewloop.core.loop.steps import Ask, Conclude, Finish, Revise
from reviewloop.core.session.events import Added, Authored, Dismissed, Resumed, Revised, Ruled
from reviewloop.core.session.history import call_key
from reviewloop.core.types.calls import Call
from reviewloop.core.types.finding import Finding, Severity, Standing
from reviewloop.core.types.outcome import Answer, Judgment, Outcome
from reviewloop.core.types.policy import OnExhausted, Policy, Seat
from reviewloop.core.types.review import Verdict

ONCE = replace(POLICY, max_iterations=1)


def sent_back(story: Story, digest: str = "", note: str = "") -> Story:
    """The story after a person sent the work back, at the start of the next iteration."""
    opened = Resumed(action=Answer.RETRY, note=note, by="ada", policy=story.policy)
    return story.finish().then(opened).check(digest or story.history.iterations[-1].checked.digest)


def failed(policy: Policy = ONCE) -> Story:
    return Story(policy).check().answer(issue("a", section="A")).conclude()


def passed(policy: Policy = ONCE) -> Story:
    return Story(policy).check().answer().conclude()


def inconclusive(policy: Policy = ONCE) -> Story:
    return Story(policy).check().malformed(1).malformed(2).conclude()


@pytest.mark.parametrize("note", ["", "shorter"])
@pytest.mark.parametrize("state", [failed, passed])
def test_the_author_is_asked_next_about_text_that_reviewers_judged(state: Callable[[], Story], note: str):
    story = sent_back(state(), note=note).conclude()
    assert isinstance(story.step, Revise)
    current = story.history.current
    assert current
    assert current.conclusion
    assert (True, Verdict.NEEDS_REVISION) == (current.conclusion.by_person, current.conclusion.verdict)


def test_text_without_a_verdict_is_reviewed_first_unless_the_person_says_something():
    assert isinstance(sent_back(inconclusive()).step, Ask)
    assert isinstance(sent_back(inconclusive(), note="shorter").step, Conclude)


def test_text_that_the_person_edited_is_reviewed_first_unless_the_person_says_something():
    assert isinstance(sent_back(failed(), "other").step, Ask)
    assert isinstance(sent_back(failed(), "other", note="shorter").step, Conclude)


def test_without_an_author_the_reviewers_are_asked_again():
    alone = replace(ONCE, author=None)
    assert isinstance(sent_back(failed(alone), note="shorter").step, Ask)
    assert isinstance(sent_back(passed(alone), note="shorter").step, Ask)


def test_a_window_has_one_fix_even_if_the_policy_has_none():
    story = sent_back(failed()).conclude().revise().check("d2").answer(issue("a", section="A")).conclude()
    assert (Outcome.BLOCKED, "max iterations exhausted with needs_revision verdict") == (
        story.step.outcome, story.step.because,
    )  # fmt: skip
    assert (1, 1, 2) == (story.history.reviews_in_window, story.history.max_reviews, story.history.reviews)


def test_the_reviewers_look_at_the_fix_and_nobody_looks_at_the_old_text_again():
    story = sent_back(passed(), note="shorter").conclude().revise().check("d2")
    assert isinstance(story.step, Ask)
    assert Outcome.PASSED is story.answer().conclude().step.outcome


def test_an_approval_waits_again_after_the_fix():
    story = sent_back(passed(replace(ONCE, approval=True)), note="shorter").conclude().revise().check("d2").answer()
    assert (Outcome.ESCALATED, "passed by reviewer; waiting for approval") == (
        story.conclude().step.outcome, story.step.because,
    )  # fmt: skip


def test_late_findings_go_along_and_stay_late():
    story = Story(replace(POLICY, max_iterations=2)).check("d1").answer(issue("a", section="A")).conclude().revise()
    late = replace(issue("b", severity=Severity.MINOR, section="B"), standing=Standing.LATE)
    story.check("d1").answer(issue("a", section="A"), late).conclude()
    told = sent_back(story, note="shorter").conclude().step.turn.findings
    assert {"a": False, "b": True} == {finding.issue: finding.is_late for finding in told}


def test_an_added_finding_is_told_once_and_then_belongs_to_the_session():
    story = passed().finish()
    story.then(Added(finding=replace(issue("mine"), id="P1"), by="ada"))
    story.then(Resumed(action=Answer.RETRY, by="ada", policy=story.policy)).check("d1").conclude()
    assert ["P1"] == [finding.id for finding in story.step.turn.findings]
    story.revise().check("d2").answer(issue("mine"))
    conclusion = story.conclude().history.iterations[-1].conclusion
    assert conclusion
    assert ["P1"] == [finding.id for finding in conclusion.findings], "the reviewer means the same finding"


def test_a_person_whom_the_author_ignores_decides():
    story = sent_back(passed(replace(ONCE, on_exhausted=OnExhausted.WARN)), note="shorter").conclude()
    call = Call(key=call_key(story.number, "author:author"), agent="author", attempt=1)
    story.then(Authored(iteration=story.number, call=call, text="", changes=()))
    story.then(Revised(iteration=story.number, paths=()))
    assert (Outcome.ESCALATED, "author changed nothing and contested no finding") == (
        story.step.outcome, story.step.because,
    )  # fmt: skip


def test_a_retry_after_the_last_dismissal_is_a_pass_that_names_it():
    story = failed().finish()
    conclusion = story.history.iterations[-1].conclusion
    assert conclusion
    finding = conclusion.findings[0]
    story.then(Dismissed(finding=finding, why="by design", by="ada"))
    story.then(Resumed(action=Answer.RETRY, by="ada", policy=story.policy)).check("d1").conclude()
    assert isinstance(story.step, Finish)
    assert (Outcome.PASSED_WITH_WARNINGS, ("a (dismissed by ada: by design)",)) == (
        story.step.outcome, story.step.warnings,
    )  # fmt: skip


def test_a_finding_that_comes_back_has_its_old_id_and_a_new_one_a_new_number():
    story = Story(replace(POLICY, max_iterations=4)).check()
    story.answer(issue("The format is missing", section="A"), issue("Nobody may export", section="B")).conclude()
    story.revise().check().answer(issue("Nobody may export", section="B")).conclude()
    story.revise().check().answer(
        issue("A limit is missing for rows", section="C"), issue("The format is missing", section="A"), seat=REVIEWER
    )
    conclusion = story.conclude().history.iterations[-1].conclusion
    assert conclusion
    assert ["F3", "F1"] == [finding.id for finding in conclusion.findings]


def dismiss_all(story: Story) -> Story:
    """The story after a person dismissed every finding of the last conclusion."""
    conclusion = story.finish().history.iterations[-1].conclusion
    assert conclusion
    for finding in conclusion.findings:
        story.then(Dismissed(finding=finding, why="by design", by="ada"))
    return story


def retried(story: Story, digest: str = "d1", facts: tuple[Finding, ...] = ()) -> Story:
    return story.then(Resumed(action=Answer.RETRY, by="ada", policy=story.policy)).check(digest, facts)


def test_a_dismissal_on_one_text_passes_no_other_text():
    story = failed(replace(POLICY, max_iterations=2)).revise().check("d2").answer(issue("b", section="B")).conclude()
    story = retried(dismiss_all(story), "d1").conclude()
    assert isinstance(story.step, Revise), "the person put the first text back, and its finding is still open"
    assert ["a"] == [finding.issue for finding in story.step.turn.findings]


def test_a_dismissal_does_not_waive_a_low_total():
    story = Story(replace(ONCE, min_total=95)).check().answer(issue("a", section="A")).conclude()
    story = retried(dismiss_all(story)).conclude()
    assert isinstance(story.step, Revise)
    assert ["the weighted total is 90, below its minimum of 95"] == [
        finding.issue for finding in story.step.turn.findings
    ]


def test_a_reviewer_without_a_verdict_is_asked_before_a_dismissal_passes_the_work():
    story = Story(replace(ONCE, seats=(REVIEWER, Seat(agent="other")), retry_on_malformed=0)).check()
    story.malformed(1).answer(issue("a", section="A"), seat=Seat(agent="other")).conclude()
    assert isinstance(retried(dismiss_all(story)).step, Ask)


def test_a_dismissed_rule_finding_does_not_hide_what_reviewers_found_before():
    alone = replace(ONCE, author=None)
    rule = replace(issue("a rule", severity=Severity.CRITICAL), rule="r1")
    story = retried(failed(alone).finish(), facts=(rule,)).conclude()
    assert isinstance(retried(dismiss_all(story), facts=(rule,)).step, Ask)


@pytest.mark.parametrize("note", ["", "shorter"])
def test_work_that_a_person_sends_back_twice_is_no_pass(note: str):
    story = retried(dismiss_all(failed())).conclude()
    story = sent_back(story, note=note).conclude()
    call = Call(key=call_key(story.number, "author:author"), agent="author", attempt=1)
    story.then(Authored(iteration=story.number, call=call, text="", changes=()))
    story.then(Revised(iteration=story.number, paths=()))
    assert isinstance(sent_back(story).conclude().step, Revise)


def test_a_pass_after_dismissals_calls_late_findings_late():
    story = Story(replace(POLICY, max_iterations=2)).check("d1").answer(issue("a", section="A")).conclude().revise()
    story.check("d1").answer(issue("a", section="A"), issue("b", severity=Severity.MINOR, section="B")).conclude()
    first = story.finish().history.iterations[-1].conclusion
    assert first
    story.then(Dismissed(finding=first.findings[0], why="by design", by="ada"))
    conclusion = retried(story).conclude().history.iterations[-1].conclusion
    assert conclusion
    assert "1 late finding kept as a note; 1 finding dismissed" == conclusion.because


def test_a_pass_at_the_limit_names_open_findings_and_low_scores_but_nothing_dismissed():
    story = Story(replace(ONCE, on_exhausted=OnExhausted.WARN)).check()
    story.then(Dismissed(finding=issue("wrong", section="A"), why="by design", by="ada"))
    story.answer(
        issue("wrong", section="A"), issue("The limit is missing", section="B"), scores=GOOD | {"testability": 0.0}
    )
    assert (
        "still failing after 1 review",
        "still open: The limit is missing",
        "still open: testability scores 0, below its minimum of 70",
        "wrong (dismissed by ada: by design)",
    ) == story.conclude().step.warnings
    conclusion = story.history.iterations[-1].conclusion
    assert conclusion
    assert ["The limit is missing"] == [item.issue for item in conclusion.feedback]


def test_an_added_finding_that_the_person_takes_back_is_not_told():
    story = failed().finish()
    mine = replace(issue("mine"), id="P1")
    story.then(Added(finding=mine, by="ada")).then(Dismissed(finding=mine, why="a slip", by="ada"))
    assert ["a"] == [finding.issue for finding in retried(story).conclude().step.turn.findings]


def test_work_whose_findings_a_ruling_withdrew_passes_with_a_warning_that_names_it():
    story = failed().finish()
    conclusion = story.history.iterations[-1].conclusion
    assert conclusion
    call = Call(key=call_key(1, "ruling:F1:arbiter"), agent="arbiter", attempt=1)
    finding = conclusion.findings[0]
    story.then(Ruled(iteration=1, call=call, finding=finding, ruling=Judgment.WITHDRAWN, reason="it is there"))
    assert ("a (withdrawn by arbiter: it is there)",) == retried(story).conclude().step.warnings
