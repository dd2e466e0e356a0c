"""A story with a ledger in a file: opened for it, and closed at its end."""

import asyncio

from reviewloop.ledger.sqlite import SqliteLedger


def play(path, story, **settings):
    async def whole_story():
        ledger = SqliteLedger(path, **settings)
        try:
            return await asyncio.wait_for(story(ledger), 60)
        finally:
            await ledger.close()

    return asyncio.run(whole_story())
