"""Sessions as data for programs: the session object, the inbox item, the review log, event envelopes.

A command prints one of them, so each function imports what it needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reviewloop.app.catalog import SessionState
from reviewloop.core.session.events import Event

if TYPE_CHECKING:
    from reviewloop.engine.scheduler import Report


def session_object(state: SessionState) -> dict[str, Any]:
    """What `run`, `resume` and `status` print with `--json`."""
    from reviewloop.views.session_object import session_object

    return session_object(state.id, state.history)


def inbox_item(state: SessionState) -> dict[str, Any]:
    """The queue item for a person."""
    from reviewloop.views.human_item import item

    return item(state.id, state.history)


def log_object(state: SessionState) -> dict[str, Any]:
    """The review log."""
    from reviewloop.views.review_log import log_entries, rendered

    return rendered(state.id, state.history, log_entries(state.id, state.history))


def event_object(event: Event) -> dict[str, Any]:
    """The envelope of an event."""
    from reviewloop.ledger.codec import envelope

    return envelope(event)


def task_object(report: Report) -> dict[str, object]:
    """Where a task stands."""
    history = report.history
    return {
        "task": report.task.id,
        "agent": report.task.agent,
        "state": str(report.state),
        "outcome": str(history.outcome) if history and history.outcome else None,
        "because": report.because,
        "warnings": list(history.warnings) if history else [],
        "iterations": history.reviews if history else 0,
        "digest": history.digest if history else "",
        "session": report.session or None,
        "depends_on": list(report.task.depends_on),
        "paused_by": list(report.paused_by),
    }


def restart_command(report: Report) -> str:
    """The command that starts a rejected task again; empty for other tasks."""
    from reviewloop.core.loop.endings import restart
    from reviewloop.core.types.outcome import Outcome

    history = report.history
    return restart(history) if history and history.outcome is Outcome.REJECTED else ""
