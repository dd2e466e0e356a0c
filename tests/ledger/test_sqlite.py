"""What is special about a ledger in a file."""

import asyncio
import os
import sqlite3
import threading
from contextlib import closing

import pytest
from stories import play

from reviewloop.core.types.artifact import digest_of
from reviewloop.errors import LedgerError, LedgerVersion
from reviewloop.ledger.database import Database
from reviewloop.ledger.schema import MIGRATIONS, migrate
from reviewloop.ledger.sqlite import SqliteLedger
from reviewloop.testing.ledger import remark, remarks, started


async def append_one(ledger):
    return await ledger.append("export", 0, [remark("a")])


async def read_all(ledger):
    return remarks(await ledger.read("export"))


def error_of(path, story, **settings):
    with pytest.raises(LedgerError) as error:
        play(path, story, **settings)
    assert error.value.hint
    return error.value


def change(path, statement, *values):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement, values)
        connection.commit()


def test_reading_leaves_no_file_behind(path):
    async def story(ledger):
        assert [] == await ledger.heads()
        assert not path.parent.exists()
        await append_one(ledger)
        assert ["a"] == await read_all(ledger)

    play(path, story)


def test_every_commit_is_synced_to_disk(path):
    database = Database(path, patience=1)
    connection = database.for_writing()

    assert ("wal",) == connection.execute("PRAGMA journal_mode").fetchone()
    assert (2,) == connection.execute("PRAGMA synchronous").fetchone()
    database.close()


def test_readers_do_not_wait_for_writers(path):
    async def story(ledger):
        await append_one(ledger)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        assert ["a"] == await read_all(ledger)
        other.close()

    play(path, story)


def test_a_ledger_that_stays_locked_is_an_error_and_works_again_afterwards(path):
    async def story(ledger):
        await append_one(ledger)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError, match="is locked") as error:
            await ledger.append("export", 1, [remark("b")])
        other.close()
        await ledger.append("export", 1, [remark("b")])
        assert ["a", "b"] == await read_all(ledger)
        return error.value

    assert "close it" in play(path, story, patience=0.05).hint


def test_a_file_that_is_no_database_is_left_alone(path):
    path.parent.mkdir()
    path.write_text("Dear diary, " * 100)

    assert "is not a ledger" in error_of(path, read_all).message
    assert "is not a ledger" in error_of(path, append_one).message
    assert path.read_text().startswith("Dear diary")


def test_the_database_of_another_program_is_left_alone(path):
    path.parent.mkdir()
    change(path, "CREATE TABLE recipes (name TEXT)")

    assert f"{path} is another program's database" == error_of(path, append_one).message
    with closing(sqlite3.connect(path)) as other:
        assert [("recipes",)] == other.execute("SELECT name FROM sqlite_master").fetchall()


def test_a_ledger_of_a_newer_version_is_left_alone(path):
    play(path, append_one)
    change(path, f"PRAGMA user_version = {len(MIGRATIONS) + 1}")

    error = error_of(path, append_one)

    assert isinstance(error, LedgerVersion)
    assert "upgrade" in error.hint
    assert isinstance(error_of(path, read_all), LedgerVersion)


@pytest.mark.parametrize("story", [append_one, read_all])
def test_a_directory_where_the_file_should_be_is_an_error(path, story):
    path.mkdir(parents=True)

    assert "cannot be opened" in error_of(path, story).message


def test_a_file_where_the_directory_should_be_is_an_error(path):
    path.parent.write_text("")

    assert "cannot be opened" in error_of(path, append_one).message


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_directory_that_cannot_be_written_to_is_an_error(path):
    path.parent.mkdir(mode=0o500)

    assert "cannot be opened" in error_of(path, append_one).message
    assert [] == play(path, read_all)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_ledger_in_a_directory_that_cannot_be_written_to_is_read(path):
    play(path, append_one)
    path.chmod(0o400)
    path.parent.chmod(0o500)

    assert 1 == len(play(path, read_all))
    assert "cannot be" in error_of(path, append_one).message


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="nothing is read-only for root")
def test_what_only_the_log_of_a_ledger_has_is_not_passed_over(path):
    play(path, append_one)
    path.with_name(f"{path.name}-wal").write_bytes(b"events that are not in the file yet")
    path.chmod(0o400)
    path.parent.chmod(0o500)

    assert "cannot be" in error_of(path, read_all).message


