"""How often a panel's decision is right: a prior for each scenario, updated with people's answers in this project.

The priors come from a simulation (`bench/panel/calibration.py`). An approval is right if the work is good; every other
action is right if the work needs a revision.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from reviewloop.core.panel.confidence import SCENARIOS, SPLIT
from reviewloop.core.session.events import Escalated, Iterated, Passed, Payload, Resumed, Started
from reviewloop.core.types.decision import Action, Calibrated, Decision
from reviewloop.core.types.interval import beta_interval
from reviewloop.core.types.outcome import Answer
from reviewloop.core.types.policy import Tally

SPLIT_WEAK = "split_weak"
SPLIT_STRONG = "split_strong"

PRIORS: Mapping[str, float] = {
    "both_pass": 0.96,
    "both_pass_minor": 0.94,
    "both_fail_agreed_critical": 0.84,
    SPLIT_WEAK: 0.25,
    SPLIT_STRONG: 0.45,
    "both_fail_different": 0.66,
    "strongest_alone_critical": 0.35,
}

WEIGHT = 10
"""The number of answers that a prior counts for."""

CAP = 0.97
"""The highest probability that is ever stated."""

ENOUGH = 10
"""The number of people's answers from which calibration can hold back an automatic action."""


def row_of(decision: Decision) -> str | None:
    """The prior of a decision. A split has two: the strongest model, the last one, fails or passes the work."""
    if decision.scenario not in SCENARIOS:
        return None
    if decision.scenario != SPLIT.name:
        return decision.scenario
    strongest = list(decision.inputs.values())[-1:]
    return SPLIT_STRONG if strongest == ["fail"] else SPLIT_WEAK


@dataclass(frozen=True, slots=True, kw_only=True)
class PastDecision:
    """A recorded decision of a panel. `handed_over` if a person was asked about it; `answer` is the person's answer."""

    session: str
    feature: str
    iteration: int
    decision: Decision
    handed_over: bool = False
    answer: Answer | None = None

    @property
    def row(self) -> str | None:
        return row_of(self.decision)

    @property
    def right(self) -> bool | None:
        """Whether the person agreed with the decision; None without an answer."""
        if self.answer is None:
            return None
        return (self.answer is Answer.ACCEPT) is (self.decision.action is Action.APPROVE)


def decisions(session: str, events: Iterable[Payload]) -> list[PastDecision]:
    """The decisions of a session that have a prior, oldest first."""
    found: list[PastDecision] = []
    feature, number, waiting = "", 0, False
    for payload in events:
        match payload:
            case Started():
                feature = payload.feature
            case Iterated(iteration=number, decision=Decision() as decision):
                found.append(PastDecision(session=session, feature=feature, iteration=number, decision=decision))
                waiting = False
            case Iterated(iteration=number):
                waiting = False
            case Escalated(decision=Decision() as decision):
                handed = PastDecision(
                    session=session, feature=feature, iteration=number, decision=decision, handed_over=True
                )
                concluded = bool(found) and found[-1].iteration == number and not found[-1].handed_over
                found[len(found) - concluded :] = [handed]
                waiting = True
            case Resumed(action=action) if waiting and action is not Answer.CONTINUE:
                found[-1] = replace(found[-1], answer=action)
                waiting = False
            case Passed() if found and found[-1].iteration == number:  # what a person may yet overrule
                waiting = True
            case _:
                pass
    return [past for past in found if past.row]


def answers(past: Iterable[PastDecision]) -> dict[str, Tally]:
    """How often people agreed with each kind of decision."""
    found: dict[str, Tally] = {}
    for decision in past:
        add_answer(found, decision)
    return found


def add_answer(experience: dict[str, Tally], past: PastDecision) -> None:
    if past.row and past.right is not None:
        experience[past.row] = experience.get(past.row, Tally()) + Tally(right=int(past.right), asked=1)


def calibrated(decision: Decision, experience: Mapping[str, Tally]) -> Decision:
    """The decision with the success rate of its kind."""
    row = row_of(decision)
    return replace(decision, calibrated=estimate(row, experience.get(row, Tally()))) if row else decision


def estimate(row: str, tally: Tally) -> Calibrated:
    a = PRIORS[row] * WEIGHT + tally.right
    b = (1 - PRIORS[row]) * WEIGHT + tally.asked - tally.right
    spread = beta_interval(a, b)
    return Calibrated(
        row=row,
        value=_capped(a / (a + b)),
        low=_capped(spread.low),
        high=_capped(spread.high),
        n=tally.asked,
    )


def doubt(decision: Decision, least: float) -> str | None:
    """Why a person should confirm a decision; None if it can be automatic."""
    known = decision.calibrated
    if known is None or known.n < ENOUGH or known.low >= least:
        return None
    return f"right in at least {known.low:.1%} of such cases ({known.n} answers), but {least * 100:g}% is required"


def _capped(value: float) -> float:
    return round(min(value, CAP), 3)
