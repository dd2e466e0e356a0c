"""`reviewloop run --prd docs/prd/export.md`, dying at a chosen point as by kill -9; see dying.py for the points."""

from __future__ import annotations

import asyncio
import sys

from dying import DyingAgent, DyingLedger

from reviewloop.app import App, open_app
from reviewloop.features import Features
from reviewloop.workspace.prds import load_prd


async def main(point: str) -> None:
    app: App = open_app()
    ledger = DyingLedger(app.ledger, point)
    app.__dict__["ledger"] = ledger
    for name in ("reviewer", "author"):
        app._agents[name] = DyingAgent(app.agent(name), point)
    await Features(app=app).run(load_prd(app.root, "docs/prd/export.md"))
    print(ledger.appends)
    await app.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
