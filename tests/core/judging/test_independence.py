"""Who may stand in for whom, and under which name an answer counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.loop_story import GOOD, Story, issue
from reviewloop.core.judging.independence import (
    as_answered,
    authors_of,
    raisers,
    reviewers_of,
    stand_ins,
    why_not_review,
    why_not_rule,
)
from reviewloop.core.loop.steps import Ask, Finish
from reviewloop.core.session.events import Answered, Unanswered
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.outcome import Reason
from reviewloop.core.types.policy import Policy, Seat
from reviewloop.core.types.review import Failure, Review, Verdict
from reviewloop.core.types.rubric import FOUR_CRITERIA

ONE, TWO = Seat(agent="one"), Seat(agent="two")
POLICY = Policy(seats=(ONE, TWO), author="author", authors={"testability": "tester"}, arbiter="judge")
VAGUE = issue("The limit is missing", section="Design")


def instead(story: Story, seat: Seat, who: str, *findings: Finding) -> Story:
    """A fallback answers in place of the reviewer of a seat."""
    verdict = Verdict.NEEDS_REVISION if findings else Verdict.PASS
    review = Review(verdict=verdict, findings=findings, scores=GOOD, judged=FOUR_CRITERIA.names)
    return story.then(Answered(iteration=story.number, call=story.call(seat), text="", review=review, answered_by=who))


@pytest.mark.parametrize(
    ("agent", "why"),
    [
        ("author", "author is an author, and nobody reviews their own work"),
        ("tester", "tester is an author, and nobody reviews their own work"),
        ("two", "two already has a seat of its own"),
        ("spare", None),
        ("judge", None),
    ],
)
def test_who_may_stand_in_for_a_reviewer(agent: str, why: str | None):
    assert why == why_not_review(agent, ONE, Story(POLICY).history, {})


def test_after_a_crash_a_stand_in_is_still_one_reviewers():
    story = instead(Story(POLICY).check(), ONE, "spare")
    assert isinstance(story.step, Ask)
    assert story.history.current
    taken = stand_ins(story.history.current)
    assert "spare already stands in for one" == why_not_review("spare", TWO, story.history, taken)
    assert why_not_review("spare", ONE, story.history, taken) is None


def test_an_answer_counts_under_the_name_of_who_gave_it():
    story = instead(Story(POLICY).check(), ONE, "spare", VAGUE).answer(seat=TWO).conclude()
    iteration = story.history.current
    assert iteration
    assert iteration.conclusion
    assert ("failed by spare", [("spare",)]) == (
        iteration.conclusion.because,
        [finding.by for finding in iteration.conclusion.findings],
    )
    assert ("spare", "two") == reviewers_of(iteration, POLICY)
    assert [seat.name for seat in POLICY.seats] == [seat.name for seat in as_answered(POLICY, iteration).seats]


def test_who_raised_a_finding_as_a_stand_in_does_not_rule_on_it():
    story = instead(Story(POLICY).check(), ONE, "judge", VAGUE).answer(seat=TWO).conclude()
    assert {"judge"} == raisers(VAGUE, story.history)
    assert "judge raised it, and nobody rules on their own finding" == why_not_rule("judge", [VAGUE], story.history)
    assert why_not_rule("one", [VAGUE], story.history) is None


def test_authors_are_those_who_write_and_those_who_wrote():
    story = Story(POLICY).check().answer(VAGUE, seat=ONE).answer(seat=TWO).conclude().revise()
    changed = replace(story.history, policy=replace(POLICY, author="other"))
    assert {"author", "tester", "other"} == authors_of(changed)


@pytest.mark.parametrize("answers", [(), (TWO,)])
def test_a_call_that_the_budget_ends_ends_the_session(answers: tuple[Seat, ...]):
    story = Story(POLICY).check()
    for seat in answers:
        story.answer(seat=seat)
    failure = Failure(cause="budget", message="the budget of 9 seconds ended the call: no answer")
    for seat in (seat for seat in POLICY.seats if seat not in answers):
        story.then(Unanswered(iteration=1, call=story.call(seat), failure=failure))
    step = story.step
    assert isinstance(step, Finish)
    assert (Reason.BUDGET, f"budget spent: {failure.message}") == (step.reason, step.because)


def test_a_no_is_heard_although_the_budget_ended_another_call():
    story = Story(POLICY).check().answer(VAGUE, seat=TWO)
    failure = Failure(cause="budget", message="the budget of 9 seconds ended the call: no answer")
    story.then(Unanswered(iteration=1, call=story.call(ONE), failure=failure)).conclude()
    assert Verdict.NEEDS_REVISION is story.history.verdict
