"""Turns a view that cannot be written into a warning: the ledger is the record, so the review goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol

from reviewloop.core.session.events import Event
from reviewloop.core.session.history import History
from reviewloop.errors import ReviewloopError


class View(Protocol):
    """A file or database that is kept up to date during a session."""

    label: ClassVar[str]
    """The view's name in messages."""

    async def notice(self, session: str, history: History, events: Sequence[Event]) -> None: ...


class Guarded:
    """Warns about the first failure of a view."""

    def __init__(self, view: View, warn: Callable[[str], None]) -> None:
        self._view = view
        self._warn = warn
        self._warned = False

    async def notice(self, session: str, history: History, events: Sequence[Event]) -> None:
        try:
            await self._view.notice(session, history, events)
        except (OSError, ReviewloopError) as error:
            if not self._warned:
                self._warned = True
                self._warn(f"{self._view.label} could not be written: {error}; the ledger has every event")
