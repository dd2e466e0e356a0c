"""The conformance tests for ledgers, built in or your own.

Inherit from `LedgerConformance`, open your ledger in `open_ledger`, and let pytest find the class:

    class TestMine(LedgerConformance):
        def open_ledger(self, tmp_path):
            return Mine(tmp_path / "mine.db")

A second call with the same `tmp_path` must open the same record, unless `durable` is False.
"""

# ruff: noqa: SIM300 - as in all our tests, the expected value comes first

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import ClassVar, TypeVar

import pytest

from reviewloop.core.session.events import Draft, Event, Started, Warned
from reviewloop.core.session.session_head import MEMORY_BOOK, SessionHead
from reviewloop.core.types.artifact import digest_of
from reviewloop.core.types.policy import Policy
from reviewloop.errors import AppendConflict, SessionHeld
from reviewloop.ports import Ledger

T = TypeVar("T")

NOON = datetime(2026, 5, 4, 12, 0, 0, 250_000, tzinfo=UTC)
# Far longer than any test takes: it keeps a broken ledger from hanging the test run.
_TEST_SECONDS = 60.0


def started(feature: str, time: datetime = NOON) -> Draft:
    """Draft the first event of a session."""
    payload = Started(
        feature=feature,
        prd_path="prd.md",
        specs_path="spec.md",
        kind="spec",
        profile="spec-gate",
        policy=Policy(),
        source={"name": feature},
    )
    return Draft(time=time, payload=payload)


def remark(text: str, time: datetime = NOON) -> Draft:
    """Draft an event that carries `text`."""
    return Draft(time=time, payload=Warned(feature="export", iteration=1, warnings=(text,)))


def remarks(events: list[Event]) -> list[str]:
    """Return the texts of the remarks among the events."""
    return [text for event in events if isinstance(event.payload, Warned) for text in event.payload.warnings]


