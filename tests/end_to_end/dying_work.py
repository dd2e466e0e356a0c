"""`reviewloop work` in the current directory, dying at a chosen point as by kill -9; see dying.py for the points.

With a second argument, the tasks of that spec, reviewed when the third one says.
"""

from __future__ import annotations

import asyncio
import sys

from dying import DyingAgent, DyingLedger

from reviewloop.app import App, open_app
from reviewloop.building import Builder
from reviewloop.review.cadence import Cadence
from reviewloop.workshop import Workshop
from reviewloop.workspace.spec import find_spec


async def main(point: str, *spec: str) -> None:
    app: App = open_app()
    ledger = DyingLedger(app.ledger, point)
    app.__dict__["ledger"] = ledger
    for name in ("dev", "critic"):
        app._agents[name] = DyingAgent(app.agent(name), point)
    if spec:
        found, cadence = find_spec(app.root, app.cwd, spec[0]), Cadence.parse(spec[1])
        assert cadence
        await Builder(app=app, spec=found, cadence=cadence).build()
    else:
        await Workshop(app=app).work()
    print(ledger.appends)
    await app.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
