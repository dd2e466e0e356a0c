"""What the living plan says about a task: its status, what the two stages came to, and how often it was fixed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from reviewloop.core.panel.stages import is_staged
from reviewloop.core.session.history import History, Iteration
from reviewloop.core.types.finding import Group
from reviewloop.core.types.outcome import Outcome, Reason
from reviewloop.core.types.review import Stage, Verdict

NOTHING = "—"
PASSED = "✅"
FAILED = "❌"
FIXING = "❌→🔄"
UNKNOWN = "❓"

_NUMBER = re.compile(r"-(?P<id>\d+(?:\.\d+)*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRow:
    """The cells that are kept up to date."""

    status: str
    spec: str
    quality: str
    fixes: str


def plan_row(history: History) -> PlanRow:
    """The row of a session as it stands. Without stages, the one review there is counts for both."""
    fixes = sum(1 for one in history.iterations if one.feedback)
    exhausted = history.stopped is not None and history.stopped.code is Reason.EXHAUSTED
    return PlanRow(
        status=_status(history, fixes),
        spec=_mark(Stage.SPEC, history),
        quality=_mark(Stage.QUALITY, history),
        fixes=f"{fixes} (max)" if exhausted else str(fixes),
    )


def row_names(history: History) -> tuple[str, ...]:
    """What the session's row may be called in its first column, the best first; a review of several tasks has none."""
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
    """Whose plan the session's row may be in: its spec's, that of its own name, or of that without its number."""
    commission = history.started.commission
    if commission and commission.origin:
        return (commission.origin.folder.rpartition("/")[2],)
    number = _trailing_number(history.feature)
    return (history.feature.removesuffix(f"-{number}"), history.feature) if number else (history.feature,)


def _trailing_number(name: str) -> str:
    found = [one for one in _NUMBER.finditer(name) if one.end() == len(name)]
    return found[-1]["id"] if found else ""


def _status(history: History, fixes: int) -> str:
    match history.outcome:
        case Outcome.PASSED | Outcome.PASSED_WITH_WARNINGS:
            return "complete"
        case Outcome.BLOCKED | Outcome.ESCALATED:
            return "escalated"
        case Outcome.REJECTED:
            return "rejected"
        case None:
            return f"review-fix-{fixes}" if fixes else "in-progress"


def _mark(stage: Stage, history: History) -> str:
    concluded = [one for one in history.iterations if one.conclusion]
    verdict = _verdict(stage, concluded[-1], history) if concluded else None
    match verdict:
        case None:
            return NOTHING
        case Verdict.PASS:
            return PASSED
        case Verdict.INCONCLUSIVE:
            return UNKNOWN
        case Verdict.NEEDS_REVISION:
            return FIXING if history.outcome is None else FAILED


def _verdict(stage: Stage, iteration: Iteration, history: History) -> Verdict | None:
    """What a stage came to; None if nobody was asked, or the answers do not count."""
    conclusion = iteration.conclusion
    assert conclusion is not None
    if not is_staged(history.policy):
        return conclusion.verdict
    asked = any(ended.call.stage is stage for ended in iteration.ended)
    if stage is Stage.QUALITY and (iteration.discarded or not asked):
        return None
    if conclusion.verdict is Verdict.INCONCLUSIVE:
        return Verdict.INCONCLUSIVE
    serious = [one for one in conclusion.findings if one.is_serious and one.group is not Group.MODEL_A_ONLY]
    mine = [one for one in serious if one.stage == stage or (one.stage is None and stage is Stage.SPEC)]
    return Verdict.NEEDS_REVISION if mine else Verdict.PASS
