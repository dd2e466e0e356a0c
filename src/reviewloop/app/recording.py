"""Makes a replay from a recorded session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reviewloop.agents.recording import transcript
from reviewloop.app.project import Project


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """What every agent of a session answered, without secrets, as the agent kind `replay` reads it."""

    session: str
    entries: list[Any]


async def record_session(project: Project, name: str) -> Recording:
    head = await project.catalog.find(name)
    events = await project.ledger.read(head.session)
    entries = await transcript((event.payload for event in events), project.ledger)
    return Recording(session=head.session, entries=entries)
