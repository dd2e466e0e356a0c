"""The calibration report: how often decisions were right, and which ones calibration would hold back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reviewloop.core.panel.calibration import PastDecision, answers
from reviewloop.core.statistics.calibration_backtest import Effect, Line, effects, table
from reviewloop.core.statistics.stated_confidence import Bucket, Claim, buckets


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """People's answers to decisions, and the effect of `auto_confidence` on those decisions."""

    sessions: int
    auto_confidence: float
    lines: tuple[Line, ...]
    stated: tuple[Bucket, ...]
    effects: tuple[Effect, ...]


def calibrate(
    sessions: int, decisions: Sequence[PastDecision], claims: Sequence[Claim], auto_confidence: float
) -> Calibration:
    return Calibration(
        sessions=sessions,
        auto_confidence=auto_confidence,
        lines=tuple(table(answers(decisions))),
        stated=tuple(buckets(claims)),
        effects=tuple(effects(decisions, auto_confidence)),
    )
