"""When a tie-break is asked: as soon as a stage is in, before anything rests on it, and once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from loop_story import Story

from reviewloop.core.loop.steps import Ask, Conclude, Finish, Settle
from reviewloop.core.panel.panel_report import level, panel_report
from reviewloop.core.session.events import Answered, Settled
from reviewloop.core.session.events.review import PairRuling
from reviewloop.core.session.history import call_key
from reviewloop.core.types.calls import Call
from reviewloop.core.types.decision import Ruling
from reviewloop.core.types.finding import Finding, Place, Severity
from reviewloop.core.types.outcome import Outcome, Reason
from reviewloop.core.types.policy import Budget, Policy, Seat, Strategy, profile
from reviewloop.core.types.review import Review, Stage, Usage, Verdict

SEATS = tuple(Seat(agent=agent, stage=stage) for stage in Stage for agent in ("haiku", "sonnet"))
PANEL = profile("panel", seats=SEATS, strategy=Strategy.PARALLEL, tie_break="judge")


def said(issue: str, severity: Severity = Severity.MINOR) -> Finding:
    return Finding(issue=issue, severity=severity, place=Place(section="Requirements"))


FIRST = said("FR-2 says nothing about slow networks", Severity.CRITICAL)
SECOND = said("FR-2: who measures the five seconds, and where?", Severity.IMPORTANT)


class PanelStory(Story):
    """A panel's session told step by step."""

    def __init__(self, policy: Policy = PANEL) -> None:
        super().__init__(policy)
        self.check()

    def hear(self, stage: Stage, haiku: tuple[Finding, ...] = (), sonnet: tuple[Finding, ...] = ()) -> PanelStory:
        for agent, findings in (("haiku", haiku), ("sonnet", sonnet)):
            seat = Seat(agent=agent, stage=stage)
            call = Call(key=call_key(self.number, seat.name), agent=agent, attempt=1, stage=stage)
            fails = any(finding.is_serious for finding in findings)
            verdict = Verdict.NEEDS_REVISION if fails else Verdict.PASS
            review = Review(verdict=verdict, findings=findings, judged=self.history.policy.rubric_of(seat).names)
            usage = Usage(seconds=3, input_tokens=10)
            self.then(Answered(iteration=self.number, call=call, text="", review=review, usage=usage))
        return self

    def rule(self, ruling: Ruling | None) -> PanelStory:
        step: Any = self.step
        assert isinstance(step, Settle), step
        pairs = tuple(
            PairRuling(pair=one.pair.id, stage=one.stage, first="", second="", ruling=ruling) for one in step.pairs
        )
        call = Call(key="1/tie-break:spec", agent="judge", attempt=1)
        self.then(Settled(iteration=self.number, call=call, pairs=pairs))
        return self


def test_it_is_asked_once_all_answers_are_in():
    story = PanelStory().hear(Stage.SPEC, (FIRST,), (SECOND,))
    assert isinstance(story.step, Ask)
    story.hear(Stage.QUALITY)
    assert ["spec-P1"] == [one.pair.id for one in story.step.pairs]
    assert isinstance(story.rule("same").step, Conclude)


def test_without_an_agent_it_is_not_asked():
    story = PanelStory(replace(PANEL, tie_break=None)).hear(Stage.SPEC, (FIRST,), (SECOND,)).hear(Stage.QUALITY)
    assert isinstance(story.step, Conclude)
    assert 1 == len(story.step.judgement.possible)


def test_nothing_usable_is_not_asked_for_again():
    story = PanelStory().hear(Stage.SPEC, (FIRST,), (SECOND,)).hear(Stage.QUALITY).rule(None)
    judgement = story.step.judgement
    assert (1, ("1 pair of findings may be the same: judge did not rule",)) == (
        len(judgement.possible), judgement.warnings,
    )  # fmt: skip


def test_quality_waits_for_the_tie_break_where_it_waits_for_spec():
    late = replace(PANEL, speculative_quality=False)
    weak = said("FR-2 says nothing about slow networks", Severity.IMPORTANT)
    fine = said("FR-2: who measures the five seconds, and where?")
    for ruling, after in (("different", Ask), ("same", Conclude)):
        story = PanelStory(late).hear(Stage.SPEC, (weak,), (fine,))
        assert isinstance(story.step, Settle)
        assert isinstance(story.rule(ruling).step, after), ruling


def test_what_quality_says_of_work_that_failed_spec_is_not_asked_about():
    story = PanelStory().hear(Stage.SPEC, (FIRST,), (SECOND,)).hear(Stage.QUALITY, (FIRST,), (SECOND,))
    assert [Stage.SPEC] == [one.stage for one in story.step.pairs]


def test_over_budget_it_is_not_asked():
    story = (
        PanelStory(replace(PANEL, budget=Budget(tokens=30))).hear(Stage.SPEC, (FIRST,), (SECOND,)).hear(Stage.QUALITY)
    )
    step = story.step
    assert isinstance(step, Finish)
    assert (Outcome.BLOCKED, Reason.BUDGET) == (step.outcome, step.reason)


def test_a_report_names_every_model():
    three = tuple(Seat(agent=agent, stage=stage) for stage in Stage for agent in ("a", "haiku", "sonnet"))
    story = PanelStory(replace(PANEL, seats=three, tie_break=None))
    call = Call(key="1/spec:a", agent="a", attempt=1, stage=Stage.SPEC)
    story.then(
        Answered(iteration=1, call=call, text="", review=Review(verdict=Verdict.NEEDS_REVISION, findings=(FIRST,)))
    )
    story.hear(Stage.SPEC)
    call = replace(call, key="1/quality:a", stage=Stage.QUALITY)
    story.then(Answered(iteration=1, call=call, text="", review=Review(verdict=Verdict.PASS)))
    story.hear(Stage.QUALITY).conclude()
    report = panel_report(story.history)
    assert report
    assert {"Agreed": 0, "Sonnet-only": 0, "Haiku-only": 0, "A-only": 1} == {
        row.category: row.count for row in report.stages[0].rows
    }
    assert ("Speculative parallel (6 reviewers)", 3.0) == (report.strategy, report.saved)


def test_confidence_in_words():
    assert ["Very High", "High", "High", "Medium", "Medium", "Low", None] == [
        level(figure) for figure in (1.0, 0.9, 0.85, 0.7, 0.6, 0.4, None)
    ]
