"""How often a panel's decision is right here: a prior for each scenario, and what people decided in this project.

The priors come from a simulation (`bench/panel/calibration.py`). "Right" is what the scenario's action assumes: that
the work is good where it would be approved, that it needs a revision everywhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from reviewloop.core.panel.confidence import SCENARIOS, SPLIT
from reviewloop.core.session.events import Escalated, Iterated, Payload, Resumed, Started
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
"""How many answers a prior is worth."""

CAP = 0.97
"""Nobody is surer than this."""

ENOUGH = 10
"""Answers from which what people said here, and not the prior alone, decides about automatic actions."""


def row_of(decision: Decision) -> str | None:
    """Which prior a decision has. In a split it matters whether the strongest model, the last one, fails the work."""
    if decision.scenario not in SCENARIOS:
        return None
    if decision.scenario != SPLIT.name:
        return decision.scenario
    strongest = list(decision.inputs.values())[-1:]
    return SPLIT_STRONG if strongest == ["fail"] else SPLIT_WEAK


@dataclass(frozen=True, slots=True, kw_only=True)
class PastDecision:
    """A panel's decision on record. `handed_over` says that a person was asked about it, `answer` what they said."""

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
        """Whether the person agreed with what the decision assumes; None if nobody was asked, or has not answered."""
        if self.answer is None:
            return None
        return (self.answer is Answer.ACCEPT) is (self.decision.action is Action.APPROVE)


def decisions(session: str, events: Iterable[Payload]) -> list[PastDecision]:
    """The decisions of a session that have a prior, the oldest first."""
    found: list[PastDecision] = []
    feature, number, waiting = "", 0, False
    for payload in events:
        match payload:
            case Started():
                feature = payload.feature
            case Iterated(iteration=number, decision=Decision() as decision):
                found.append(PastDecision(session=session, feature=feature, iteration=number, decision=decision))
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
            case _:
                pass
    return [one for one in found if one.row]


def answers(past: Iterable[PastDecision]) -> dict[str, Tally]:
    """How often people agreed with each kind of decision that was handed to them."""
    found: dict[str, Tally] = {}
    for one in past:
        add_answer(found, one)
    return found


def add_answer(experience: dict[str, Tally], past: PastDecision) -> None:
    if past.row and past.right is not None:
        experience[past.row] = experience.get(past.row, Tally()) + Tally(right=int(past.right), asked=1)


def calibrated(decision: Decision, experience: Mapping[str, Tally]) -> Decision:
    """The decision with how often its like was right."""
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
    """Why a decision should not be carried out without a person, in words; None if nothing speaks against it."""
    known = decision.calibrated
    if known is None or known.n < ENOUGH or known.low >= least:
        return None
    return f"after {known.n} answers it may be right in only {known.low:.2f} of such cases, below {least:g}"


def _capped(value: float) -> float:
    return round(min(value, CAP), 3)
