"""A view that cannot be written is a warning, never a failed review: the ledger is the record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol

from reviewloop.core.session.events import Event
from reviewloop.core.session.history import History
from reviewloop.errors import ReviewloopError


class View(Protocol):
    """Something that is kept up to date as a session goes on."""

    called: ClassVar[str]
    """What it is, for people."""

    async def notice(self, session: str, history: History, events: Sequence[Event]) -> None: ...


class Guarded:
    """Says once what went wrong, and goes on."""

    def __init__(self, view: View, warn: Callable[[str], None]) -> None:
        self._view = view
        self._warn = warn
        self._said = False

    async def notice(self, session: str, history: History, events: Sequence[Event]) -> None:
        try:
            await self._view.notice(session, history, events)
        except (OSError, ReviewloopError) as error:
            if not self._said:
                self._said = True
                self._warn(f"{self._view.called} could not be written: {error}; the ledger has it all")
