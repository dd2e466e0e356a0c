"""Sessions as data for programs: the session object, the inbox item, the review log, event envelopes."""

from __future__ import annotations

from typing import Any

from reviewloop.app.catalog import SessionState
from reviewloop.core.session.events import Event
from reviewloop.engine.scheduler import Report
from reviewloop.ledger.codec import envelope
from reviewloop.views.human_item import item
from reviewloop.views.review_log import entry, rendered
from reviewloop.views.session_object import session_object as build_session_object


def session_object(state: SessionState) -> dict[str, Any]:
    """What `run`, `resume` and `status` print with `--json`."""
    return build_session_object(state.id, state.history)


def inbox_item(state: SessionState) -> dict[str, Any]:
    """The queue item for a person."""
    return item(state.id, state.history)


def log_object(state: SessionState) -> dict[str, Any]:
    """The review log."""
    entries = [
        entry(state.id, state.history, iteration) for iteration in state.history.iterations if iteration.conclusion
    ]
    return rendered(state.id, state.history, entries)


def event_object(event: Event) -> dict[str, Any]:
    """The envelope of an event."""
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
        "iterations": len(history.iterations) if history else 0,
        "digest": history.digest if history else "",
        "session": report.session or None,
        "depends_on": list(report.task.depends_on),
        "paused_by": list(report.paused_by),
    }
