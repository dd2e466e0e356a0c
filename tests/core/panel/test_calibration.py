"""How often a panel's decision is right here: priors, and what people decided."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reviewloop.core.panel.calibration import CAP, PRIORS, answers, calibrated, decisions, doubt, estimate, row_of
from reviewloop.core.panel.confidence import SCENARIOS
from reviewloop.core.session.events import Answered, Escalated, Iterated, Payload, Resumed
from reviewloop.core.statistics.calibration_backtest import effects, sums, table
from reviewloop.core.statistics.stated_confidence import buckets, claims
from reviewloop.core.types.calls import Call
from reviewloop.core.types.decision import Action, Decision
from reviewloop.core.types.finding import Finding, Severity
from reviewloop.core.types.outcome import Answer, Reason
from reviewloop.core.types.policy import Tally
from reviewloop.core.types.review import Review, Stage, Verdict


def decision(scenario: str, **inputs: str) -> Decision:
    one = SCENARIOS[scenario]
    return Decision(action=one.action, scenario=one.name, confidence=one.confidence, because=one.name, inputs=inputs)


def handed_over(about: Decision | None) -> Escalated:
    return Escalated(
        feature="f", reason="", iterations=(), recovery_actions=(), current_specs_path="", code=Reason.PROPOSAL,
        decision=about,
    )  # fmt: skip


def answered(scenario: str, action: Answer, **inputs: str) -> list[Payload]:
    return [handed_over(decision(scenario, **inputs)), Resumed(action=action)]


def test_without_answers_it_is_the_prior():
    assert dict.fromkeys(PRIORS, 0) == {row: estimate(row, Tally()).n for row in PRIORS}
    assert PRIORS == {row: estimate(row, Tally()).value for row in PRIORS}


@pytest.mark.parametrize(
    ("scenario", "action", "right"),
    [
        ("both_pass", Answer.ACCEPT, 1),
        ("both_pass", Answer.RETRY, 0),
        ("both_pass_minor", Answer.REJECT, 0),
        ("both_fail_agreed_critical", Answer.RETRY, 1),
        ("both_fail_agreed_critical", Answer.ACCEPT, 0),
        ("both_fail_different", Answer.REJECT, 1),
        ("strongest_alone_critical", Answer.ACCEPT, 0),
    ],
)
def test_what_people_decide_says_whether_it_was_right(scenario: str, action: Answer, right: int):
    assert {scenario: Tally(right=right, asked=1)} == answers(decisions("s", answered(scenario, action)))


@pytest.mark.parametrize(
    ("inputs", "row"),
    [({"haiku": "pass", "sonnet": "fail"}, "split_strong"), ({"haiku": "fail", "sonnet": "pass"}, "split_weak")],
)
def test_in_a_split_it_matters_who_fails_it(inputs: dict[str, str], row: str):
    assert row == row_of(decision("split", **inputs))


def test_going_on_after_a_crash_is_no_answer():
    assert {} == answers(decisions("s", [handed_over(decision("both_pass")), Resumed(action=Answer.CONTINUE)]))


def test_an_answer_to_something_else_says_nothing_about_decisions():
    assert {} == answers(decisions("s", [handed_over(None), Resumed(action=Answer.ACCEPT)]))


def test_one_models_decision_has_no_scenario_to_calibrate():
    alone = Decision(action=Action.APPROVE, scenario="one_model_passes", confidence=None, because="")
    assert (alone, None) == (calibrated(alone, {}), row_of(alone))


def test_answers_of_all_sessions_count_together():
    actions = (Answer.ACCEPT, Answer.ACCEPT, Answer.RETRY)
    past = [one for action in actions for one in decisions("s", answered("both_pass", action))]
    assert {"both_pass": Tally(right=2, asked=3)} == answers(past)


def concluded(number: int, about: Decision) -> Iterated:
    return Iterated(
        feature="f", iteration=number, feedback=(), scores={}, verdict=Verdict.NEEDS_REVISION, decision=about
    )  # fmt: skip


def test_a_decision_that_was_carried_out_is_on_record_and_nobody_said_whether_it_was_right():
    critical = decision("both_fail_agreed_critical")
    past = decisions(
        "s", [concluded(1, critical), concluded(2, decision("both_pass")), *answered("both_pass", Answer.RETRY)]
    )
    assert [(1, "both_fail_agreed_critical", False, None), (2, "both_pass", True, False)] == [
        (one.iteration, one.row, one.handed_over, one.right) for one in past
    ]


def test_the_table_by_hand():
    said = [Answer.ACCEPT] * 3 + [Answer.RETRY]
    past = [one for action in said for one in decisions("s", answered("both_pass", action))]
    line = next(one for one in table(answers(past)) if one.row == "both_pass")
    # A Beta of 9.6 and 0.4 before, of 12.6 and 1.4 after: its mean is 0.9.
    assert (1.0, 0.96, 3, 4, 0.9) == (
        line.stated, line.prior, line.observed.hits, line.observed.tries, line.calibrated.value,
    )  # fmt: skip


def test_the_effect_counts_only_what_was_known_before_each_decision():
    said = [Answer.RETRY] * 12
    past = [one for number, action in enumerate(said) for one in decisions(f"s{number}", answered("both_pass", action))]
    found = effects(past, 0.7)
    assert ["s10", "s11"] == [one.past.session for one in found if one.differs]
    (sum_of_it,) = sums(found)
    assert (12, 12, 12, 2, 2) == (
        sum_of_it.decided, sum_of_it.carried_out, sum_of_it.wrong, sum_of_it.kept_back, sum_of_it.kept_back_wrong,
    )  # fmt: skip
    assert 0 == sum(one.differs for one in effects(past, 0.0)), "0 switches it off"


def test_what_is_for_a_person_anyway_cannot_come_out_differently():
    past = [one for _ in range(12) for one in decisions("s", answered("both_fail_different", Answer.ACCEPT))]
    assert [] == [one for one in effects(past, 0.7) if one.differs]


def stating(confidence: float | None, verdict: Verdict, stage: Stage | None = None) -> Answered:
    review = Review(verdict=verdict, confidence=confidence)
    key = f"1/{stage}"
    return Answered(iteration=1, call=Call(key=key, agent="sonnet", attempt=1, stage=stage), text="", review=review)


def test_what_reviewers_state_is_held_against_what_people_say():
    end = [concluded(1, decision("both_pass")), handed_over(None)]
    told: list[list[Payload]] = [
        [stating(0.95, Verdict.PASS), *end, Resumed(action=Answer.ACCEPT)],
        [stating(0.91, Verdict.PASS), *end, Resumed(action=Answer.REJECT)],
        [stating(0.62, Verdict.NEEDS_REVISION), *end, Resumed(action=Answer.RETRY)],
        [stating(None, Verdict.PASS), *end, Resumed(action=Answer.ACCEPT)],
        [stating(0.9, Verdict.PASS), *end],
    ]
    found = buckets([claim for events in told for claim in claims(events)])
    assert [(0.6, 0.7, 1, 1), (0.9, 1.0, 1, 2)] == [
        (one.low, one.high, one.observed.hits, one.observed.tries) for one in found
    ]
    assert 0.93 == round(found[1].stated, 4)


def test_a_stage_that_passes_is_not_wrong_because_the_other_one_fails():
    broken = Finding(issue="x", severity=Severity.IMPORTANT, stage=Stage.QUALITY)
    conclusion = replace(concluded(1, decision("split")), findings=(broken,))
    events: list[Payload] = [
        stating(0.9, Verdict.PASS, Stage.SPEC), stating(0.8, Verdict.NEEDS_REVISION, Stage.QUALITY), conclusion,
        handed_over(None), Resumed(action=Answer.RETRY),
    ]  # fmt: skip
    assert [(0.8, True)] == [(one.confidence, one.right) for one in claims(events)]


def test_experience_moves_the_figure_and_narrows_the_interval():
    few, many = (estimate("both_pass", Tally(right=n // 2, asked=n)) for n in (10, 100))
    assert PRIORS["both_pass"] > few.value > many.value > 0.5
    assert few.high - few.low > many.high - many.low
    assert few.low < few.value < few.high


def test_nobody_is_surer_than_the_cap():
    sure = estimate("both_pass", Tally(right=10_000, asked=10_000))
    assert (CAP, CAP, CAP) == (sure.low, sure.value, sure.high)


@pytest.mark.parametrize(
    ("right", "asked", "doubted"), [(0, 9, False), (10, 10, False), (4, 10, True), (400, 500, False)]
)
def test_people_who_disagree_often_enough_stop_automatic_actions(right: int, asked: int, doubted: bool):
    known = calibrated(decision("both_pass"), {"both_pass": Tally(right=right, asked=asked)})
    assert doubted is (doubt(known, 0.7) is not None)


def test_the_doubt_says_why():
    known = replace(decision("both_pass"), calibrated=estimate("both_pass", Tally(right=4, asked=10)))
    assert "right in at least 46.6% of such cases (10 answers), but 70% is required" == doubt(known, 0.7)
