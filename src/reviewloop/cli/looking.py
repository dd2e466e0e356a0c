"""One look at something, in a session that nobody keeps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reviewloop.app import new_id
from reviewloop.cli.progress import watched
from reviewloop.engine.runner import run
from reviewloop.engine.session import Session
from reviewloop.ledger.memory import MemoryLedger
from reviewloop.review.history import History
from reviewloop.review.policy import Policy
from reviewloop.workspace.source import Source

if TYPE_CHECKING:
    from reviewloop.app import App


async def look(app: App, source: Source, policy: Policy, *, quiet: bool) -> History:
    app.refuse_wrong_agents(policy)
    with watched(quiet=quiet) as observers:
        desk = replace(app.desk(source), ledger=MemoryLedger(), observers=observers)
        session = Session.start(new_id(source.name), app.started(source, policy, {}), desk)
        return await run(session, desk)
