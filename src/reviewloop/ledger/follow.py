"""Follows the feed of a ledger."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from reviewloop.core.session.events import Event

if TYPE_CHECKING:
    from reviewloop.ports import Ledger


async def follow(ledger: Ledger, after: int = 0, poll: float = 0.2) -> AsyncIterator[tuple[int, Event]]:
    """Yield the events of all sessions as they are written, with their positions. Polls every `poll` seconds."""
    while True:
        page = await ledger.feed(after)
        for position, event in page:
            after = position
            yield position, event
        if not page:
            await asyncio.sleep(poll)
