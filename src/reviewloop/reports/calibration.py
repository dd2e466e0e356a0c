"""Calibration tables and JSON objects: stated confidence against people's answers, and the effect of acting on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from reviewloop.core.panel.calibration import ENOUGH
from reviewloop.core.statistics.calibration_backtest import Effect, Line, Sum, sums
from reviewloop.core.statistics.calibration_report import Calibration
from reviewloop.core.statistics.stated_confidence import Bucket
from reviewloop.reports.rates import percent_range, rate_object
from reviewloop.reports.tables import Table
from reviewloop.text import count


def lines_table(lines: Sequence[Line]) -> Table:
    """Decisions that people answered; the others have only a prior."""
    answered = [line for line in lines if line.observed.tries]
    return Table(
        title="calibration: decisions",
        columns=("decision", "action", "stated", "prior", "observed", "calibrated", "decided by"),
        rows=tuple(
            (
                line.row,
                str(line.action),
                f"{line.stated:.0%}",
                f"{line.prior:.0%}",
                percent_range(line.observed),
                f"{line.calibrated.value:.0%} ({line.calibrated.low:.0%}-{line.calibrated.high:.0%})",
                "people's answers" if line.observed.tries >= ENOUGH else f"settings (fewer than {ENOUGH} answers)",
            )
            for line in answered
        ),
        shares=tuple(line.observed.value or 0.0 for line in answered),
    )


def stated_table(buckets: Sequence[Bucket]) -> Table:
    return Table(
        title="calibration: confidence stated by reviewers",
        columns=("stated", "mean stated", "observed"),
        rows=tuple(
            (f"{bucket.low:.0%}-{bucket.high:.0%}", f"{bucket.stated:.0%}", percent_range(bucket.observed))
            for bucket in buckets
        ),
        shares=tuple(bucket.observed.value or 0.0 for bucket in buckets),
    )


def effect_tables(sums: Sequence[Sum], effects: Sequence[Effect], least: float) -> list[Table]:
    return [
        Table(
            title=f"effect of auto_confidence {least:g} with auto_approve and auto_reject on",
            columns=(
                "decision",
                "made",
                "automatic without it",
                "of these wrong",
                "left to a person",
                "of these wrong",
            ),
            rows=tuple(
                (
                    kind.row,
                    *map(str, (kind.decided, kind.carried_out, kind.wrong, kind.kept_back, kind.kept_back_wrong)),
                )
                for kind in sums
            ),
        ),
        Table(
            title="decisions that would have been left to a person",
            columns=("session", "iteration", "decision", "person's answer", "because"),
            rows=tuple(
                (
                    effect.past.session,
                    str(effect.past.iteration),
                    effect.past.row or "",
                    str(effect.past.answer or "-"),
                    effect.doubt or "",
                )
                for effect in effects
                if effect.differs
            ),
        ),
    ]


def line_object(line: Line) -> dict[str, Any]:
    return {
        "decision": line.row,
        "action": str(line.action),
        "stated": line.stated,
        "prior": line.prior,
        "observed": rate_object(line.observed),
        "calibrated": asdict(line.calibrated),
        "enough": line.observed.tries >= ENOUGH,
    }


def bucket_object(bucket: Bucket) -> dict[str, Any]:
    observed = rate_object(bucket.observed)
    return {"low": bucket.low, "high": bucket.high, "stated": round(bucket.stated, 4), "observed": observed}


def effect_object(effect: Effect) -> dict[str, Any]:
    past = effect.past
    return {
        "session": past.session,
        "feature": past.feature,
        "iteration": past.iteration,
        "decision": past.row,
        "action": str(past.decision.action),
        "handed_over": past.handed_over,
        "answer": past.answer,
        "right": past.right,
        "flags_alone": "done" if effect.automatic else "asked",
        "calibrated": "done" if effect.automatic and not effect.doubt else "asked",
        "doubt": effect.doubt,
    }


def calibration_object(found: Calibration) -> dict[str, Any]:
    """The whole calibration as one JSON object."""
    return {
        "sessions": found.sessions,
        "auto_confidence": found.auto_confidence,
        "decisions": [line_object(line) for line in found.lines],
        "stated": [bucket_object(bucket) for bucket in found.stated],
        "effects": [effect_object(effect) for effect in found.effects],
        "different": sum(effect.differs for effect in found.effects),
    }


def calibration_tables(found: Calibration) -> list[Table]:
    """The whole calibration as tables."""
    changes = effect_tables(sums(found.effects), found.effects, found.auto_confidence)
    return [lines_table(found.lines), stated_table(found.stated), *changes]


def calibration_verdict(found: Calibration) -> str:
    """The result of the calibration in one or two sentences."""
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
