import asyncio

from reviewloop.app.event_feed import follow
from reviewloop.ledger.in_memory import MemoryLedger
from reviewloop.testing.ledger import remark, remarks


def test_a_follower_sees_what_was_written_and_what_is_written_while_it_waits():
    async def story():
        ledger = MemoryLedger()
        await ledger.append("export", 0, [remark("a"), remark("b")])
        events = follow(ledger, after=1, poll=0.001)
        seen = [await anext(events)]
        waiting = asyncio.ensure_future(anext(events))
        await asyncio.sleep(0.01)
        await ledger.append("import", 0, [remark("c")])
        seen.append(await waiting)
        return [(position, *remarks([event])) for position, event in seen]

    assert [(2, "b"), (3, "c")] == asyncio.run(asyncio.wait_for(story(), 30))
