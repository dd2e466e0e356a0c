"""Calibration as tables, and as one object: what is stated against what people said, and what that would change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from reviewloop.core.panel.calibration import ENOUGH
from reviewloop.core.statistics.calibration_backtest import Effect, Line, Sum, sums
from reviewloop.core.statistics.calibration_report import Calibration
from reviewloop.core.statistics.stated_confidence import Bucket
from reviewloop.reports.rates import rate, said
from reviewloop.reports.tables import Table
from reviewloop.text import count


def lines_table(lines: Sequence[Line]) -> Table:
    """Only what people were asked about; the rest is a prior and nothing else."""
    asked = [one for one in lines if one.observed.tries]
    return Table(
        title="calibration: decisions",
        columns=("decision", "action", "stated", "prior", "observed", "calibrated", "decided by"),
        rows=tuple(
            (
                one.row,
                str(one.action),
                f"{one.stated:.2f}",
                f"{one.prior:.2f}",
                said(one.observed),
                f"{one.calibrated.value:.2f} ({one.calibrated.low:.2f}-{one.calibrated.high:.2f})",
                "people's answers" if one.observed.tries >= ENOUGH else f"the flags: fewer than {ENOUGH} answers",
            )
            for one in asked
        ),
        shares=tuple(one.observed.value or 0.0 for one in asked),
    )


def stated_table(buckets: Sequence[Bucket]) -> Table:
    return Table(
        title="calibration: what reviewers state",
        columns=("confidence", "mean stated", "observed"),
        rows=tuple((f"{one.low:g}-{one.high:g}", f"{one.stated:.2f}", said(one.observed)) for one in buckets),
        shares=tuple(one.observed.value or 0.0 for one in buckets),
    )


def effect_tables(sums: Sequence[Sum], effects: Sequence[Effect], least: float) -> list[Table]:
    differing = [one for one in effects if one.differs]
    return [
        Table(
            title=f"with auto_approve and auto_reject on, auto_confidence {least:g}",
            columns=("decision", "made", "done by the flags alone", "wrong", "kept for a person", "wrong among them"),
            rows=tuple(
                (
                    one.row,
                    str(one.decided),
                    str(one.carried_out),
                    str(one.wrong),
                    str(one.kept_back),
                    str(one.kept_back_wrong),
                )
                for one in sums
            ),
        ),
        Table(
            title="what would have come out differently",
            columns=("session", "iteration", "decision", "a person said", "kept because"),
            rows=tuple(
                (
                    one.past.session,
                    str(one.past.iteration),
                    one.past.row or "",
                    str(one.past.answer or "-"),
                    one.doubt or "",
                )
                for one in differing
            ),
        ),
    ]


def line_object(one: Line) -> dict[str, Any]:
    return {
        "decision": one.row,
        "action": str(one.action),
        "stated": one.stated,
        "prior": one.prior,
        "observed": rate(one.observed),
        "calibrated": asdict(one.calibrated),
        "enough": one.observed.tries >= ENOUGH,
    }


def bucket_object(one: Bucket) -> dict[str, Any]:
    return {"low": one.low, "high": one.high, "stated": round(one.stated, 4), "observed": rate(one.observed)}


def effect_object(one: Effect) -> dict[str, Any]:
    past = one.past
    return {
        "session": past.session,
        "feature": past.feature,
        "iteration": past.iteration,
        "decision": past.row,
        "action": str(past.decision.action),
        "handed_over": past.handed_over,
        "answer": past.answer,
        "right": past.right,
        "flags_alone": "done" if one.automatic else "asked",
        "calibrated": "done" if one.automatic and not one.doubt else "asked",
        "doubt": one.doubt,
    }


def calibration_object(found: Calibration) -> dict[str, Any]:
    """Everything for programs."""
    return {
        "sessions": found.sessions,
        "auto_confidence": found.auto_confidence,
        "decisions": [line_object(line) for line in found.lines],
        "stated": [bucket_object(bucket) for bucket in found.stated],
        "effects": [effect_object(effect) for effect in found.effects],
        "different": sum(effect.differs for effect in found.effects),
    }


def calibration_tables(found: Calibration) -> list[Table]:
    """Everything for people."""
    changes = effect_tables(sums(found.effects), found.effects, found.auto_confidence)
    return [lines_table(found.lines), stated_table(found.stated), *changes]


def calibration_verdict(found: Calibration) -> str:
    """What the figures come to, in a sentence or two."""
    least = found.auto_confidence
    answered = sum(line.observed.tries for line in found.lines)
    over = f"in {count(found.sessions, 'session')}"
    if not answered:
        return f"no person has answered a panel's decision {over}; there is nothing to calibrate with"
    known = f"{count(answered, 'answer')} {over}"
    if all(line.observed.tries < ENOUGH for line in found.lines):
        return f"{known}: too few to act on; each kind of decision needs {ENOUGH}"
    different = sum(effect.differs for effect in found.effects)
    if not different:
        return f"{known}: at {least:g}, every decision would have come out the same"
    return (
        f"{known}: at {least:g}, {count(different, 'decision')} would have gone to a person\n"
        f"next: set `review.auto_confidence: {least:g}` to act on it; 0 switches it off"
    )
