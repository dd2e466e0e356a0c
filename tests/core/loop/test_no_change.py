"""An author that changed nothing and contested nothing ends the loop: nobody is paid to read the same text again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from loop_story import NOW, POLICY, REVIEWER, Story, issue

from reviewloop.core.judging.judge import judge
from reviewloop.core.loop.steps import BringBack, Check, Finish, Revise, Rule, Write
from reviewloop.core.session.events import (
    Authored,
    Checked,
    Commissioned,
    Contested,
    Iterated,
    Resumed,
    Revised,
    Started,
)
from reviewloop.core.session.fold import begin
from reviewloop.core.session.history import call_key
from reviewloop.core.types.calls import Call, FileChange
from reviewloop.core.types.outcome import Answer, Outcome, Reason
from reviewloop.core.types.policy import OnExhausted, Policy, Seat
from reviewloop.core.types.review import Verdict
from reviewloop.core.types.task import Commission
from reviewloop.core.types.verification import Verification, Verify

CHANGE = FileChange(path="f.md", before="a", after="b")
TWO_AUTHORS = replace(POLICY, authors={"testability": "tester"})


def turned_down(policy: Policy = POLICY) -> Story:
    return Story(policy).check().answer(replace(issue("a"), id="F1", by=("reviewer",)), issue("b")).conclude()


def authored(story: Story, *changes: FileChange, author: str = "author", refused: tuple[str, ...] = ()) -> Story:
    call = Call(key=call_key(story.number, f"author:{author}"), agent=author, attempt=1)
    return story.then(Authored(iteration=story.number, call=call, text="", changes=changes, refused=refused))


def delivered(story: Story) -> Story:
    assert isinstance(story.step, BringBack), story.step
    return story.then(Revised(iteration=story.number, paths=()))


@pytest.mark.parametrize(
    ("how", "outcome"),
    [
        (OnExhausted.BLOCK, Outcome.BLOCKED),
        (OnExhausted.WARN, Outcome.PASSED_WITH_WARNINGS),
        (OnExhausted.ESCALATE, Outcome.ESCALATED),
    ],
)
def test_it_ends_after_the_first_review_in_the_way_an_exhausted_loop_ends(how: OnExhausted, outcome: Outcome):
    story = delivered(authored(turned_down(replace(POLICY, on_exhausted=how))))

    assert (outcome, "author changed nothing and contested no finding") == (story.step.outcome, story.step.because)
    if how is OnExhausted.WARN:
        assert (story.step.because, "still open: a", "still open: b") == story.step.warnings
    else:
        assert Reason.NO_CHANGE is story.step.reason
        story.finish()
        assert story.history.stopped
        assert "Read the author's answer: reviewloop log f --full" in story.history.stopped.recovery_actions
    assert 1 == len(story.history.iterations)


def test_a_change_is_reviewed():
    assert Check(number=2) == delivered(authored(turned_down(), CHANGE)).step


def test_a_contest_is_heard_although_nothing_changed():
    finding = replace(issue("a"), id="F1", by=("reviewer",))
    contest = Contested(iteration=1, finding=finding, reason="It is in section 2", by="author")
    assert Check(number=2) == delivered(authored(turned_down()).then(contest)).step
    with_arbiter = replace(POLICY, arbiter="judge")
    assert Rule(contest=contest, arbiter="judge") == delivered(authored(turned_down(with_arbiter)).then(contest)).step


def test_files_the_author_may_not_change_are_named():
    story = delivered(authored(turned_down(), refused=("src/app.py",)))

    assert (
        "author changed nothing but src/app.py, which the author may not change, and contested no finding"
        == story.step.because
    )


def two_authors() -> Story:
    story = Story(TWO_AUTHORS).check()
    return story.answer(issue("a"), replace(issue("b"), criterion="testability")).conclude()


def test_of_several_authors_one_change_is_enough_to_go_on():
    for first, second in (((CHANGE,), (CHANGE,)), ((), (CHANGE,))):
        story = authored(two_authors(), *first)
        assert ("tester", 1) == (story.step.turn.author, story.step.attempt)
        assert Check(number=2) == delivered(authored(story, *second, author="tester")).step


def test_several_authors_that_leave_the_text_as_it_was_end_the_loop():
    for first in ((), (CHANGE,)):  # the second author's record has the first one's work in it, or takes it back
        story = authored(two_authors(), *first)
        assert isinstance(story.step, Revise), "the second author is asked whatever the first one did"
        story = delivered(authored(story, author="tester"))
        assert (Reason.NO_CHANGE, "author and tester changed nothing and contested no finding") == (
            story.step.reason,
            story.step.because,
        )


def test_a_contest_of_either_author_keeps_the_loop_going():
    story = authored(two_authors())
    story.then(Contested(iteration=1, finding=replace(issue("a"), by=("reviewer",)), reason="It is there", by="author"))
    assert Check(number=2) == delivered(authored(story, author="tester")).step


def test_after_a_kill_behind_authored_the_loop_ends_the_same_way():
    story = authored(turned_down())
    story.then(Resumed(action=Answer.CONTINUE))
    assert Reason.NO_CHANGE is delivered(story).step.reason


def test_when_a_person_retries_the_author_is_asked_again_and_no_reviewer():
    story = delivered(authored(turned_down())).finish()
    story.then(Resumed(action=Answer.RETRY, note="See FR-3")).check(digest="d1").conclude()
    assert ("a", "b") == tuple(finding.issue for finding in story.step.turn.findings)
    assert (Reason.NO_CHANGE, 0) == (
        delivered(authored(story)).step.reason,
        len(story.history.iterations[-1].ended),
    )


def test_when_a_person_edited_the_text_first_the_reviewers_are_asked():
    story = delivered(authored(turned_down())).finish()
    story.then(Resumed(action=Answer.RETRY)).check(digest="edited by hand")
    assert [REVIEWER] == [due.seat for due in story.step.due]


def test_work_that_fails_its_own_check_does_not_pass_with_a_warning():
    story = Story(replace(POLICY, on_exhausted=OnExhausted.WARN))
    verified = Verification(command="make", exit_code=1, output="no")
    story.then(Checked(iteration=1, digest="d1", size=1, verified=verified, facts=verified.findings)).conclude()

    assert (Outcome.BLOCKED, Reason.NO_CHANGE) == (
        delivered(authored(story)).step.outcome,
        story.step.reason,
    )


def test_a_panel_that_orders_the_revision_itself_hands_it_to_a_person():
    seats = (Seat(agent="haiku"), Seat(agent="sonnet"))
    story = Story(replace(POLICY, seats=seats, on_exhausted=OnExhausted.ESCALATE)).check()
    for seat in seats:
        story.answer(issue("a"), seat=seat)
    assert judge(story.history.iterations[-1], story.history, story.policy).verdict is Verdict.NEEDS_REVISION
    assert Outcome.ESCALATED is delivered(authored(story.conclude())).step.outcome


def task(**more: Any) -> Story:
    """A task whose agent is done and has changed nothing."""
    commission = Commission(task="t", agent="dev", **more)
    story = Story()
    started = Started(
        feature="t", prd_path="", specs_path="", kind="change", profile="overlay", policy=POLICY, commission=commission
    )
    story.history = begin(started, NOW)
    return _worked(story)


def _worked(story: Story, *changes: FileChange) -> Story:
    assert isinstance(story.step, Write), story.step
    call = Call(key=call_key(0, "author:dev"), agent="dev", attempt=1)
    story.then(Commissioned(feature="t", call=call))
    story.then(Authored(iteration=0, call=call, text="", changes=changes))
    assert isinstance(story.step, BringBack)
    return story.then(Revised(iteration=0, paths=()))


@pytest.mark.parametrize(
    "more", [{"is_reviewed": False}, {"is_reviewed": False, "outputs": ("a.md",)}, {"is_reviewed": True}]
)
def test_a_task_that_changed_nothing_and_has_no_check_is_handed_to_a_person(more: dict[str, Any]):
    story = task(**more)

    assert (
        Finish(
            outcome=Outcome.ESCALATED,
            because="dev changed nothing, and no check says that the task is done",
            reason=Reason.NO_CHANGE,
        )
        == story.step
    )


@pytest.mark.parametrize(
    "more",
    [
        {"is_reviewed": False, "verify": Verify(command="make")},
        {"is_reviewed": True, "verify": Verify(command="make")},
        {"is_reviewed": True, "outputs": ("a.md",)},
    ],
)
def test_a_check_or_a_review_of_what_is_there_decides_instead(more: dict[str, Any]):
    assert Check(number=1) == task(**more).step


def test_the_tasks_agent_is_asked_again_when_a_person_retries():
    story = task(is_reviewed=False).finish()
    story.then(Resumed(action=Answer.RETRY, note="really"))
    assert Outcome.PASSED_WITH_WARNINGS is _worked(story, CHANGE).step.outcome


def test_an_old_record_of_an_iteration_that_changed_nothing_is_still_read():
    """Before, the same text was reviewed again: such sessions have further iterations."""
    story = delivered(authored(turned_down()))
    story.then(Checked(iteration=2, digest="d1", size=1))
    assert isinstance(story.history.iterations[0].conclusion, Iterated)
    assert [REVIEWER] == [due.seat for due in story.step.due]
