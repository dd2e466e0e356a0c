"""What a measured process does: run sessions with one engine, and print what they took as JSON."""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import resource
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from workload import REVIEWERS, Agents

RunSession = Callable[[int], Awaitable[bool]]
WARM_UP = 5
Engine = Callable[[Path, Agents], AbstractAsyncContextManager[RunSession]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What the sessions took, the warm-up left out; `peak_mb` and `disk_bytes` are the whole process's."""

    sessions: int
    wall_seconds: float
    cpu_seconds: float
    peak_mb: float
    disk_bytes: int


def main(engine: Engine) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sessions", type=int, default=50)
    parser.add_argument("--reviewers", type=int, default=len(REVIEWERS))
    parser.add_argument("--latency", type=float, default=0.0, help="seconds every agent takes to answer")
    parser.add_argument("--at-once", action="store_true", help="all sessions at once instead of one after another")
    parser.add_argument("--folder", type=Path, help="where to keep what is kept; others may do so, too")
    parser.add_argument("--first", type=int, default=0, help="the first session's number")
    parser.add_argument("--on-signal", action="store_true", help="begin when a line comes in on standard input")
    wanted = parser.parse_args()
    agents = Agents(reviewers=REVIEWERS[: wanted.reviewers], latency=wanted.latency)
    with tempfile.TemporaryDirectory(prefix="reviewloop-bench-") as folder:
        for name in ("warm-up", "measured"):
            Path(folder, name).mkdir()
        asyncio.run(warm_up(engine, Path(folder, "warm-up"), agents))
        as_servers_do()
        if wanted.on_signal:
            print("ready", flush=True)
            sys.stdin.readline()
        numbers = range(wanted.first, wanted.first + wanted.sessions)
        where = wanted.folder or Path(folder, "measured")
        taken = asyncio.run(measure(engine, where, agents, numbers, wanted.at_once))
    print(json.dumps(asdict(taken)))


def as_servers_do() -> None:
    """What was loaded is not looked through again, and the rest less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


async def warm_up(engine: Engine, folder: Path, agents: Agents) -> None:
    """Load and build what is loaded and built once in a process."""
    async with engine(folder, replace(agents, latency=0.0)) as run:
        for number in range(WARM_UP):
            await run(number)


async def measure(engine: Engine, folder: Path, agents: Agents, numbers: range, at_once: bool) -> Taken:
    async with engine(folder, agents) as run:
        wall, cpu = time.perf_counter(), time.process_time()
        if at_once:
            passed = await asyncio.gather(*(run(number) for number in numbers))
        else:
            passed = [await run(number) for number in numbers]
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    if not all(passed):
        raise SystemExit("not every session passed: these are not the sessions we mean to measure")
    return Taken(
        sessions=len(numbers),
        wall_seconds=wall,
        cpu_seconds=cpu,
        peak_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        disk_bytes=_size(folder),
    )


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir())
