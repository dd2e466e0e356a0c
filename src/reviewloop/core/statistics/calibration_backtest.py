"""What calibration makes of the decisions on record: the table, and which of them it would have left to a person."""

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
    """One kind of decision: what it states, the prior, what people said, and what that makes of it."""

    row: str
    action: Action
    stated: float
    prior: float
    observed: Rate
    calibrated: Calibrated


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A decision, as it would have been with everything carried out that may be.

    `doubt` says why calibration would have kept it for a person, by what was known then.
    """

    past: PastDecision
    doubt: str | None

    @property
    def automatic(self) -> bool:
        """Whether the flags alone would have had it carried out."""
        return self.past.decision.action is not Action.ASK

    @property
    def differs(self) -> bool:
        return self.automatic and self.doubt is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum:
    """What the flags alone would have carried out of one kind of decision, and what calibration keeps back of that.

    Of either, `wrong` are those of which a person said so; of most, nobody was asked.
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
    """Each decision with what was known before it, the oldest first."""
    found: list[Effect] = []
    experience: dict[str, Tally] = {}
    for one in past:
        found.append(Effect(past=one, doubt=doubt(calibrated(one.decision, experience), least)))
        add_answer(experience, one)
    return tuple(found)


def sums(found: Iterable[Effect]) -> tuple[Sum, ...]:
    by_row: dict[str, list[Effect]] = {row: [] for row in PRIORS}
    for one in found:
        by_row[one.past.row or ""].append(one)
    return tuple(_sum(row, some) for row, some in by_row.items() if some)


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


def _sum(row: str, some: Sequence[Effect]) -> Sum:
    automatic = [one for one in some if one.automatic]
    kept = [one for one in automatic if one.differs]
    return Sum(
        row=row,
        decided=len(some),
        carried_out=len(automatic),
        wrong=sum(one.past.right is False for one in automatic),
        kept_back=len(kept),
        kept_back_wrong=sum(one.past.right is False for one in kept),
    )
