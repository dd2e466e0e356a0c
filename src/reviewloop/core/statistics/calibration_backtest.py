"""Calibration on the recorded decisions: the table, and the decisions that it would have left to a person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reviewloop.core.panel.calibration import (
    PRIORS,
    SPLIT_STRONG,
    SPLIT_WEAK,
    PastDecision,
    add_answer,
    calibrated,
    doubt,
    estimate,
)
from reviewloop.core.panel.confidence import SCENARIOS, SPLIT
from reviewloop.core.types.decision import Action, Calibrated
from reviewloop.core.types.interval import Rate
from reviewloop.core.types.policy import Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One kind of decision: its stated confidence, the prior, people's answers, and the calibrated value."""

    row: str
    action: Action
    stated: float
    prior: float
    observed: Rate
    calibrated: Calibrated


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A recorded decision. `doubt` says why calibration would have left it to a person, as known at that time."""

    past: PastDecision
    doubt: str | None

    @property
    def automatic(self) -> bool:
        """Whether the flags alone would have carried it out."""
        return self.past.decision.action is not Action.ASK

    @property
    def differs(self) -> bool:
        return self.automatic and self.doubt is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum:
    """For one kind of decision: how many the flags alone would have carried out, and how many calibration keeps back.

    The `wrong` figures count only decisions that a person was asked about and disagreed with.
    """

    row: str
    decided: int
    carried_out: int
    wrong: int
    kept_back: int
    kept_back_wrong: int


def table(experience: Mapping[str, Tally]) -> tuple[Line, ...]:
    return tuple(_line(row, experience.get(row, Tally())) for row in PRIORS)


def effects(past: Sequence[PastDecision], least: float) -> tuple[Effect, ...]:
    """Each decision with the doubt of its time, oldest first."""
    found: list[Effect] = []
    experience: dict[str, Tally] = {}
    for decided in past:
        found.append(Effect(past=decided, doubt=doubt(calibrated(decided.decision, experience), least)))
        add_answer(experience, decided)
    return tuple(found)


def sums(found: Iterable[Effect]) -> tuple[Sum, ...]:
    by_row: dict[str, list[Effect]] = {row: [] for row in PRIORS}
    for decision in found:
        by_row[decision.past.row or ""].append(decision)
    return tuple(_total(row, decisions) for row, decisions in by_row.items() if decisions)


def _line(row: str, tally: Tally) -> Line:
    scenario = SCENARIOS[SPLIT.name if row in (SPLIT_WEAK, SPLIT_STRONG) else row]
    return Line(
        row=row,
        action=scenario.action,
        stated=scenario.confidence,
        prior=PRIORS[row],
        observed=Rate(hits=tally.right, tries=tally.asked),
        calibrated=estimate(row, tally),
    )


def _total(row: str, decisions: Sequence[Effect]) -> Sum:
    automatic = [decision for decision in decisions if decision.automatic]
    kept = [decision for decision in automatic if decision.differs]
    return Sum(
        row=row,
        decided=len(decisions),
        carried_out=len(automatic),
        wrong=sum(decision.past.right is False for decision in automatic),
        kept_back=len(kept),
        kept_back_wrong=sum(decision.past.right is False for decision in kept),
    )
