"""A thousand sessions at once on one ledger, with agents that take half a second to answer."""

from __future__ import annotations

import argparse

from measuring import Contender, in_turns, load, middle, table, verdict
from run_sessions import Taken
from workload import CRITICAL_PATH

BARE = Contender(name="bare asyncio, nothing kept", script="bare.py")
OURS = Contender(name="**Reviewloop**", script="loop.py")
SHARED = Contender(name="**Reviewloop**, 2 processes on one ledger", script="loop.py", processes=2)
GRAPH = Contender(name="LangGraph, the calls alone", script="langgraph_sqlite.py")
TIMES_IDEAL = 2.5
MEGABYTES = 200


def wall(taken: Taken) -> float:
    return taken.wall_seconds


def cpu(taken: Taken) -> float:
    return taken.cpu_seconds


def peak(taken: Taken) -> float:
    return taken.peak_mb


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sessions", type=int, default=1000)
    parser.add_argument("--latency", type=float, default=0.5)
    wanted = parser.parse_args()
    ideal = CRITICAL_PATH * wanted.latency
    arguments = ("--at-once", "--latency", str(wanted.latency))
    before = load()
    rows: list[list[str]] = []
    for reviewers in (1, 4):
        arguments_now = (*arguments, "--reviewers", str(reviewers))
        taken = in_turns((BARE, OURS, SHARED), wanted.rounds, wanted.sessions, *arguments_now)
        taken |= in_turns((GRAPH,), 1, wanted.sessions, *arguments_now)  # once is enough: it is far off
        rows += [_row(one, reviewers, taken[one.name], ideal) for one in (BARE, OURS, SHARED, GRAPH)]
    print(f"## {wanted.sessions:,} sessions at once, {wanted.latency:g} s an answer\n")
    head = ["engine", "reviewers", "wall s", "times the ideal", "CPU s", "peak MB", "at most 2.5 times", "under 200 MB"]
    print(table(head, rows))
    print(
        f"\nThe ideal is {ideal:g} s: {CRITICAL_PATH} calls one after another, three panels and two revisions."
        f" Medians of {wanted.rounds} rounds, LangGraph once. Load before {before}, after {load()}."
    )


def _row(one: Contender, reviewers: int, taken: list[Taken], ideal: float) -> list[str]:
    times, megabytes = middle(taken, wall) / ideal, middle(taken, peak)
    figures = [f"{middle(taken, wall):.1f}", f"{times:.2f}", f"{middle(taken, cpu):.1f}", f"{megabytes:.0f}"]
    judged = [verdict(times <= TIMES_IDEAL), verdict(megabytes < MEGABYTES)] if one in (OURS, SHARED) else ["", ""]
    return [one.name, str(reviewers), *figures, *judged]


if __name__ == "__main__":
    main()
