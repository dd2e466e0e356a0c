"""A task's row in the living plan: its status, the result of both stages, and the number of fixes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from reviewloop.core.panel.stages import is_staged
from reviewloop.core.session.history import History, Iteration
from reviewloop.core.types.finding import Group
from reviewloop.core.types.outcome import Judge, Outcome, Reason
from reviewloop.core.types.review import Stage, Verdict

NOT_REVIEWED = "—"
PASSED = "✅"
FAILED = "❌"
FIXING = "❌→🔄"
UNKNOWN = "❓"

_TRAILING_NUMBER = re.compile(r"-(?P<id>\d+(?:\.\d+)*)\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRow:
    """The cells that Reviewloop updates."""

    status: str
    spec: str
    quality: str
    fixes: str


def plan_row(history: History) -> PlanRow:
    """The row for a session's current state. A review without stages counts for both stages."""
    asked = sum(1 for iteration in history.iterations if iteration.feedback)
    fixes = asked if history.outcome is None else history.fixes  # while it runs, a fix under way counts
    exhausted = history.stopped is not None and history.stopped.code is Reason.EXHAUSTED
    return PlanRow(
        status=_status(history, asked),
        spec=_mark(Stage.SPEC, history),
        quality=_mark(Stage.QUALITY, history),
        fixes=f"{fixes} (max)" if exhausted else str(fixes),
    )


def row_names(history: History) -> tuple[str, ...]:
    """Ids that the session's row may have, the most likely first; none for a review of several tasks."""
    commission = history.started.commission
    if commission and commission.plan_row:
        return (commission.plan_row,)
    if commission and commission.reviews:
        return ()
    if commission and commission.origin:
        return (commission.origin.number, history.feature)
    task = str(history.started.source.get("task") or "")
    names = [task.rpartition("#")[2], history.feature]
    if commission and not commission.feature and (number := _trailing_number(history.feature)):
        names.append(number)
    return tuple(dict.fromkeys(name for name in names if name))


def plan_names(history: History) -> tuple[str, ...]:
    """Features whose plan may have the session's row: its spec, its own name, or its name without the number."""
    commission = history.started.commission
    if commission and commission.origin:
        return (commission.origin.folder.rpartition("/")[2],)
    number = _trailing_number(history.feature)
    return (history.feature.removesuffix(f"-{number}"), history.feature) if number else (history.feature,)


def _trailing_number(name: str) -> str:
    match = _TRAILING_NUMBER.search(name)
    return match["id"] if match else ""


def _status(history: History, asked: int) -> str:
    match history.outcome:
        case Outcome.PASSED | Outcome.PASSED_WITH_WARNINGS:
            return "complete"
        case Outcome.BLOCKED | Outcome.ESCALATED:
            return "escalated"
        case Outcome.REJECTED:
            return "rejected"
        case Outcome.UNDONE:
            return "undone"
        case None:
            return f"review-fix-{asked}" if asked else "in-progress"


def _mark(stage: Stage, history: History) -> str:
    reviewed = [iteration for iteration in history.iterations if iteration.judge is Judge.REVIEWERS]
    verdict = _verdict(stage, reviewed[-1], history) if reviewed else None
    match verdict:
        case None:
            return NOT_REVIEWED
        case Verdict.PASS:
            return PASSED
        case Verdict.INCONCLUSIVE:
            return UNKNOWN
        case Verdict.NEEDS_REVISION:
            return FIXING if history.outcome is None else FAILED


def _verdict(stage: Stage, iteration: Iteration, history: History) -> Verdict | None:
    """The verdict of a stage; None if no reviewer was asked or the answers were discarded."""
    conclusion = iteration.conclusion
    assert conclusion is not None
    if not is_staged(history.policy):
        return conclusion.verdict
    asked = any(ended.call.stage is stage for ended in iteration.ended)
    if stage is Stage.QUALITY and (iteration.discarded or not asked):
        return None
    if conclusion.verdict is Verdict.INCONCLUSIVE:
        return Verdict.INCONCLUSIVE
    failing = any(
        finding.is_serious and finding.group is not Group.MODEL_A_ONLY and (finding.stage or Stage.SPEC) == stage
        for finding in conclusion.findings
    )
    return Verdict.NEEDS_REVISION if failing else Verdict.PASS