class LedgerConformance:
    """The behaviour that the engine relies on."""

    durable: ClassVar[bool] = True

    def open_ledger(self, tmp_path: Path) -> Ledger:
        raise NotImplementedError

    def play(self, tmp_path: Path, story: Callable[[Ledger], Awaitable[T]]) -> T:
        """Open the ledger, run the story and close the ledger."""

        async def whole_story() -> T:
            ledger = self.open_ledger(tmp_path)
            try:
                return await asyncio.wait_for(story(ledger), _TEST_SECONDS)
            finally:
                await ledger.close()

        return asyncio.run(whole_story())

    def test_a_new_ledger_is_empty(self, tmp_path: Path) -> None:
        async def story(ledger: Ledger) -> None:
            assert [] == await ledger.read("export")
            assert [] == await ledger.feed()
            assert [] == await ledger.heads()
            assert await ledger.blob(digest_of("text")) is None
            assert await ledger.holder("export") is None

        self.play(tmp_path, story)

    def test_events_are_read_in_the_order_they_were_appended(self, tmp_path: Path) -> None:
        async def story(ledger: Ledger) -> None:
            written = await ledger.append("export", 0, [started("export")])
            written += await ledger.append("export", 1, [remark("a"), remark("b")])

            assert [1, 2, 3] == [event.seq for event in written]
            assert written == await ledger.read("export")
            assert written[2:] == await ledger.read("export", after=2)
            assert [] == await ledger.read("export", after=3)
            assert [] == await ledger.read("another session")

        self.play(tmp_path, story)

    def test_every_event_has_an_id_of_its_own(self, tmp_path: Path) -> None:
        async def story(ledger: Ledger) -> None:
            events = [event for name in "abc" for event in await ledger.append(name, 0, [remark("x"), remark("x")])]

            assert 6 == len({event.id for event in events})

        self.play(tmp_path, story)

    def test_times_are_kept_to_the_microsecond_and_in_utc(self, tmp_path: Path) -> None:
        elsewhere = NOON.replace(microsecond=123_456).astimezone(timezone(timedelta(hours=5, minutes=30)))

        async def story(ledger: Ledger) -> None:
            written = await ledger.append("export", 0, [remark("a", elsewhere)])
            (event,) = await ledger.read("export")

            assert [event] == written
            assert elsewhere == event.time
            assert timedelta(0) == event.time.utcoffset()

        self.play(tmp_path, story)

    def test_any_text_comes_back_as_it_was(self, tmp_path: Path) -> None:
        texts = ["naïve 日本語 🙂", "a\0b", "cut \ud83d off", "\udcff.md", "\x1b[31m\r\n\u2028", "", '\\ud83d "']

        async def story(ledger: Ledger) -> None:
            await ledger.append("export", 0, [started("caf\udce9"), *map(remark, texts)])

            assert texts == remarks(await ledger.read("export"))
            assert ["caf\udce9"] == [head.feature for head in await ledger.heads()]

        self.play(tmp_path, story)

    def test_the_memory_book_is_read_like_a_session_but_not_listed(self, tmp_path: Path) -> None:
        async def story(ledger: Ledger) -> None:
            await ledger.append("export", 0, [started("export")])
            written = await ledger.append(MEMORY_BOOK, 0, [remark("a"), remark("b")])

            assert written == await ledger.read(MEMORY_BOOK)
            assert ["export", MEMORY_BOOK, MEMORY_BOOK] == [event.session for _, event in await ledger.feed()]
            assert ["export"] == [head.session for head in await ledger.heads()]
            assert [] == await ledger.heads(MEMORY_BOOK)

        self.play(tmp_path, story)

    def test_the_second_writer_gets_a_conflict_and_writes_nothing(self, tmp_path: Path) -> None:
        async def story(ledger: Ledger) -> None:
            await ledger.append("export", 0, [remark("first")])
            with pytest.raises(AppendConflict) as conflict:
                await ledger.append("export", 0, [remark("late"), remark("too")], {digest_of("late"): b"late"})

            assert ("export", 0, 1) == (conflict.value.session, conflict.value.expected, conflict.value.actual)
            assert ["first"] == remarks(await ledger.read("export"))
            assert await ledger.blob(digest_of("late")) is None

        self.play(tmp_path, story)

    def test_an_append_cannot_leave_a_gap(self, tmp_path: Path) -> None:
        async def story(ledger: Ledger) -> None:
            with pytest.raises(AppendConflict):
                await ledger.append("export", 1, [remark("second")])

            assert [] == await ledger.heads()

        self.play(tmp_path, story)

    def test_of_many_writers_at_once_one_wins(self, tmp_path: Path) -> None:
        async def story(ledger: Ledger) -> None:
            tries = (ledger.append("export", 0, [remark(f"{n}"), remark(f"{n}")]) for n in range(20))
            results = await asyncio.gather(*tries, return_exceptions=True)

            winners = [result for result in results if isinstance(result, list)]
            assert 19 == sum(isinstance(result, AppendConflict) for result in results)
            assert [await ledger.read("export")] == winners

        self.play(tmp_path, story)

    def test_many_sessions_write_at_once(self, tmp_path: Path) -> None:
        async def story(ledger: Ledger) -> None:
            async def session(name: str) -> None:
                for count in range(3):
                    await ledger.append(name, count, [remark(f"{name} {count}")])

            names = [f"session {n}" for n in range(200)]
            await asyncio.gather(*map(session, names))

            for name in names:
                events = await ledger.read(name)
                assert [1, 2, 3] == [event.seq for event in events]
                assert [f"{name} {count}" for count in range(3)] == remarks(events)
            assert 600 == len(await ledger.feed())

        self.play(tmp_path, story)

    def test_a_conflict_does_not_disturb_other_sessions(self, tmp_path: Path) -> None:
        async def story(ledger: Ledger) -> None:
            await ledger.append("taken", 0, [remark("first")])
            results = await asyncio.gather(
                ledger.append("a", 0, [remark("a")]),
                ledger.append("taken", 0, [remark("late")]),
                ledger.append("b", 0, [remark("b")]),
                return_exceptions=True,
            )

            assert [list, AppendConflict, list] == [type(result) for result in results]
            assert ["first", "a", "b"] == remarks([event for _, event in await ledger.feed()])

        self.play(tmp_path, story)

    def test_texts_are_kept_once_by_digest(self, tmp_path: Path) -> None:
        texts = {digest_of(data): data for data in (b"", b"# Spec\n", bytes(range(256)) * 400)}

        async def story(ledger: Ledger) -> None:
            await ledger.append("a", 0, [remark("a")], texts)
            await ledger.append("b", 0, [remark("b")], texts)

            assert texts == {digest: await ledger.blob(digest) for digest in texts}

        self.play(tmp_path, story)

    def test_the_feed_has_all_sessions_in_the_order_of_writing(self, tmp_path: Path) -> None:
        async def story(ledger: Ledger) -> None:
            for count, name in enumerate("abab"):
                await ledger.append(name, count // 2, [remark(f"{name}{count}")])

            feed = await ledger.feed()
            positions = [position for position, _ in feed]
            assert ["a0", "b1", "a2", "b3"] == remarks([event for _, event in feed])
            assert sorted(set(positions)) == positions
            assert feed[2:] == await ledger.feed(after=positions[1])

        self.play(tmp_path, story)

    def test_the_feed_can_be_read_page_by_page(self, tmp_path: Path) -> None:
        async def story(ledger: Ledger) -> None:
            await ledger.append("export", 0, [remark(f"{n}") for n in range(7)])

            after, pages = 0, list[list[str]]()
            while page := await ledger.feed(after, limit=3):
                after = page[-1][0]
                pages.append(remarks([event for _, event in page]))
            assert [["0", "1", "2"], ["3", "4", "5"], ["6"]] == pages

        self.play(tmp_path, story)

    def test_heads_list_the_session_written_to_last_first(self, tmp_path: Path) -> None:
        later = NOON + timedelta(minutes=5)

        async def story(ledger: Ledger) -> None:
            await ledger.append("export-1", 0, [started("export")])
            await ledger.append("import-1", 0, [started("import"), remark("a")])
            await ledger.append("export-1", 1, [remark("b", later)])

            heads = [
                SessionHead(session="export-1", feature="export", events=2, started=NOON, updated=later),
                SessionHead(session="import-1", feature="import", events=2, started=NOON, updated=NOON),
            ]
            assert heads == await ledger.heads()
            assert heads[1:] == await ledger.heads("import")
            assert [] == await ledger.heads("expo")

        self.play(tmp_path, story)

    def test_a_name_is_held_by_one_at_a_time(self, tmp_path: Path) -> None:
        async def story(ledger: Ledger) -> None:
            async with ledger.hold("export") as hold:
                with pytest.raises(SessionHeld) as held:
                    async with ledger.hold("export"):
                        pytest.fail("two hold the same name")

                assert ("export", hold.owner) == (held.value.session, held.value.owner)
                holder = await ledger.holder("export")
                assert holder is not None
                assert (hold.name, hold.pid, hold.host) == (holder.name, holder.pid, holder.host)

        self.play(tmp_path, story)

    def test_different_names_are_held_side_by_side(self, tmp_path: Path) -> None:
        async def story(ledger: Ledger) -> None:
            async with ledger.hold("export"), ledger.hold("import"):
                assert await ledger.holder("export") is not None
                assert await ledger.holder("import") is not None

        self.play(tmp_path, story)

    def test_a_name_is_free_again_after_a_hold_however_it_ends(self, tmp_path: Path) -> None:
        async def story(ledger: Ledger) -> None:
            with pytest.raises(RuntimeError):
                async with ledger.hold("export"):
                    raise RuntimeError("the work failed")
            assert await ledger.holder("export") is None

            begun = asyncio.Event()
            task = asyncio.ensure_future(_hold_until_cancelled(ledger, begun))
            await begun.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            async with ledger.hold("export"):
                assert await ledger.holder("export") is not None

        self.play(tmp_path, story)

    def test_a_ledger_that_is_opened_again_has_everything(self, tmp_path: Path) -> None:
        if not self.durable:
            pytest.skip("this ledger is not durable")
        text = {digest_of("# Spec"): b"# Spec"}

        async def before(ledger: Ledger) -> list[Event]:
            return await ledger.append("export", 0, [started("export"), remark("a")], text)

        async def after(ledger: Ledger) -> None:
            assert written == await ledger.read("export")
            assert written == [event for _, event in await ledger.feed()]
            assert ["export"] == [head.feature for head in await ledger.heads()]
            assert b"# Spec" == await ledger.blob(digest_of("# Spec"))
            assert 3 == (await ledger.append("export", 2, [remark("b")]))[0].seq

        written = self.play(tmp_path, before)
        self.play(tmp_path, after)


async def _hold_until_cancelled(ledger: Ledger, begun: asyncio.Event) -> None:
    async with ledger.hold("export"):
        begun.set()
        await asyncio.Event().wait()
