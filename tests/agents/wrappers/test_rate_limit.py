from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from reviewloop.agents.kinds.common_settings import read_common
from reviewloop.agents.wrappers.rate_limit import Gate, Limited, Rate, gate_for
from reviewloop.engine.calls import answer_within
from reviewloop.errors import ConfigError
from reviewloop.ports import Job, Reply
from reviewloop.testing.agents import job_for


class Counting:
    """An agent that knows how many questions it was answering at once, at most. It answers when everybody is there."""

    edits_files = False

    def __init__(self) -> None:
        self.now = 0
        self.most = 0

    async def ask(self, job: Job) -> Reply:
        self.now += 1
        self.most = max(self.most, self.now)
        for _ in range(20):
            await asyncio.sleep(0)
        self.now -= 1
        return Reply(text=job.key)


@pytest.mark.parametrize("limit", [1, 3])
def test_no_more_calls_than_allowed_are_made_at_once(tmp_path: Path, limit: int) -> None:
    agent = Counting()
    limited = Limited(agent, Gate(limit))

    async def ask_all() -> list[Reply]:
        return await asyncio.gather(*(answer_within(limited, job_for(tmp_path, key=str(n))) for n in range(9)))

    replies = asyncio.run(ask_all())

    assert (limit, [str(n) for n in range(9)]) == (agent.most, [reply.text for reply in replies])


def test_waiting_takes_nothing_of_a_calls_time(tmp_path: Path) -> None:
    gate = Gate(1)

    async def ask_late() -> Reply:
        async with gate.turn():
            waiting = asyncio.create_task(answer_within(Limited(Counting(), gate), job_for(tmp_path, timeout=-14.9)))
            await asyncio.sleep(0.3)  # longer than the 0.1 s the call has
        return await waiting

    assert asyncio.run(ask_late()).text


def test_a_place_is_not_lost_with_somebody_who_no_longer_wants_it() -> None:
    gate = Gate(1)

    async def come_and_go() -> str:
        async def enter() -> None:
            async with gate.turn():
                await asyncio.sleep(3600)

        async with gate.turn():
            waiting = [asyncio.create_task(enter()) for _ in range(3)]
            await asyncio.sleep(0)
            waiting[0].cancel()
        waiting[1].cancel()  # it is its turn, but it has not noticed yet
        await asyncio.sleep(0)
        waiting[2].cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        async with asyncio.timeout(30), gate.turn():
            return "in"

    assert "in" == asyncio.run(come_and_go())


def test_places_are_shared_by_threads_with_event_loops_of_their_own() -> None:
    gate = Gate(2)
    inside: list[int] = []
    seen: list[int] = []

    async def enter() -> None:
        async with gate.turn():
            inside.append(1)
            seen.append(len(inside))
            await asyncio.sleep(0.002)
            inside.pop()

    async def several() -> None:
        await asyncio.gather(*(enter() for _ in range(5)))

    threads = [threading.Thread(target=lambda: asyncio.run(several())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (20, True) == (len(seen), max(seen) <= 2)


def test_a_loop_that_ended_while_waiting_does_not_block_the_others() -> None:
    gate = Gate(1)
    loop = asyncio.new_event_loop()

    async def wait() -> None:
        async with gate.turn():
            pass

    async def hold() -> None:
        async with gate.turn():
            waiting = loop.create_task(wait())
            await asyncio.to_thread(loop.run_until_complete, asyncio.sleep(0))
            waiting.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.to_thread(loop.run_until_complete, waiting)
            loop.close()

    asyncio.run(hold())
    asyncio.run(wait())


class Minute:
    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


def test_calls_above_the_rate_wait_until_the_time_is_over() -> None:
    minute = Minute()
    gate = Gate(rate=Rate(calls=3), now=lambda: minute.now, sleep=minute.sleep)
    starts: list[float] = []

    async def enter() -> None:
        async with gate.turn():
            starts.append(minute.now)
        minute.now += 5

    async def seven() -> None:
        for _ in range(7):
            await enter()

    asyncio.run(seven())

    assert ([0, 5, 10, 60, 65, 70, 120], [45, 45]) == (starts, minute.pauses)


def test_agents_of_one_name_share_one_gate_in_all_sessions() -> None:
    limits = {"concurrency": 2, "rate": Rate(calls=30)}

    assert gate_for("claude", "sonnet", **limits) is gate_for("claude", "sonnet", **limits)
    assert gate_for("claude", "sonnet", **limits) is not gate_for("claude", "haiku", **limits)


@pytest.mark.parametrize(
    ("written", "rate"),
    [
        (30, Rate(calls=30, seconds=60)),
        ("30", Rate(calls=30, seconds=60)),
        ("30 per minute", Rate(calls=30, seconds=60)),
        ("5 per second", Rate(calls=5, seconds=1)),
        ("100 per hour", Rate(calls=100, seconds=3600)),
    ],
)
def test_a_rate_can_be_written_in_these_ways(written: object, rate: Rate) -> None:
    assert rate == read_common({"rate": written}, what="agent `a`").rate


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rate": 0}, "agent `a`: `rate` must be a number of calls per minute"),
        ({"rate": "often"}, "agent `a`: `rate` must be a number of calls per minute"),
        ({"rate": 1.5}, "agent `a`: `rate` must be a number of calls per minute"),
        ({"concurrency": 0}, "agent `a`: `concurrency` must be at least 1"),
        ({"retries": 11}, "agent `a`: `retries` must be at most 10"),
        ({"fallback": 3}, "agent `a`: `fallback` must be text"),
    ],
)
def test_a_wrong_limit_is_named(settings: dict, message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        read_common(settings, what="agent `a`")

    assert raised.value.message.startswith(message)


def test_what_belongs_to_the_kind_is_left_to_it() -> None:
    common = read_common({"retries": 1, "command": ["x"], "timeout": 5}, what="agent `a`")

    assert (1, {"command": ["x"], "timeout": 5}) == (common.retries, common.own)
