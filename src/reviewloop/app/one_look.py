"""One look at something, in a session that nobody keeps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reviewloop.app.project import new_id
from reviewloop.cli.live import watched
from reviewloop.core.session.history import History
from reviewloop.core.types.policy import Policy
from reviewloop.engine.runner import run
from reviewloop.engine.session import Session
from reviewloop.ledger.in_memory import MemoryLedger
from reviewloop.workspace.source import Source

if TYPE_CHECKING:
    from reviewloop.app.project import Project


async def look(project: Project, source: Source, policy: Policy, *, quiet: bool) -> History:
    project.refuse_wrong_agents(policy)
    with watched(quiet=quiet) as observers:
        context = replace(project.context(source), ledger=MemoryLedger(), observers=observers)
        session = Session.start(new_id(source.name), project.started(source, policy, {}), context)
        return await run(session, context)
