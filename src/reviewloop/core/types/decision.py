"""What a panel's answers call for, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Action(StrEnum):
    """What a panel's answers call for."""

    APPROVE = "approve"
    REVISE = "revise"
    ASK = "ask"


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """How often such a decision is right: a prior, updated with what `n` answers of people in this project said.

    `row` names the prior; `low` and `high` are the ends of the 95% interval.
    """

    row: str
    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What the engine would do with a panel's answers, how sure it is, and which scenario says so.

    `confidence` is the scenario's figure; None where there is only one model and it states none. `inputs` is what each
    model said in each stage that counts, the strongest model last. `calibrated` is how often its like was right.
    """

    action: Action
    scenario: str
    confidence: float | None
    because: str
    inputs: Mapping[str, str] = field(default_factory=dict[str, str])
    calibrated: Calibrated | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PossiblySame:
    """Two findings, by id, that may be one thing; nobody has ruled on it, so they do not count as agreed."""

    first: str
    second: str
    p: float
