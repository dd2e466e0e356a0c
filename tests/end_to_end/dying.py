"""The warm parent of processes that die: it has loaded Reviewloop, and forks a process for every command line it reads.

Each line on standard input is a JSON object, and each is answered by the exit status of its process:

    {"point": "before:3", "arguments": ["run", "specs"], "directory": …, "output": …, "environment": …}

    before:3        the process is killed before its third append reaches the ledger
    after:3         … right after its third append
    call:review:2   … while the reviewer of iteration 2 is at work
    file:2          … when two files have been moved into the user's tree
    never           nobody kills it

The output goes to a file, which ends with how many appends there were.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from itertools import count
from typing import Any

from reviewloop.agents import assembly
from reviewloop.agents.kinds import command, replay
from reviewloop.agents.process import verify_command
from reviewloop.cli import main as command_line
from reviewloop.cli import run, work
from reviewloop.ledger.sqlite import SqliteLedger
from reviewloop.ports import Job, Reply
from reviewloop.workspace import bring_back

WARM = (assembly, command, replay, run, verify_command, work)  # loaded once, for all that die
PATIENCE = 60


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if not child:
            signal.alarm(PATIENCE)
            live(**request)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def live(*, point: str, arguments: list[str], directory: str, output: str, environment: dict[str, str]) -> None:
    """Do as the command line says, in the way of `python -m reviewloop`, up to the point."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
    os.dup2(1, 2)
    os.chdir(directory)
    os.environ.clear()
    os.environ.update(environment)
    appends = die_at_appends(point)
    for agent in (command.Command, replay.Replay):
        die_in_calls(agent, point)
    die_between_files(point)
    code = command_line.run(arguments)
    print(appends[0], flush=True)
    os._exit(code)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_at_appends(point: str) -> list[int]:
    """Let the ledger's process die before or after its nth append. Returns where the appends are counted."""
    append, appends = SqliteLedger.append, [0]

    async def counted(*args: Any, **more: Any) -> Any:
        appends[0] += 1
        if point == f"before:{appends[0]}":
            die()
        events = await append(*args, **more)
        if point == f"after:{appends[0]}":
            die()
        return events

    SqliteLedger.append = counted
    return appends


def die_in_calls(agent: Any, point: str) -> None:
    """Let the host of an agent die while the agent works."""
    ask: Callable[[Any, Job], Awaitable[Reply]] = agent.ask

    async def watched(self: Any, job: Job) -> Reply:
        if point == f"call:{job.role}:{job.iteration}":
            asyncio.get_running_loop().call_later(0.02, die)
        return await ask(self, job)

    agent.ask = watched


def die_between_files(point: str) -> None:
    """Let the process die when so many files have been moved into the user's tree."""
    move, moves = bring_back.move, count(1)

    def counted(*args: Any) -> Any:
        moved = move(*args)
        if point == f"file:{next(moves)}":
            die()
        return moved

    bring_back.move = counted


if __name__ == "__main__":
    main()
