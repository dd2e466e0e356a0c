"""The ledger's events in order, of all sessions or of one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reviewloop.app.project import Project
from reviewloop.core.session.events import Event
from reviewloop.core.session.session_head import MEMORY_BOOK
from reviewloop.errors import DamagedRecord

if TYPE_CHECKING:
    from reviewloop.ports import Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedEntry:
    """An event at its position, or why the event there cannot be read."""

    position: int
    event: Event | None = None
    damage: DamagedRecord | None = None


async def read_events(
    project: Project, name: str | None = None, after: int = 0, *, following: bool = False
) -> AsyncGenerator[FeedEntry]:
    """Events after a position. `name` is a session, or `@memory`; `following` goes on as events happen."""
    wanted = (await project.catalog.find(name)).session if name and name != MEMORY_BOOK else name
    if following:
        async for position, event in follow(project.ledger, after):
            if wanted in (None, event.session):
                yield FeedEntry(position=position, event=event)
        return
    position: int | None = after
    while position is not None:
        try:
            batch = await project.ledger.feed(position)
        except DamagedRecord as error:
            if error.position is None:
                raise
            position = error.position
            if wanted in (None, error.session):
                yield FeedEntry(position=position, damage=error)
            continue
        for number, event in batch:
            if wanted in (None, event.session):
                yield FeedEntry(position=number, event=event)
        position = batch[-1][0] if batch else None


async def follow(ledger: Ledger, after: int = 0, poll: float = 0.2) -> AsyncIterator[tuple[int, Event]]:
    """Yield the events of all sessions as they are written, with their positions. Polls every `poll` seconds."""
    while True:
        page = await ledger.feed(after)
        for position, event in page:
            after = position
            yield position, event
        if not page:
            await asyncio.sleep(poll)
