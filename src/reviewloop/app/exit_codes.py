"""The exit code that a session or a workflow stands for. That of a review is `BY_VERDICT` in `review_files`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reviewloop.core.session.history import History
from reviewloop.core.types.outcome import Outcome, Reason
from reviewloop.errors import ExitCode

if TYPE_CHECKING:
    from reviewloop.engine.scheduler import Report

_UNHEARD = (Reason.UNANSWERED, Reason.TAMPERED, Reason.UNREAD)


def of_session(history: History) -> ExitCode:
    """Of blocked sessions: 5 if no reviewer could be heard, 1 if the verdict is clear and there is no author."""
    reason = history.stopped.code if history.stopped else None
    match history.outcome:
        case Outcome.PASSED | Outcome.PASSED_WITH_WARNINGS:
            return ExitCode.PASSED
        case Outcome.REJECTED | Outcome.UNDONE:
            return ExitCode.NEEDS_REVISION
        case Outcome.BLOCKED if reason is Reason.NO_AUTHOR:
            return ExitCode.NEEDS_REVISION
        case Outcome.BLOCKED if reason in _UNHEARD:
            return ExitCode.INCONCLUSIVE
        case _:
            return ExitCode.BLOCKED


def of_workflow(reports: Sequence[Report]) -> ExitCode:
    from reviewloop.engine.scheduler import State

    states = {report.state for report in reports}
    if states <= {State.DONE}:
        return ExitCode.PASSED
    return ExitCode.BLOCKED if states & {State.WAITING, State.FAILED} else ExitCode.NEEDS_REVISION
