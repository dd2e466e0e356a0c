"""All events, by family, and their envelope.

Other tools read `spec.review.started`, `.iteration`, `.feedback`, `.passed`, `.blocked` and `.malformed`: these types
and their first fields are a contract.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

from reviewloop.core.session.events.author import (
    Authored,
    AuthorFailed,
    Commissioned,
    Conflicted,
    Contested,
    Feedback,
    Revised,
    Ruled,
    UndoBegun,
    Undone,
    UndoStopped,
)
from reviewloop.core.session.events.person import Added, Dismissed, Rejected, Resumed
from reviewloop.core.session.events.review import (
    Answered,
    Asked,
    Checked,
    Discarded,
    Iterated,
    MalformedAnswer,
    Settled,
    Tampered,
    Unanswered,
)
from reviewloop.core.session.events.session import Blocked, Booked, Escalated, Passed, Started, Warned

if TYPE_CHECKING:
    from reviewloop.core.session.events.memory import MemoryPayload

SessionPayload = (
    Started
    | Iterated
    | Feedback
    | Passed
    | Blocked
    | MalformedAnswer
    | Checked
    | Asked
    | Answered
    | Unanswered
    | Tampered
    | Commissioned
    | Authored
    | AuthorFailed
    | Revised
    | Conflicted
    | Warned
    | Escalated
    | Resumed
    | Dismissed
    | Added
    | Rejected
    | Discarded
    | Contested
    | Ruled
    | Settled
    | Booked
    | UndoBegun
    | UndoStopped
    | Undone
)

SESSION_PAYLOADS: Mapping[str, type[Any]] = {cls.type: cls for cls in get_args(SessionPayload)}

Payload: TypeAlias = "SessionPayload | MemoryPayload"
"""The memory's events are in a record of their own, so they are imported when that record is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An event before the ledger numbers it."""

    time: datetime
    payload: Payload


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An event in its envelope. `id` is globally unique; `seq` counts from 1 within the session."""

    id: str
    session: str
    seq: int
    time: datetime
    payload: Payload

    @property
    def type(self) -> str:
        return self.payload.type
