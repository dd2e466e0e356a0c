import asyncio
import os
import sqlite3
from datetime import UTC, datetime, timedelta

import pytest
from stories import play

from reviewloop.errors import SessionHeld
from reviewloop.ledger.codec import format_time
from reviewloop.ledger.lease_owner import this_process
from reviewloop.ledger.sqlite import SqliteLedger

FUTURE = datetime.now(UTC) + timedelta(hours=1)
PAST = datetime.now(UTC) - timedelta(hours=1)


def put_lease(path, **columns):
    """Somebody else's lease, as that one would have written it."""
    me = this_process()
    lease = {
        "name": "export",
        "owner": "f00d",
        "pid": me.pid,
        "process_start": me.start,
        "host": me.host,
        "boot": me.boot,
        "since": "2026-05-04T12:03:00.000000Z",
        "expires": format_time(FUTURE),
    } | columns
    connection = sqlite3.connect(path)
    marks = ", ".join("?" * len(lease))
    connection.execute(f"INSERT OR REPLACE INTO leases ({', '.join(lease)}) VALUES ({marks})", tuple(lease.values()))
    connection.commit()
    connection.close()


async def take(ledger):
    async with ledger.hold("export") as hold:
        return hold


async def touch(ledger):
    """Have the file made."""
    async with ledger.hold("anything"):
        pass


def taken(path, **columns):
    """Whether a lease like this can be taken over."""
    play(path, touch)
    put_lease(path, **columns)
    try:
        return play(path, take).pid == os.getpid()
    except SessionHeld:
        return False


def test_a_session_on_another_machine_is_held_until_its_lease_ends(path):
    assert not taken(path, host="elsewhere", pid=1)
    assert taken(path, host="elsewhere", pid=1, expires=format_time(PAST))


def test_a_process_in_another_container_cannot_be_looked_at_and_is_held_until_its_lease_ends(path):
    assert not taken(path, boot="another container", pid=1)
    assert taken(path, boot="another container", pid=1, expires=format_time(PAST))


def test_a_process_that_runs_keeps_its_session_even_if_it_was_asleep(path, other_process):
    sleeper = other_process("hold", "another session")
    sleeper.stdout.readline()
    connection = sqlite3.connect(path)
    (start,) = connection.execute("SELECT process_start FROM leases").fetchone()
    connection.close()

    assert not taken(path, pid=sleeper.pid, process_start=start, expires=format_time(PAST))


@pytest.mark.skipif(not this_process().start, reason="this system does not tell when a process started")
def test_a_process_that_only_has_the_same_number_holds_nothing(path, other_process):
    stranger = other_process("hold", "another session")
    stranger.stdout.readline()

    assert taken(path, pid=stranger.pid, process_start="12345")


def test_where_nobody_tells_when_a_process_started_a_lease_stands_until_it_ends(path, other_process):
    unknown = other_process("hold", "another session")
    unknown.stdout.readline()

    assert not taken(path, pid=unknown.pid, process_start="")
    assert taken(path, pid=unknown.pid, process_start="", expires=format_time(PAST))


def test_two_ledgers_of_one_process_do_not_share_a_hold(path):
    async def story(ledger):
        another = SqliteLedger(path)
        async with ledger.hold("export"):
            with pytest.raises(SessionHeld, match=f"pid {os.getpid()} on "):
                await take(another)
        await take(another)
        await another.close()

    play(path, story)


def test_the_owner_is_named_with_the_time_since_when(path):
    play(path, touch)
    put_lease(path, host="elsewhere", pid=123)

    holder = play(path, lambda ledger: ledger.holder("export"))

    assert "pid 123 on elsewhere since 12:03 UTC" == holder.owner
    assert (123, "elsewhere", FUTURE) == (holder.pid, holder.host, holder.expires)


def test_a_heartbeat_puts_off_the_end_of_a_hold(path):
    async def story(ledger):
        async with ledger.hold("export") as hold, ledger.hold("import"):
            while (await ledger.holder("export")).expires <= hold.expires:  # noqa: ASYNC110 - another thread does it
                await asyncio.sleep(0.01)

    play(path, story, heartbeat_seconds=0.02)


def test_a_holder_whose_lease_was_taken_away_is_stopped_and_told_by_whom(path):
    async def work_while_it_is_taken_away(ledger):
        async with ledger.hold("export"):
            put_lease(path, host="elsewhere", pid=123)
            await asyncio.Event().wait()

    async def story(ledger):
        with pytest.raises(SessionHeld) as held:
            await work_while_it_is_taken_away(ledger)
        assert 0 == asyncio.current_task().cancelling()
        assert (await ledger.holder("export")).host == "elsewhere"
        return held.value

    assert "pid 123 on elsewhere since 12:03 UTC" == play(path, story, heartbeat_seconds=0.02).owner


def test_who_is_cancelled_while_waiting_for_a_hold_does_not_keep_it(path):
    async def story(ledger):
        await touch(ledger)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        task = asyncio.ensure_future(take(ledger))
        await asyncio.sleep(0)
        task.cancel()
        other.close()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await ledger.holder("export") is None

    play(path, story)


def test_a_thousand_sessions_are_held_at_once(path):
    async def story(ledger):
        everybody = asyncio.Barrier(1000)

        async def work(name):
            async with ledger.hold(name):
                await everybody.wait()

        await asyncio.gather(*(work(f"session {n}") for n in range(1000)))

    play(path, story)
