"""The sentences that a session ends with: each is true in the case that prints it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from loop_story import GOOD, POLICY, Story, issue

from reviewloop.core.loop.endings import actions_to_show
from reviewloop.core.session.events import Dismissed, MalformedAnswer, Resumed, Tampered, Unanswered
from reviewloop.core.types.finding import Finding, Severity
from reviewloop.core.types.outcome import Answer, Outcome
from reviewloop.core.types.policy import Gate, OnExhausted, OnInconclusive, Policy, Seat
from reviewloop.core.types.review import NO_JSON, Failure, Malformed, Verdict

STATIC = Seat(agent="static")
HAIKU, SONNET = Seat(agent="haiku"), Seat(agent="sonnet")
TWO = replace(POLICY, seats=(HAIKU, SONNET))


def conclusion(story: Story) -> str:
    return story.step.judgement.because


@pytest.mark.parametrize(
    ("changes", "because"),
    [
        ({}, "passed by reviewer"),
        ({"verdict": Verdict.NEEDS_REVISION, "findings": (issue("a"),)}, "failed by reviewer"),
        (
            {"findings": (issue("a", Severity.CRITICAL),)},
            "passed by reviewer, but a finding is critical",
        ),
        ({"scores": GOOD | {"testability": 10.0}}, "passed by reviewer, but a score is below its minimum"),
        ({"checks": {"tests": False}}, "passed by reviewer, but a check failed"),
        (
            {"verdict": Verdict.NEEDS_REVISION, "findings": (issue("a"),), "scores": GOOD | {"testability": 66.0}},
            "failed by reviewer",
        ),
    ],
)
def test_the_reviewer_that_decided_is_named(changes: dict[str, object], because: str):
    assert because == conclusion(Story(replace(POLICY, borderline=5)).check().answer(**changes))


def test_several_reviewers_share_a_sentence():
    assert "passed by haiku and sonnet" == conclusion(Story(TWO).check().answer(seat=HAIKU).answer(seat=SONNET))
    split = Story(TWO).check().answer(seat=HAIKU).answer(issue("a"), seat=SONNET)
    assert "failed by sonnet" == conclusion(split), "only those who fail it are named"


def test_offline_rules_alone_are_no_reviewer():
    alone = replace(POLICY, seats=(STATIC,))
    assert "no reviewer configured; the offline rules found nothing critical" == conclusion(
        Story(alone).check().answer(seat=STATIC)
    )
    assert "failed by the offline rules" == conclusion(Story(alone).check().answer(issue("a"), seat=STATIC))


def rule_finding(text: str, severity: Severity) -> Finding:
    return replace(issue(text, severity), rule="DOC002")


def test_a_closed_gate_counts_its_findings():
    critical, important = rule_finding("a", Severity.CRITICAL), rule_finding("b", Severity.IMPORTANT)
    assert "1 critical rule finding; reviewers were not asked" == conclusion(Story().check(facts=(critical, important)))
    strict = replace(POLICY, static_gate=Gate.IMPORTANT)
    assert "1 critical and 1 important rule findings; reviewers were not asked" == conclusion(
        Story(strict).check(facts=(critical, important))
    )
    offline = replace(POLICY, seats=(STATIC,))
    assert "1 critical rule finding" == conclusion(Story(offline).check(facts=(critical,)))


def test_findings_that_do_not_block_are_counted_by_reason():
    note = issue("a", Severity.INFO)
    assert "failed by reviewer" == conclusion(Story().check().answer(note)), "who refuses for a note still refuses"
    assert "passed by reviewer" == conclusion(Story().check().answer(note, verdict=Verdict.PASS))
    wrong = issue("The limit is missing")
    story = Story().check().then(Dismissed(finding=wrong, by="ada")).answer(wrong, note)
    assert "1 finding dismissed; 1 finding for information only" == conclusion(story)


def failed(story: Story, seat: Seat, cause: str, message: str) -> Story:
    failure = Failure(cause=cause, message=message)  # pyright: ignore[reportArgumentType]
    return story.then(Unanswered(iteration=1, call=story.call(seat), failure=failure))


def test_each_missing_answer_gets_its_own_reason():
    story = failed(Story(replace(TWO, retry_on_malformed=0)).check(), HAIKU, "failed", "haiku exited with 1")
    problem = Malformed(field="root", message=NO_JSON)
    story.then(
        MalformedAnswer(
            feature="f", raw_output="?", parse_error=str(problem), retry_number=1, iteration=1,
            call=story.call(SONNET), problem=problem,
        )
    )  # fmt: skip
    assert (
        "malformed output: sonnet: the answer contains no JSON object; no usable answer from haiku: exited with 1"
    ) == conclusion(story)


@pytest.mark.parametrize(
    ("where", "because"),
    [
        ("copy", "review discarded: `reviewer` changed spec.md, and reviewers may only read"),
        ("tree", "review discarded: spec.md changed while `reviewer` was reviewing"),
    ],
)
def test_a_reviewer_is_blamed_only_for_its_own_copy(where: str, because: str):
    story = Story().check()
    story.then(Tampered(iteration=1, key=story.call().key, where=where, paths=("spec.md",)))
    assert because == conclusion(failed(story, Seat(agent="reviewer"), "tampered", "files changed"))


def exhausted(how: OnExhausted, policy: Policy = POLICY) -> Story:
    story = Story(replace(policy, max_iterations=1, on_exhausted=how)).check().answer(issue("a"))
    return story.conclude().finish()


def test_people_read_how_many_reviews_failed_and_the_event_keeps_its_fixed_reason():
    blocked = exhausted(OnExhausted.BLOCK).history
    assert ("max iterations exhausted with needs_revision verdict", "still failing after 1 review") == (
        blocked.because, blocked.explanation,
    )  # fmt: skip
    warned = exhausted(OnExhausted.WARN).history
    assert (Outcome.PASSED_WITH_WARNINGS, "still failing after 1 review") == (warned.outcome, warned.because)


def test_the_last_action_can_be_pasted_and_is_shown_with_its_label():
    history = exhausted(OnExhausted.BLOCK).history
    assert history.stopped
    assert "reviewloop resume f" == history.stopped.recovery_actions[-1]
    assert "Try again (asks the agents): reviewloop resume f" == actions_to_show(history)[-1]
    offline = Policy(seats=(STATIC,))
    story = Story(offline).check(facts=(rule_finding("a", Severity.CRITICAL),)).conclude().finish()
    assert "Try again: reviewloop resume f" == actions_to_show(story.history)[-1], "there is no agent to ask"
    assert () == actions_to_show(Story().history)


def test_a_retry_names_the_person():
    story = exhausted(OnExhausted.BLOCK, POLICY)
    story.policy = replace(story.policy, max_iterations=3)
    story.then(Resumed(action=Answer.RETRY, by="ada", policy=story.policy)).check("d1")
    assert "sent back by ada" == conclusion(story)


def test_no_verdict_that_may_proceed_says_which_setting_allows_it():
    story = Story(replace(POLICY, on_inconclusive=OnInconclusive.PASS)).check().malformed(1).malformed(2).conclude()
    assert "no verdict; `on_inconclusive: pass` lets it proceed" == story.step.because
