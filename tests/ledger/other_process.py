"""What another process does with a ledger; run by the tests, which read its standard output."""

import asyncio
import sys
from datetime import UTC, datetime

from reviewloop.core.session.events import Draft, Warned
from reviewloop.errors import AppendConflict
from reviewloop.ledger.sqlite import SqliteLedger


def remark(text):
    return Draft(time=datetime.now(UTC), payload=Warned(feature="export", iteration=1, warnings=(text,)))


async def stream(ledger, session):
    """Append without an end, and say how many events are on disk after each."""
    count = 0
    while True:
        await ledger.append(session, count, [remark(f"{count}"), remark("x" * 4000)])
        count += 2
        print(count, flush=True)


async def race(ledger, session, who, rounds):
    """Try to be the first to append each event, and say which ones it was."""
    for count in range(int(rounds)):
        try:
            await ledger.append(session, count, [remark(who)])
        except AppendConflict:
            continue
        print(count, flush=True)


async def hold(ledger, name):
    async with ledger.hold(name) as held:
        print(held.owner, flush=True)
        await asyncio.Event().wait()


async def main(what, path, *arguments):
    ledger = SqliteLedger(path)
    await {"stream": stream, "race": race, "hold": hold}[what](ledger, *arguments)
    await ledger.close()


asyncio.run(main(*sys.argv[1:]))
