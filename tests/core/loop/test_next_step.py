"""The heart: what happens next, given what happened. Pure, so tested without any world around it."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from loop_story import GOOD, POLICY, Story, issue

from example_counts import examples
from reviewloop.core.loop.steps import Ask, BringBack, Check, Conclude, Finish, Revise
from reviewloop.core.session.events import (
    Authored,
    AuthorFailed,
    Conflicted,
    Escalated,
    Resumed,
    Revised,
    Unanswered,
)
from reviewloop.core.session.history import call_key
from reviewloop.core.types.calls import Call, FileChange
from reviewloop.core.types.finding import Severity, Standing
from reviewloop.core.types.outcome import Answer, Outcome, Reason
from reviewloop.core.types.policy import Budget, Gate, OnExhausted, OnInconclusive
from reviewloop.core.types.review import Failure, Review, Verdict
from reviewloop.core.types.sections import Section


def test_the_way_of_a_pass():
    story = Story()
    assert Check(number=1) == story.step
    story.check()
    assert isinstance(story.step, Ask)
    story.answer().conclude()
    assert Outcome.PASSED is story.step.outcome


def test_max_iterations_counts_reviews_and_one_is_always_the_other_plus_one():
    story = Story(replace(POLICY, max_iterations=3))
    fixes = 0
    for number in range(3):
        story.check().answer(issue(f"thing {number}"), *([issue("x")] * (2 - number))).conclude()
        if isinstance(story.step, Revise):
            story.revise()
            fixes += 1
    assert (2, 3, Reason.EXHAUSTED) == (fixes, len(story.history.iterations), story.step.reason)


def test_the_loop_never_ends_on_a_fix_that_nobody_reviewed():
    story = Story().check().answer(issue("a")).conclude().revise()
    assert Check(number=2) == story.step


def test_exhausted_can_warn_or_escalate():
    for how, outcome in (
        (OnExhausted.BLOCK, Outcome.BLOCKED),
        (OnExhausted.WARN, Outcome.PASSED_WITH_WARNINGS),
        (OnExhausted.ESCALATE, Outcome.ESCALATED),
    ):
        story = Story(replace(POLICY, max_iterations=1, on_exhausted=how)).check().answer(issue("a")).conclude()
        assert outcome is story.step.outcome


def test_malformed_is_retried_and_then_inconclusive():
    story = Story().check().malformed(1)
    assert (2, "root: no JSON") == (story.step.due[0].attempt, str(story.step.due[0].problem))
    story.malformed(2).conclude()
    assert (Outcome.BLOCKED, Reason.MALFORMED) == (story.step.outcome, story.step.reason)
    assert story.step.because.startswith("malformed output: ")


def test_an_agent_that_could_not_be_run_is_told_apart_and_not_asked_again():
    failure = Failure(cause="missing", message="no such program")
    story = Story().check()
    story.then(Unanswered(iteration=1, call=story.call(), failure=failure)).conclude()
    assert (Outcome.BLOCKED, Reason.UNANSWERED) == (story.step.outcome, story.step.reason)


def test_on_inconclusive_pass_says_with_warnings():
    policy = replace(POLICY, on_inconclusive=OnInconclusive.PASS)
    story = Story(policy).check().malformed(1).malformed(2).conclude()
    assert Outcome.PASSED_WITH_WARNINGS is story.step.outcome
    assert "no verdict" in story.step.warnings[0]
    escalating = replace(POLICY, on_inconclusive=OnInconclusive.ESCALATE)
    assert Outcome.ESCALATED is Story(escalating).check().malformed(1).malformed(2).conclude().step.outcome


def test_a_pass_with_a_critical_finding_is_none():
    story = Story().check().answer(issue("boom", Severity.CRITICAL), verdict=Verdict.PASS).conclude()
    assert isinstance(story.step, Revise)


def test_a_pass_with_a_low_score_is_none_and_says_so():
    story = Story().check().answer(scores=GOOD | {"testability": 69.0}).conclude()
    assert "testability scores 69, below its minimum of 70" == story.step.conclusion.findings[0].issue


def test_a_needs_revision_is_not_padded_with_its_scores():
    story = Story().check().answer(issue("a"), scores=GOOD | {"testability": 10.0}).conclude()
    assert ["a"] == [finding.issue for finding in story.step.conclusion.findings]


def test_borderline_scores_pass_with_warnings():
    policy = replace(POLICY, borderline=5)
    story = Story(policy).check().answer(scores=GOOD | {"testability": 66.0}).conclude()
    assert ("testability is borderline: 66 of 70",) == story.step.warnings


def test_a_criterion_nobody_judged_never_counts_as_passed():
    story = Story().check().answer(judged=("completeness", "consistency"), scores={"completeness": 90.0}).conclude()
    assert (Outcome.PASSED_WITH_WARNINGS, "not checked: testability, architecture") == (
        story.step.outcome, story.step.warnings[-1],
    )  # fmt: skip


def test_an_inconclusive_review_is_no_pass():
    story = Story().check().answer(verdict=Verdict.INCONCLUSIVE).conclude()
    assert Outcome.BLOCKED is story.step.outcome


def test_the_gate_closes_before_anybody_is_asked():
    fact = replace(issue("FR-1 is defined twice", Severity.CRITICAL), rule="DOC002")
    assert isinstance(Story().check(facts=(fact,)).step, Conclude)
    assert isinstance(Story(replace(POLICY, static_gate=Gate.OFF)).check(facts=(fact,)).step, Ask)
    important = replace(fact, severity=Severity.IMPORTANT)
    assert isinstance(Story().check(facts=(important,)).step, Ask)
    assert isinstance(Story(replace(POLICY, static_gate=Gate.IMPORTANT)).check(facts=(important,)).step, Conclude)


def test_without_an_author_the_loop_reviews_and_stops():
    story = Story(replace(POLICY, author=None)).check().answer(issue("a")).conclude()
    assert (Outcome.BLOCKED, Reason.NO_AUTHOR) == (story.step.outcome, story.step.reason)


def sections(**digests: str) -> tuple[Section, ...]:
    return tuple(
        Section(file="f.md", title=title, start=10 * n + 1, end=10 * n + 10, digest=digest)
        for n, (title, digest) in enumerate(digests.items())
    )


def standings(story: Story) -> list[str]:
    conclusion = story.history.iterations[-1].conclusion
    assert conclusion
    return [str(finding.standing) for finding in conclusion.findings]


def test_the_ratchet_classes_findings():
    story = Story().check(sections=sections(A="1", B="1", C="1"))
    story.answer(
        issue("The limit is missing", section="A"), issue("The name is unclear", section="B")
    ).conclude().revise()
    story.check(sections=sections(A="2", B="2", C="1"))
    story.answer(
        issue("The limit is missing", section="A"),
        issue("The new words contradict FR-9", section="B"),
        issue("This was always vague", section="C"),
    ).conclude()
    assert ["still_failing", "new", "late"] == standings(story)


def test_late_findings_below_critical_are_notes():
    story = Story().check(sections=sections(A="1", B="1")).answer(issue("one thing", section="A")).conclude().revise()
    story.check(sections=sections(A="2", B="1")).answer(issue("quite another matter", section="B")).conclude()
    assert (Outcome.PASSED_WITH_WARNINGS, "1 late finding kept as a note") == (
        story.step.outcome, story.step.warnings[0],
    )  # fmt: skip


def test_late_findings_that_are_critical_block():
    story = Story().check(sections=sections(A="1", B="1")).answer(issue("one thing", section="A")).conclude().revise()
    story.check(sections=sections(A="2", B="1")).answer(issue("a hole", Severity.CRITICAL, section="B")).conclude()
    assert isinstance(story.step, Revise)


def test_scores_that_stay_low_block_even_if_the_findings_come_late():
    low = GOOD | {"testability": 40.0}
    story = (
        Story()
        .check(sections=sections(A="1", B="1"))
        .answer(issue("one thing", section="A"), scores=low)
        .conclude()
        .revise()
    )
    story.check(sections=sections(A="2", B="1")).answer(
        issue("quite another matter", section="B"), scores=low
    ).conclude()
    assert isinstance(story.step, Revise)


def test_what_comes_back_is_a_regression_and_the_loop_oscillates():
    story = (
        Story(replace(POLICY, max_iterations=5))
        .check()
        .answer(issue("The limit is missing"), issue("Second point here"))
        .conclude()
        .revise()
    )
    story.check().answer(issue("Something else entirely")).conclude().revise()
    story.check().answer(issue("The limit is missing")).conclude()
    assert ["regression"] == standings(story)
    assert (Outcome.ESCALATED, Reason.OSCILLATING) == (story.step.outcome, story.step.reason)


def test_two_plateaus_go_to_a_person_before_the_cap():
    story = Story(replace(POLICY, max_iterations=6))
    for _ in range(2):
        story.check().answer(issue("The limit is missing")).conclude().revise()
    story.check().answer(issue("The limit is missing")).conclude()
    assert (Outcome.ESCALATED, Reason.PLATEAU, 3) == (story.step.outcome, story.step.reason, story.number)


def test_plateaus_with_progress_between_them_do_not_end_the_loop():
    story = Story(replace(POLICY, max_iterations=9))
    first, second, third = issue("The limit is missing"), issue("Nobody may export"), issue("Rows have no order")
    for raised in ((first, second, third), (first, second, third), (first, second), (first, second)):
        story.check().answer(*raised).conclude()
        assert isinstance(story.step, Revise)
        story.revise()
    classes = [str(one.conclusion.convergence) for one in story.history.iterations[1:] if one.conclusion]
    assert ["plateau", "converging", "plateau"] == classes


def test_what_the_gate_closed_does_not_make_a_reviewers_first_look_late():
    fact = replace(issue("twice", Severity.CRITICAL), rule="DOC002")
    story = Story().check(digest="same", facts=(fact,), sections=sections(A="1")).conclude().revise()
    story.check(digest="same", sections=sections(A="1")).answer(issue("vague", section="A")).conclude()
    assert [Standing.NEW] == standings(story)


def test_budgets_block():
    for budget, words in (
        (Budget(usd=0.4), "$0.50 of $0.40"),
        (Budget(tokens=100), "110 of 100 tokens"),
        (Budget(seconds=1), "3 of 1 seconds"),
    ):
        story = Story(replace(POLICY, budget=budget)).check().answer(issue("a")).conclude()
        assert (Outcome.BLOCKED, Reason.BUDGET, f"budget spent: {words}") == (
            story.step.outcome, story.step.reason, story.step.because,
        )  # fmt: skip


def test_a_pass_is_not_taken_away_by_the_budget():
    assert Outcome.PASSED is Story(replace(POLICY, budget=Budget(usd=0.4))).check().answer().conclude().step.outcome


def test_the_time_until_a_person_comes_back_costs_nothing():
    story = (
        Story(replace(POLICY, max_iterations=1, budget=Budget(seconds=60)))
        .check()
        .answer(issue("a"))
        .conclude()
        .finish()
    )
    story.then(Resumed(action=Answer.RETRY), seconds=86_400).check()
    assert isinstance(story.step, Ask)


def test_a_persons_answer_opens_a_new_window():
    story = Story(replace(POLICY, max_iterations=1)).check().answer(issue("a")).conclude().finish()
    assert Outcome.BLOCKED is story.history.outcome
    story.then(Resumed(action=Answer.RETRY, note="keep FR-3"))
    assert (Check(number=2), ("keep FR-3",)) == (story.step, story.history.notes)
    story.check().answer().conclude()
    assert Outcome.PASSED is story.step.outcome


def test_a_conflict_goes_to_a_person():
    story = Story().check().answer(issue("a")).conclude()
    call = Call(key="1/author:author", agent="author", attempt=1)
    story.then(Authored(iteration=1, call=call, text="", changes=()))
    story.then(Conflicted(iteration=1, paths=("f.md",), kept_at=".reviewloop/conflicts/1"))
    assert (Outcome.ESCALATED, Reason.CONFLICT) == (story.step.outcome, story.step.reason)


def test_an_author_that_fails_is_asked_again_as_often_as_the_policy_says():
    story = (
        Story(replace(POLICY, author_retries=1, on_author_failure=OnExhausted.WARN))
        .check()
        .answer(issue("a"))
        .conclude()
    )
    failure = Failure(cause="failed", message="exit 1")
    for attempt in (1, 2):
        assert attempt == story.step.attempt
        call = Call(key="1/author:author", agent="author", attempt=attempt)
        story.then(AuthorFailed(iteration=1, call=call, failure=failure))
    assert (Outcome.PASSED_WITH_WARNINGS, "failed to apply feedback: exit 1") == (
        story.step.outcome,
        story.step.warnings[0],
    )


def test_an_over_session_stays_over():
    story = Story().check().answer().conclude().finish()
    assert (Outcome.PASSED, Outcome.PASSED) == (story.history.outcome, story.step.outcome)


def test_escalated_and_blocked_carry_every_iteration_and_end_in_a_command():
    story = Story(replace(POLICY, max_iterations=2, on_exhausted=OnExhausted.ESCALATE))
    story.check().answer(issue("a"), issue("b")).conclude().revise().check().answer(issue("a")).conclude().finish()
    stopped = story.history.stopped
    assert isinstance(stopped, Escalated)
    assert (2, "reviewloop resume f") == (len(stopped.iterations), stopped.recovery_actions[-1])


moves = st.lists(
    st.sampled_from(
        ["pass", "fail", "critical", "malformed", "missing", "author fails", "author idle", "conflict", "low", "gate"]
    ),
    max_size=14,
)


@settings(max_examples=examples(300), deadline=None)
@given(moves=moves, max_iterations=st.integers(1, 6), retries=st.integers(0, 2), author=st.booleans())
def test_whatever_agents_do_the_loop_ends_and_a_pass_has_a_passing_review(
    moves: list[str], max_iterations: int, retries: int, author: bool
):
    """Drive the loop with anything; it must end within its caps, and pass only on a review that passes."""
    policy = replace(
        POLICY, max_iterations=max_iterations, retry_on_malformed=retries, author="author" if author else None
    )
    story = Story(policy)
    queue = list(moves)
    for _ in range(200):
        step = story.step
        move = queue.pop(0) if queue else "pass"
        match step:
            case Check():
                fact = replace(issue("twice", Severity.CRITICAL), rule="DOC002")
                story.check(facts=(fact,) if move == "gate" else ())
            case Ask(due=due):
                call = Call(key=call_key(story.number, due[0].seat.name), agent="reviewer", attempt=due[0].attempt)
                match move:
                    case "fail":
                        story.answer(issue(f"thing {len(queue)}"))
                    case "critical":
                        story.answer(issue("boom", Severity.CRITICAL), verdict=Verdict.PASS)
                    case "low":
                        story.answer(scores=GOOD | {"testability": 1.0})
                    case "malformed":
                        story.malformed(due[0].attempt)
                    case "missing":
                        failure = Failure(cause="missing", message="gone")
                        story.then(Unanswered(iteration=story.number, call=call, failure=failure))
                    case _:
                        story.answer()
            case Conclude():
                story.conclude()
            case Revise():
                call = Call(key=call_key(story.number, "author:author"), agent="author", attempt=step.attempt)
                if move == "author fails":
                    failure = Failure(cause="failed", message="no")
                    story.then(AuthorFailed(iteration=story.number, call=call, failure=failure))
                else:
                    changes = () if move == "author idle" else (FileChange(path="f.md", before="a", after="b"),)
                    story.then(Authored(iteration=story.number, call=call, text="", changes=changes))
            case BringBack():
                if move == "conflict":
                    story.then(Conflicted(iteration=story.number, paths=("f.md",), kept_at="x"))
                else:
                    story.then(Revised(iteration=story.number, paths=()))
            case Finish():
                story.finish()
                break
    assert story.history.outcome is not None
    assert len(story.history.iterations) <= max_iterations
    last_round = story.history.iterations[-1]
    assert last_round.revised is None or last_round.is_unchanged, "a fix that changed something was reviewed"
    if last_round.is_unchanged:
        stopped = story.history.stopped
        assert (Outcome.BLOCKED, Reason.NO_CHANGE) == (story.history.outcome, stopped.code if stopped else None)
    if story.history.outcome is Outcome.PASSED:
        last = story.history.iterations[-1].ended[-1].result
        assert isinstance(last, Review)
        assert (Verdict.PASS, GOOD) == (last.verdict, last.scores)
        assert not any(finding.severity is Severity.CRITICAL for finding in last.findings)
