"""What the ledger has of a project's sessions: by name, the newest, all of them in figures."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Generic, TypeVar

from reviewloop.core.session.events import Payload, Started
from reviewloop.core.session.fold import fold
from reviewloop.core.session.history import History
from reviewloop.core.session.services import Services, service_of
from reviewloop.core.session.session_head import SessionHead
from reviewloop.errors import DamagedRecord, UnknownSession
from reviewloop.text import did_you_mean

if TYPE_CHECKING:
    from reviewloop.core.statistics.stats import ReviewedSession
    from reviewloop.core.types.calls import FileChange
    from reviewloop.ports import Ledger

SESSIONS_REMEMBERED = 100
"""How many sessions are asked what people decided in them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionState:
    """A session after it was worked on."""

    id: str
    history: History


@dataclass(frozen=True, slots=True, kw_only=True)
class Recent:
    """What happened in a session."""

    session: str
    payloads: Sequence[Payload]


@dataclass(frozen=True, slots=True, kw_only=True)
class Damaged:
    """A session that cannot be read, and why."""

    head: SessionHead
    error: DamagedRecord


T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Readable(Generic[T]):
    """What was read of several sessions. Those that cannot be read are told apart, so that they hide no others."""

    found: tuple[T, ...]
    damaged: tuple[Damaged, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """The sessions of a project, read from its ledger."""

    ledger: Ledger
    services: Services

    async def find(self, name: str) -> SessionHead:
        """The newest session of that name, or the session with that id."""
        heads = await self.ledger.heads()
        for head in heads:
            if name in (head.session, head.feature):
                return head
        names = list(dict.fromkeys(head.feature for head in heads))
        near = did_you_mean(name, names)
        known = (
            f"the newest are {', '.join(names[:8])}" if names else "there is none yet; start one with `reviewloop run`"
        )
        raise UnknownSession(f"there is no session `{name}`", hint=f"did you mean `{near}`?" if near else known)

    async def named(self, name: str) -> SessionState:
        """The same with all that happened in it."""
        return await self._ran(await self.find(name))

    async def history(self, session: str) -> History:
        history = fold(await self.ledger.read(session))
        if history is None:
            raise DamagedRecord(f"session {session} has no events")
        return history

    async def latest(self) -> Readable[SessionState]:
        """The newest session of every name, the one worked on last first."""
        newest: dict[str, SessionHead] = {}
        for head in await self.ledger.heads():
            newest.setdefault(head.feature, head)
        return await self._each(newest.values(), self._ran)

    async def everything(self) -> Readable[SessionState]:
        """All sessions, the one worked on last first."""
        return await self._each(await self.ledger.heads(), self._ran)

    async def told(self, since: datetime | None = None) -> Readable[ReviewedSession]:
        """All sessions with their figures, the oldest first."""
        heads = [head for head in await self.ledger.heads() if since is None or head.started >= since]
        return await self._each(sorted(heads, key=lambda head: head.started), self._told)

    async def _each(self, heads: Iterable[SessionHead], read: Callable[[SessionHead], Awaitable[T]]) -> Readable[T]:
        """Read sessions one by one."""
        found: list[T] = []
        damaged: list[Damaged] = []
        for head in heads:
            try:
                found.append(await read(head))
            except DamagedRecord as error:
                damaged.append(Damaged(head=head, error=error))
        return Readable(found=tuple(found), damaged=tuple(damaged))

    async def _ran(self, head: SessionHead) -> SessionState:
        return SessionState(id=head.session, history=await self.history(head.session))

    async def _told(self, head: SessionHead) -> ReviewedSession:
        from reviewloop.core.panel.calibration import decisions  # few commands show figures
        from reviewloop.core.statistics.analytics import entries
        from reviewloop.core.statistics.stated_confidence import claims
        from reviewloop.core.statistics.stats import ReviewedSession

        events = await self.ledger.read(head.session)
        history = fold(events)
        if history is None:
            raise DamagedRecord(f"session {head.session} has no events")
        service = service_of(history, self.services)
        payloads = [event.payload for event in events]
        return ReviewedSession(
            session=head.session,
            history=history,
            entries=entries(head.session, history, service),
            service=service,
            decisions=tuple(decisions(head.session, payloads)),
            claims=tuple(claims(payloads)),
        )

    async def started_of(self, head: SessionHead) -> Started:
        payload = (await self.ledger.read(head.session))[0].payload
        assert isinstance(payload, Started)
        return payload

    async def recent(self) -> Readable[Recent]:
        """What happened in each of the newest sessions, the oldest of them first."""
        newest = (await self.ledger.heads())[:SESSIONS_REMEMBERED][::-1]
        return await self._each(sorted(newest, key=lambda head: head.started), self._recent)

    async def _recent(self, head: SessionHead) -> Recent:
        events = await self.ledger.read(head.session)
        return Recent(session=head.session, payloads=[event.payload for event in events])

    async def changes(self, *sessions: str) -> list[FileChange]:
        """What the authors of these sessions changed, oldest first."""
        from reviewloop.core.session.revisions import revisions

        works = [work for session in sessions for work in revisions(await self.ledger.read(session))]
        return [change for work in works for change in work.changes]
