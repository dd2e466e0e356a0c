import asyncio
import threading

import pytest

from reviewloop.errors import LedgerError, SessionHeld
from reviewloop.ledger.database import Database
from reviewloop.ledger.writer import Writer

PUT = "INSERT INTO blobs (digest, data) VALUES (?, ?)"


def put(name, data=b""):
    def work(connection):
        connection.execute(PUT, (name, data))
        return name

    return work


def put_and_fail(error):
    def work(connection):
        connection.execute(PUT, ("half done", b""))
        raise error

    return work


def names(connection):
    return [name for (name,) in connection.execute("SELECT digest FROM blobs ORDER BY digest")]


def play(path, story):
    async def whole_story(writer):
        return await asyncio.wait_for(story(writer), 60)

    writer = Writer(Database(path, patience=5))
    try:
        return asyncio.run(whole_story(writer))
    finally:
        writer.close()


async def all_at_once(writer, works):
    """Let requests gather while the writer is busy, so that they come in one batch."""
    begun, enough = threading.Event(), threading.Event()

    def keep_busy(connection):
        begun.set()
        enough.wait()

    writer.submit_and_forget(keep_busy)
    await asyncio.to_thread(begun.wait)
    waiting = [writer.submit(work) for work in works]
    enough.set()
    return await asyncio.gather(*waiting, return_exceptions=True)


def test_all_that_wait_share_one_commit(path):
    async def story(writer):
        statements = []
        await writer.submit(lambda connection: connection.set_trace_callback(statements.append))
        statements.clear()
        await all_at_once(writer, [put(f"{n:03}") for n in range(100)])
        return statements

    # One for the batch, one for the request that kept the writer busy.
    assert 2 == play(path, story).count("COMMIT")


def test_a_request_that_fails_leaves_nothing_and_hurts_nobody(path):
    async def story(writer):
        held, bug = SessionHeld("export", owner="somebody"), RuntimeError("a bug")
        results = await all_at_once(writer, [put("a"), put_and_fail(held), put_and_fail(bug), put("b")])
        assert ["a", held, bug, "b"] == results
        return await writer.submit(names)

    assert ["a", "b"] == play(path, story)


def test_a_request_that_breaks_a_rule_of_the_tables_leaves_nothing_and_hurts_nobody(path):
    async def story(writer):
        first, again, other = await all_at_once(writer, [put("a"), put("a"), put("b")])
        assert ("a", "b") == (first, other)
        assert isinstance(again, LedgerError)
        return await writer.submit(names)

    assert ["a", "b"] == play(path, story)


def test_a_full_disk_fails_what_does_not_fit_and_nothing_else(path):
    async def story(writer):
        await writer.submit(put("before"))
        (pages,) = await writer.submit(lambda connection: connection.execute("PRAGMA page_count").fetchone())
        await writer.submit(lambda connection: connection.execute(f"PRAGMA max_page_count = {pages + 4}").fetchone())
        small, large, last = await all_at_once(writer, [put("a"), put("large", bytes(100_000)), put("b")])
        assert ("a", "b") == (small, last)
        assert ["a", "b", "before"] == await writer.submit(names)

        await writer.submit(lambda connection: connection.execute("PRAGMA max_page_count = 1000").fetchone())
        await writer.submit(put("large", bytes(100_000)))
        return large

    error = play(path, story)

    assert "cannot grow: database or disk is full" in error.message
    assert "reviewloop resume" in error.hint


def test_what_was_submitted_before_closing_is_done(path):
    async def submit(writer):
        return [writer.submit(put(f"{n:02}")) for n in range(20)]

    play(path, submit)

    assert [f"{n:02}" for n in range(20)] == play(path, lambda writer: writer.submit(names))


def test_nothing_is_taken_on_after_closing(path):
    writer = Writer(Database(path, patience=5))
    writer.close()

    with pytest.raises(LedgerError, match="is closed"):
        writer.submit_and_forget(names)
