"""How often a panel's decision is right here: a prior for each scenario, and what people decided in this project.

The priors come from a simulation (`bench/panel/calibration.py`). "Right" is what the scenario's action assumes: that
the work is good where it would be approved, that it needs a revision everywhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from reviewloop.review.confidence import SCENARIOS, SPLIT
from reviewloop.review.decision import Action, Calibrated, Decision
from reviewloop.review.events import Escalated, Payload, Resumed
from reviewloop.review.intervals import beta_interval
from reviewloop.review.outcome import Answer
from reviewloop.review.policy import Tally

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


def answers(events: Iterable[Payload]) -> dict[str, Tally]:
    """What a person made of each decision a session handed over: whether they agreed with what it assumed."""
    found: dict[str, Tally] = {}
    pending: Decision | None = None
    for payload in events:
        match payload:
            case Escalated(decision=decision):
                pending = decision
            case Resumed(action=action) if pending and action is not Answer.CONTINUE:
                if row := row_of(pending):
                    good = action is Answer.ACCEPT
                    right = good is (pending.action is Action.APPROVE)
                    found[row] = found.get(row, Tally()) + Tally(right=int(right), asked=1)
                pending = None
            case _:
                pass
    return found


def together(tallies: Iterable[Mapping[str, Tally]]) -> dict[str, Tally]:
    total: dict[str, Tally] = {}
    for one in tallies:
        for row, tally in one.items():
            total[row] = total.get(row, Tally()) + tally
    return total


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
