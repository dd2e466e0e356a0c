"""Running engines in processes of their own, in turns, and putting the figures into tables."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from run_sessions import Taken

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contender:
    """An engine: its script, and what it needs in its environment."""

    name: str
    script: str
    environment: Mapping[str, str] = field(default_factory=dict)
    processes: int = 1

    def run(self, sessions: int, *arguments: str) -> Taken:
        """Run so many sessions. Several processes share them, and one folder, and begin together."""
        with tempfile.TemporaryDirectory(prefix="reviewloop-bench-") as folder, ExitStack() as stack:
            share = sessions // self.processes
            running = [
                stack.enter_context(
                    self._start(
                        *("--folder", folder, "--sessions", str(share), "--first", str(number * share), "--on-signal"),
                        *arguments,
                    )
                )
                for number in range(self.processes)
            ]
            for process in running:
                assert process.stdout
                process.stdout.readline()
            began = time.perf_counter()
            for process in running:
                assert process.stdin
                process.stdin.write("go\n")
                process.stdin.flush()
            taken = [self._taken(process) for process in running]
            wall = time.perf_counter() - began
            return Taken(
                sessions=sum(one.sessions for one in taken),
                wall_seconds=wall if self.processes > 1 else taken[0].wall_seconds,
                cpu_seconds=sum(one.cpu_seconds for one in taken),
                peak_mb=sum(one.peak_mb for one in taken),
                disk_bytes=max(one.disk_bytes for one in taken),
            )

    def _start(self, *arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, str(HERE / self.script), *arguments]
        # Nobody's tracing service is asked, whatever the environment says.
        environment = os.environ | {"LANGSMITH_TRACING": "false"} | self.environment
        return subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def _taken(self, process: subprocess.Popen[str]) -> Taken:
        out, _ = process.communicate()
        if process.returncode:
            raise SystemExit(f"{self.script} ended with {process.returncode}")
        return Taken(**json.loads(out))


def in_turns(contenders: Sequence[Contender], rounds: int, sessions: int, *arguments: str) -> dict[str, list[Taken]]:
    """Every contender once a round, so that a busy minute hits all of them."""
    taken: dict[str, list[Taken]] = {one.name: [] for one in contenders}
    for _ in range(rounds):
        for one in contenders:
            taken[one.name].append(one.run(sessions, *arguments))
    return taken


def middle(taken: Sequence[Taken], figure: Callable[[Taken], float]) -> float:
    return median(figure(one) for one in taken)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def load() -> str:
    return ", ".join(f"{value:.1f}" for value in os.getloadavg())


def verdict(reached: bool) -> str:
    return "reached" if reached else "**not reached**"
