"""Several real processes on one file."""

import asyncio
import os
import signal

import pytest

from reviewloop.errors import SessionHeld
from reviewloop.ledger.sqlite import SqliteLedger
from reviewloop.testing.ledger import remark, remarks


async def read(path, session):
    ledger = SqliteLedger(path)
    try:
        return await ledger.read(session)
    finally:
        await ledger.close()


@pytest.mark.parametrize("lines", [1, 20])
def test_what_a_killed_process_was_told_is_written_is_there(path, other_process, lines):
    writer = other_process("stream", "export")
    acknowledged = [int(writer.stdout.readline()) for _ in range(lines)]
    writer.kill()
    acknowledged += [int(line) for line in writer.stdout.read().splitlines()]

    events = asyncio.run(read(path, "export"))

    assert acknowledged[-1] <= len(events)
    assert list(range(1, len(events) + 1)) == [event.seq for event in events]
    assert [f"{count}" for count in range(0, len(events), 2)] == remarks(events)[::2]


@pytest.mark.slow
def test_of_two_processes_that_append_the_same_event_one_wins_each_time(path, other_process):
    racers = {name: other_process("race", "export", name, 40) for name in ("tortoise", "hare")}
    won = {name: racer.communicate()[0].split() for name, racer in racers.items()}
    winners = {int(count): name for name, counts in won.items() for count in counts}

    events = asyncio.run(read(path, "export"))

    assert [0, 0] == [racer.returncode for racer in racers.values()]
    assert 40 == sum(map(len, won.values()))
    assert list(range(1, 41)) == [event.seq for event in events]
    assert [winners[count] for count in range(40)] == remarks(events)


@pytest.mark.slow
def test_many_processes_can_open_a_new_ledger_at_once(path, other_process):
    racers = [other_process("race", f"session {n}", f"{n}", 1) for n in range(3)]

    assert ["0"] * 3 == [racer.communicate()[0].strip() for racer in racers]
    assert [0] * 3 == [racer.returncode for racer in racers]


def test_a_session_that_another_process_works_on_is_refused_with_its_name(path, other_process):
    holder = other_process("hold", "export")
    owner = holder.stdout.readline().strip()

    async def story():
        ledger = SqliteLedger(path)
        with pytest.raises(SessionHeld) as held:
            async with ledger.hold("export"):
                pytest.fail("two processes hold the same session")
        found = await ledger.holder("export")
        await ledger.close()
        return held.value, found

    error, found = asyncio.run(story())

    assert owner == error.owner == found.owner
    assert owner.startswith(f"pid {holder.pid} on ")
    assert "reviewloop resume export" in error.hint


@pytest.mark.parametrize("buried", [True, False], ids=["gone", "zombie"])
def test_the_session_of_a_killed_process_is_taken_over_at_once(path, other_process, buried):
    dead = other_process("hold", "export")
    dead.stdout.readline()
    os.kill(dead.pid, signal.SIGKILL)
    if buried:
        dead.wait()
    else:
        os.waitid(os.P_PID, dead.pid, os.WEXITED | os.WNOWAIT)

    async def story():
        ledger = SqliteLedger(path)
        assert await ledger.holder("export") is None
        async with ledger.hold("export") as hold:
            await ledger.append("export", 0, [remark("on we go")])
        await ledger.close()
        return hold

    assert os.getpid() == asyncio.run(story()).pid
