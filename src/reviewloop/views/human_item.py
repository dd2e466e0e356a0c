"""The queue of sessions that wait for a person: one file per session, marked as resolved when the session continues."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from reviewloop.core.session.events import Escalated, Event
from reviewloop.core.session.history import History
from reviewloop.text import rfc3339
from reviewloop.views.atomic_files import replace_json, safe_name
from reviewloop.views.review_log import entry


class HumanItems:
    """Writes the queue of sessions that wait for a person. `place` gives a session's folder; None for no file."""

    label: ClassVar[str] = "the queue of waiting sessions"

    def __init__(self, place: Callable[[History], Path | None]) -> None:
        self._place = place

    async def notice(self, session: str, history: History, events: Sequence[Event]) -> None:
        del events
        folder = self._place(history)
        if folder is None:
            return
        path = folder / f"{safe_name(session)}.json"
        if history.outcome is not None and history.outcome.waits:
            replace_json(path, item(session, history))
        elif path.is_file():
            self._resolve(path, history)

    def _resolve(self, path: Path, history: History) -> None:
        try:
            known = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return
        opened = history.window.opened
        if known.get("status") == "pending" or known.get("outcome") != history.outcome:
            known |= {
                "status": "resolved",
                "outcome": str(history.outcome) if history.outcome else None,
                "answer": str(opened.action) if opened else None,
                "note": opened.note if opened else "",
                "resolved_at": rfc3339(history.updated_at),
            }
            replace_json(path, known)


def item(session: str, history: History) -> dict[str, Any]:
    stopped = history.stopped
    return {
        "id": session,
        "task_id": history.feature,
        "status": "pending",
        "outcome": str(history.outcome),
        "reason": history.because,
        "code": str(stopped.code) if stopped else None,
        "proposal": stopped.proposal if isinstance(stopped, Escalated) else None,
        "created_at": rfc3339(history.updated_at),
        "artifact": list(history.started.paths),
        "recovery_actions": list(stopped.recovery_actions) if stopped else [],
        "history": [entry(session, history, iteration) for iteration in history.iterations if iteration.conclusion],
    }
