"""A panel's decision and its confidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

Ruling = Literal["same", "different", "contradiction"]
"""What a tie-break says of two findings."""


class Action(StrEnum):
    APPROVE = "approve"
    REVISE = "revise"
    ASK = "ask"


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """How often such a decision is right: a prior, updated with `n` answers of people in this project.

    `row` names the prior; `low` and `high` are the ends of the 95% interval.
    """

    row: str
    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The action that a panel's answers call for, its confidence and its scenario.

    `confidence` is the scenario's figure; None for a single model that states none. `inputs` is each model's verdict,
    the strongest model last. `calibrated` is the success rate of such decisions.
    """

    action: Action
    scenario: str
    confidence: float | None
    because: str
    inputs: Mapping[str, str] = field(default_factory=dict[str, str])
    calibrated: Calibrated | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PossiblySame:
    """Two findings, by id, that may be the same. Without a ruling they do not count as agreed."""

    first: str
    second: str
    p: float
