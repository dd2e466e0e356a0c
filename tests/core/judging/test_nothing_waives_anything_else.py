"""A finding that is dismissed, withdrawn, suppressed, late or informational waives itself, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from loop_story import GOOD, POLICY, Story, issue

from reviewloop.core.judging.judge import Judgement
from reviewloop.core.loop.steps import Conclude
from reviewloop.core.session.events import Answered, Dismissed
from reviewloop.core.session.history import call_key
from reviewloop.core.types.calls import Call
from reviewloop.core.types.finding import Severity
from reviewloop.core.types.policy import Policy, Seat, Suppression, profile
from reviewloop.core.types.review import Review, Stage, Verdict
from reviewloop.core.types.sections import Section

LOW = GOOD | {"testability": 0.0}
WRONG = issue("The limit of FR-2 is missing")
LOW_SCORE = "testability scores 0, below its minimum of 70"


def judgement(story: Story) -> Judgement:
    step = story.step
    assert isinstance(step, Conclude), step
    return step.judgement


def dismissed(policy: Policy = POLICY) -> Story:
    return Story(policy).check().then(Dismissed(finding=WRONG, by="ada", why="it is in FR-3"))


def suppressed() -> Story:
    known = Suppression(pattern="p1", issue=WRONG.issue, because="memory: said to be wrong 3 times")
    return Story(replace(POLICY, suppressions=(known,))).check()


@pytest.mark.parametrize("begin", [dismissed, suppressed], ids=["dismissed", "suppressed"])
@pytest.mark.parametrize("verdict", [Verdict.PASS, Verdict.NEEDS_REVISION])
def test_a_low_score_blocks_although_its_only_finding_is_waived(begin: Callable[[], Story], verdict: Verdict):
    found = judgement(begin().answer(WRONG, verdict=verdict, scores=LOW))
    assert (Verdict.NEEDS_REVISION, [LOW_SCORE]) == (
        found.verdict, [finding.issue for finding in found.findings if finding.is_serious],
    )  # fmt: skip


@pytest.mark.parametrize("verdict", [Verdict.PASS, Verdict.NEEDS_REVISION])
def test_a_low_score_blocks_beside_notes_for_information(verdict: Verdict):
    note = issue("Nice", Severity.INFO)
    found = judgement(Story().check().answer(note, verdict=verdict, scores=LOW))
    assert Verdict.NEEDS_REVISION is found.verdict


def test_a_pass_after_a_dismissal_names_who_dismissed_what_and_why():
    found = judgement(dismissed().answer(WRONG))
    assert (Verdict.PASS, (f"{WRONG.issue} (dismissed by ada: it is in FR-3)",)) == (found.verdict, found.warnings)


def test_a_pass_after_a_suppression_is_a_pass_with_a_warning():
    found = judgement(suppressed().answer(WRONG))
    assert Verdict.PASS is found.verdict
    assert WRONG.issue in found.warnings[0]


def test_a_refusal_is_never_softened_by_borderline_scores():
    policy = replace(POLICY, borderline=5)
    story = Story(policy).check().answer(WRONG, scores=GOOD | {"testability": 66.0})
    found = judgement(story)
    assert (Verdict.NEEDS_REVISION, "failed by reviewer", [WRONG.issue]) == (
        found.verdict, found.because, [finding.issue for finding in found.findings],
    )  # fmt: skip


def test_a_refusal_for_a_note_alone_stays_a_refusal():
    found = judgement(Story().check().answer(issue("Nice", Severity.INFO), verdict=Verdict.NEEDS_REVISION))
    serious = [finding.issue for finding in found.findings if finding.is_serious]
    assert (Verdict.NEEDS_REVISION, ["reviewer failed the work, but reported nothing that must be fixed"]) == (
        found.verdict, serious,
    )  # fmt: skip


SECTIONS = (Section(file="f.md", title="Old", level=1, start=1, end=5, digest="same"),)
LATE = issue("FR-9 is vague", file="f.md", line=2)


def second_iteration(before: dict[str, float]) -> Story:
    """A session in its second iteration, after a first one with these scores."""
    story = Story().check(sections=SECTIONS).answer(issue("FR-1 is vague", file="g.md"), scores=before)
    return story.conclude().revise().check(sections=SECTIONS)


def test_a_score_that_fell_with_late_findings_alone_is_a_warning_that_names_it():
    found = judgement(second_iteration(GOOD).answer(LATE, scores=LOW))
    assert (Verdict.PASS, (f"{LOW_SCORE} (late)", "1 late finding kept as a note")) == (found.verdict, found.warnings)


def test_a_score_that_was_low_before_is_not_late():
    assert Verdict.NEEDS_REVISION is judgement(second_iteration(LOW).answer(LATE, scores=LOW)).verdict


def test_a_score_that_fell_with_a_dismissed_finding_is_not_late():
    story = second_iteration(GOOD).then(Dismissed(finding=WRONG, by="ada", why="no"))
    assert Verdict.NEEDS_REVISION is judgement(story.answer(LATE, WRONG, scores=LOW)).verdict


def test_a_score_that_fell_without_a_finding_is_not_late():
    assert Verdict.NEEDS_REVISION is judgement(second_iteration(GOOD).answer(scores=LOW)).verdict


@pytest.mark.parametrize(("total", "verdict"), [(89, Verdict.PASS), (90, Verdict.PASS), (90.5, Verdict.NEEDS_REVISION)])
def test_the_weighted_total_has_a_minimum_of_its_own(total: float, verdict: Verdict):
    scores = dict.fromkeys(GOOD, 90.0)
    found = judgement(Story(replace(POLICY, min_total=total)).check().answer(scores=scores))
    assert verdict is found.verdict
    if verdict is Verdict.NEEDS_REVISION:
        assert "the weighted total is 90, below its minimum of 90.5" == found.findings[-1].issue
        assert "passed by reviewer, but the weighted total is 90, below its minimum of 90.5" == found.because


def test_weights_decide_the_total():
    heavy = tuple(replace(item, weight=9 if item.name == "testability" else 1) for item in POLICY.rubric.criteria)
    policy = replace(POLICY, rubric=replace(POLICY.rubric, criteria=heavy), min_total=80)
    scores = dict.fromkeys(GOOD, 100.0) | {"testability": 71.0}
    assert Verdict.NEEDS_REVISION is judgement(Story(policy).check().answer(scores=scores)).verdict
    assert Verdict.PASS is judgement(Story(replace(POLICY, min_total=80)).check().answer(scores=scores)).verdict


PANEL = replace(
    profile("panel"), seats=tuple(Seat(agent=agent, stage=stage) for stage in Stage for agent in ("haiku", "sonnet"))
)


def panel(policy: Policy, **reviews: Review) -> Judgement:
    story = Story(policy).check()
    for seat in policy.seats:
        review = reviews.get(f"{seat.stage}_{seat.agent}", Review(verdict=Verdict.PASS))
        judged = replace(review, judged=policy.rubric_of(seat).names)
        call = Call(key=call_key(1, seat.name), agent=seat.agent, attempt=1, stage=seat.stage)
        story.then(Answered(iteration=1, call=call, text="", review=judged))
    return judgement(story)


@pytest.mark.parametrize("severity", [Severity.MINOR, Severity.INFO])
@pytest.mark.parametrize("where", ["spec_haiku", "spec_sonnet", "quality_haiku", "quality_sonnet"])
def test_a_model_that_fails_the_work_for_little_fails_it(where: str, severity: Severity):
    review = Review(verdict=Verdict.NEEDS_REVISION, findings=(issue("Nice", severity),))
    found = panel(replace(PANEL, auto_approve=True), **{where: review})
    assert Verdict.NEEDS_REVISION is found.verdict
    assert found.decision is not None
    assert "fail" in found.decision.inputs.values()


@pytest.mark.parametrize("where", ["spec_haiku", "quality_sonnet"])
def test_a_low_score_fails_a_panel_too(where: str):
    found = panel(PANEL, **{where: Review(verdict=Verdict.PASS, scores=LOW)})
    assert (Verdict.NEEDS_REVISION, 0.0) == (found.verdict, found.scores["testability"])


def test_a_low_total_also_fails_a_panel_whose_models_report_nothing():
    story = Story(replace(PANEL, dialect="scored", min_total=95)).check()
    for seat in PANEL.seats:
        call = Call(key=call_key(1, seat.name), agent=seat.agent, attempt=1, stage=seat.stage)
        review = Review(verdict=Verdict.PASS, scores=GOOD, judged=tuple(GOOD))
        story.then(Answered(iteration=1, call=call, text="", review=review))
    found = judgement(story)
    low = "the weighted total is 90, below its minimum of 95"
    assert (Verdict.NEEDS_REVISION, [low]) == (found.verdict, [finding.issue for finding in found.findings])
    assert found.because == f"haiku and sonnet report no findings, but {low}"


def test_exit_conditions_that_overrule_a_refusal_name_the_low_scores_too():
    policy = replace(POLICY, exit_conditions=("review.findings.critical == 0",))
    found = judgement(Story(policy).check().answer(WRONG, scores=LOW))
    assert (Verdict.PASS, [f"still open: {WRONG.issue}", f"still open: {LOW_SCORE}"]) == (
        found.verdict, [warning for warning in found.warnings if warning.startswith("still open")],
    )  # fmt: skip


def test_a_pass_with_an_important_finding_is_none_in_the_dialect_that_says_so():
    policy = replace(POLICY, dialect="findings")
    found = judgement(Story(policy).check().answer(WRONG, verdict=Verdict.PASS))
    assert (Verdict.NEEDS_REVISION, "passed by reviewer, but a finding is important") == (found.verdict, found.because)


def test_a_panel_whose_refusals_are_dismissed_is_not_said_to_have_passed():
    story = Story(PANEL).check().then(Dismissed(finding=WRONG, by="ada", why="it is in FR-3"))
    for seat in PANEL.seats:
        review = Review(verdict=Verdict.NEEDS_REVISION, findings=(WRONG,), judged=PANEL.rubric_of(seat).names)
        call = Call(key=call_key(1, seat.name), agent=seat.agent, attempt=1, stage=seat.stage)
        story.then(Answered(iteration=1, call=call, text="", review=review))
    decision = judgement(story).decision
    assert decision is not None
    assert ({"haiku": "fail", "sonnet": "fail"}, True) == (decision.inputs, (decision.confidence or 1) < 1)