def test_a_ledger_that_is_deleted_while_in_use_is_not_written_to_in_vain(path):
    async def story(ledger):
        await append_one(ledger)
        for file in path.parent.iterdir():
            file.unlink()
        with pytest.raises(LedgerError, match="has 0 events, not 1"):
            await ledger.append("export", 1, [remark("lost")])
        await ledger.append("export", 0, [remark("anew")])

    play(path, story)

    assert ["anew"] == play(path, read_all)


def test_an_event_that_cannot_be_read_is_named(path):
    play(path, append_one)
    change(path, "UPDATE events SET type = 'spec.review.sung'")

    assert "event 1 of session export has the unknown type" in error_of(path, read_all).message
    assert "event 1 of session export" in error_of(path, lambda ledger: ledger.feed()).message


def test_a_damaged_text_is_an_error(path):
    digest = digest_of("# Spec")
    play(path, lambda ledger: ledger.append("export", 0, [remark("a")], {digest: b"# Spec"}))
    change(path, "UPDATE blobs SET data = x'00'")

    assert digest in error_of(path, lambda ledger: ledger.blob(digest)).message


def test_heads_do_not_look_at_payloads(path):
    play(path, lambda ledger: ledger.append("export", 0, [started("export"), remark("a")]))
    change(path, "UPDATE events SET payload = 'damaged'")

    (head,) = play(path, lambda ledger: ledger.heads())

    assert ("export", "export", 2) == (head.session, head.feature, head.events)


def test_a_session_without_a_feature_is_listed_by_its_name(path):
    async def story(ledger):
        await append_one(ledger)
        unnamed = [head.feature for head in await ledger.heads()]
        await ledger.append("export", 1, [started("the export")])
        return unnamed + [head.feature for head in await ledger.heads()]

    assert ["export", "the export"] == play(path, story)


def test_a_name_that_is_not_text_is_refused(path):
    message = error_of(path, lambda ledger: ledger.append("\udcff", 0, [remark("a")])).message

    assert r"the session name '\udcff' is not valid Unicode" == message


def test_an_answer_is_written_even_if_its_caller_is_cancelled(path):
    async def story(ledger):
        await append_one(ledger)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        task = asyncio.ensure_future(ledger.append("export", 1, [remark("paid for")]))
        await asyncio.sleep(0)
        task.cancel()
        other.close()
        with pytest.raises(asyncio.CancelledError):
            await task

    play(path, story)

    assert ["a", "paid for"] == play(path, read_all)


def test_one_ledger_serves_several_event_loops(path):
    ledger = SqliteLedger(path)
    asyncio.run(append_one(ledger))
    seen = []
    thread = threading.Thread(target=lambda: seen.extend(asyncio.run(read_all(ledger))))
    thread.start()
    thread.join()
    asyncio.run(ledger.close())

    assert ["a"] == seen


def test_a_closed_ledger_says_so(path):
    ledger = SqliteLedger(path)
    asyncio.run(append_one(ledger))
    asyncio.run(ledger.close())
    asyncio.run(ledger.close())

    for story in (append_one, read_all):
        with pytest.raises(LedgerError, match="is closed"):
            asyncio.run(story(ledger))


def test_a_ledger_that_was_never_used_can_be_closed(path):
    asyncio.run(SqliteLedger(path).close())

    assert not path.parent.exists()


@pytest.mark.parametrize("moment", [1, 2])
def test_one_that_looks_while_another_makes_the_tables_takes_the_file_for_what_it_is(tmp_path, moment):
    path = tmp_path / "new.db"
    statements = []

    def meanwhile(statement):
        statements.append(statement)
        if len(statements) == moment:
            with closing(sqlite3.connect(path, isolation_level=None)) as other:
                migrate(other, "new.db")

    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.set_trace_callback(meanwhile)
        migrate(connection, "new.db")
        assert (len(MIGRATIONS),) == connection.execute("PRAGMA user_version").fetchone()
