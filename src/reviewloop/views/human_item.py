"""The queue of sessions that wait for a person: one file per session, marked as resolved when the session continues."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, cast

from reviewloop.core.session.events import Escalated, Event, Started
from reviewloop.core.session.history import History
from reviewloop.text import rfc3339
from reviewloop.views.atomic_files import distinct_name, read_json, replace_json
from reviewloop.views.review_log import log_entries


class HumanItems:
    """Writes the queue of sessions that wait for a person. `place` gives a session's folder; None for no file."""

    label: ClassVar[str] = "the queue of waiting sessions"

    def __init__(self, place: Callable[[History], Path | None]) -> None:
        self._place = place

    async def notice(self, session: str, history: History, events: Sequence[Event]) -> None:
        folder = self._place(history)
        if folder is None:
            return
        if not events or any(isinstance(event.payload, Started) for event in events):
            self._replace_older(folder, session, history)
        path = folder / f"{distinct_name(session)}.json"
        if history.outcome is not None and history.outcome.waits:
            if (new := item(session, history)) != read_json(path):
                replace_json(path, new)
        elif isinstance(known := read_json(path), dict):
            self._resolve(path, cast("dict[str, Any]", known), history)

    def _replace_older(self, folder: Path, session: str, history: History) -> None:
        """Resolve what an older session of the same name waited for: nobody is asked about it any more."""
        for path in folder.glob("*.json"):
            known = read_json(path)
            if not isinstance(known, dict):
                continue
            item = cast("dict[str, Any]", known)
            older = str(item.get("created_at", "")) < rfc3339(history.started_at)
            if (
                item.get("id") != session
                and older
                and item.get("status") == "pending"
                and item.get("task_id") == history.feature
            ):
                resolved = {"status": "resolved", "replaced_by": session, "resolved_at": rfc3339(history.started_at)}
                replace_json(path, item | resolved)

    def _resolve(self, path: Path, known: dict[str, Any], history: History) -> None:
        """The item as it was when the session stopped, with what a person said and what came of it."""
        opened = history.window.opened
        outcome = str(history.outcome) if history.outcome else None
        if known.get("status") == "pending" or known.get("outcome") != outcome:
            known |= {
                "status": "resolved",
                "outcome": outcome,
                "answer": str(opened.action) if opened else None,
                "by": opened.by if opened else "",
                "note": opened.note if opened else "",
                "resolved_at": rfc3339(history.updated_at),
            }
            replace_json(path, known)


def item(session: str, history: History) -> dict[str, Any]:
    """A session as an item of the queue; resolved if it does not wait."""
    stopped = history.stopped
    waits = history.outcome is not None and history.outcome.waits
    return {
        "id": session,
        "task_id": history.feature,
        "status": "pending" if waits else "resolved",
        "outcome": str(history.outcome) if history.outcome else None,
        "reason": history.because,
        "code": str(stopped.code) if stopped else None,
        "proposal": stopped.proposal if isinstance(stopped, Escalated) else None,
        "created_at": rfc3339(history.updated_at),
        "artifact": list(history.files),
        "recovery_actions": list(stopped.recovery_actions) if stopped else [],
        "history": log_entries(session, history),
    }
