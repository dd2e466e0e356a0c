"""Figures over the ledger: review quality and cost, progress, and how well panels are calibrated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from reviewloop.app.catalog import Damaged
from reviewloop.app.project import Project
from reviewloop.config.resolve import resolve
from reviewloop.core.panel.calibration import decisions
from reviewloop.core.statistics.analytics import summary
from reviewloop.core.statistics.calibration_report import Calibration, calibrate
from reviewloop.core.statistics.stated_confidence import claims
from reviewloop.core.statistics.stats import Figures, figures
from reviewloop.core.types.artifact import Kind
from reviewloop.views.living_plan import read_plans
from reviewloop.views.plan_table import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewFigures:
    """The figures of all sessions that could be read, and the sessions that could not."""

    figures: Figures
    damaged: tuple[Damaged, ...]


async def review_figures(project: Project, since: datetime | None = None) -> ReviewFigures:
    """Review quality and cost, of sessions started since then."""
    read = await project.catalog.told(since)
    return ReviewFigures(figures=figures(read.found), damaged=read.damaged)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressFigures:
    """The living plans, the sessions that wait for a person, and the summary of all reviews."""

    sessions: int
    plans: Sequence[Plan]
    waiting: Sequence[dict[str, str]]
    summary: dict[str, Any]
    advice: Sequence[str]
    damaged: tuple[Damaged, ...]


async def progress_figures(project: Project) -> ProgressFigures:
    """Where the work stands."""
    read = await project.catalog.told()
    latest = await project.catalog.latest()
    waiting = [
        {"name": state.history.feature, "outcome": str(state.history.outcome), "because": state.history.because}
        for state in latest.found
        if state.history.outcome and state.history.outcome.waits
    ]
    return ProgressFigures(
        sessions=len(read.found),
        plans=read_plans(project.root, project.config.paths.plan or ""),
        waiting=waiting,
        summary=summary(entry for session in read.found for entry in session.entries),
        advice=list(figures(read.found).advice),
        damaged=read.damaged,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationFigures:
    """The calibration over the sessions that could be read, and the sessions that could not."""

    calibration: Calibration
    damaged: tuple[Damaged, ...]


async def calibration_figures(project: Project, auto_confidence: float | None = None) -> CalibrationFigures:
    """How well panels are calibrated, and the effect of `auto_confidence`; as configured unless given."""
    recent = await project.catalog.recent()
    past = [decision for session in recent.found for decision in decisions(session.session, session.payloads)]
    stated = [claim for session in recent.found for claim in claims(session.payloads)]
    least = resolve(project.config, Kind.SPEC, {}).auto_confidence if auto_confidence is None else auto_confidence
    calibration = calibrate(len(recent.found), past, stated, least)
    return CalibrationFigures(calibration=calibration, damaged=recent.damaged)
