"""Running engines in processes of their own, in turns, and putting the figures into tables."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
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

    def run(self, *arguments: str) -> Taken:
        command = [sys.executable, str(HERE / self.script), *arguments]
        # Nobody's tracing service is asked, whatever the environment says.
        environment = os.environ | {"LANGSMITH_TRACING": "false"} | self.environment
        done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE)
        return Taken(**json.loads(done.stdout))


def in_turns(contenders: Sequence[Contender], rounds: int, *arguments: str) -> dict[str, list[Taken]]:
    """Every contender once a round, so that a busy minute hits all of them."""
    taken: dict[str, list[Taken]] = {one.name: [] for one in contenders}
    for _ in range(rounds):
        for one in contenders:
            taken[one.name].append(one.run(*arguments))
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
