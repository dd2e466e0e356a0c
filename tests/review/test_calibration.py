"""How often a panel's decision is right here: priors, and what people decided."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reviewloop.review.calibration import CAP, PRIORS, answers, calibrated, doubt, estimate, row_of, together
from reviewloop.review.confidence import SCENARIOS
from reviewloop.review.decision import Action, Decision
from reviewloop.review.events import Escalated, Payload, Resumed
from reviewloop.review.outcome import Answer, Reason
from reviewloop.review.policy import Tally


def decision(scenario: str, **inputs: str) -> Decision:
    one = SCENARIOS[scenario]
    return Decision(action=one.action, scenario=one.name, confidence=one.confidence, because=one.because, inputs=inputs)


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
    assert {scenario: Tally(right=right, asked=1)} == answers(answered(scenario, action))


@pytest.mark.parametrize(
    ("inputs", "row"),
    [({"haiku": "pass", "sonnet": "fail"}, "split_strong"), ({"haiku": "fail", "sonnet": "pass"}, "split_weak")],
)
def test_in_a_split_it_matters_who_fails_it(inputs: dict[str, str], row: str):
    assert row == row_of(decision("split", **inputs))


def test_going_on_after_a_crash_is_no_answer():
    assert {} == answers([handed_over(decision("both_pass")), Resumed(action=Answer.CONTINUE)])


def test_an_answer_to_something_else_says_nothing_about_decisions():
    assert {} == answers([handed_over(None), Resumed(action=Answer.ACCEPT)])


def test_one_models_decision_has_no_scenario_to_calibrate():
    alone = Decision(action=Action.APPROVE, scenario="one_model_passes", confidence=None, because="")
    assert (alone, None) == (calibrated(alone, {}), row_of(alone))


def test_answers_of_all_sessions_count_together():
    sessions = [answers(answered("both_pass", action)) for action in (Answer.ACCEPT, Answer.ACCEPT, Answer.RETRY)]
    assert {"both_pass": Tally(right=2, asked=3)} == together(sessions)


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
    assert "after 10 answers it may be right in only 0.47 of such cases, below 0.7" == doubt(known, 0.7)
