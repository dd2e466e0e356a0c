"""What the loop itself costs: 3 iterations, 4 reviewers who answer at once, 4 KB an answer, session after session."""

from __future__ import annotations

import argparse

from measuring import Contender, in_turns, load, middle, table, verdict
from run_sessions import Taken

SYNC = {"LANGGRAPH_DURABILITY": "sync"}
CALLS = Contender(name="bare asyncio, the calls alone", script="bare.py")
LOOP = Contender(name="bare asyncio, the same loop", script="bare_same_loop.py")
OURS = Contender(name="**Reviewloop**", script="loop.py")
GRAPH_CALLS = Contender(name="LangGraph, the calls alone", script="langgraph_sqlite.py")
GRAPH = Contender(name="LangGraph, the same loop", script="langgraph_same_loop.py")
GRAPH_SYNC = Contender(
    name="LangGraph, the same loop, `durability=sync`", script="langgraph_same_loop.py", environment=SYNC
)
CONTENDERS = (CALLS, LOOP, OURS, GRAPH_CALLS, GRAPH, GRAPH_SYNC)
TARGET = 1 / 3


def wall(taken: Taken) -> float:
    return 1000 * taken.wall_seconds / taken.sessions


def cpu(taken: Taken) -> float:
    return 1000 * taken.cpu_seconds / taken.sessions


def size(taken: Taken) -> float:
    return taken.disk_bytes / taken.sessions / 1024


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--sessions", type=int, default=50)
    wanted = parser.parse_args()
    before = load()
    taken = in_turns(CONTENDERS, wanted.rounds, wanted.sessions)
    walls = {one: middle(taken[one.name], wall) for one in CONTENDERS}
    cpus = {one: middle(taken[one.name], cpu) for one in CONTENDERS}
    rows = [
        [one.name, f"{walls[one]:.1f}", f"{cpus[one]:.1f}", f"{middle(taken[one.name], size):.0f}"]
        for one in CONTENDERS
    ]
    print("## Loop overhead per session\n")
    print(table(["engine", "wall ms", "CPU ms", "KB on disk"], rows))
    print(f"\nMedians of {wanted.rounds} rounds of {wanted.sessions} sessions. Load before {before}, after {load()}.\n")
    compared = [
        ("over the same loop in bare asyncio", LOOP, GRAPH),
        ("over the same loop in bare asyncio, LangGraph with `durability=sync`", LOOP, GRAPH_SYNC),
        ("over the bare calls; LangGraph does not parse, judge or write prompts", CALLS, GRAPH_CALLS),
    ]
    print(table(["overhead", "Reviewloop ms", "LangGraph ms", "ratio", "CPU ratio", "at most a third"], [
        [
            what,
            f"{walls[OURS] - walls[base]:.1f}",
            f"{walls[peer] - walls[base]:.1f}",
            f"{(ratio := (walls[OURS] - walls[base]) / (walls[peer] - walls[base])):.2f}",
            f"{(cpus[OURS] - cpus[base]) / (cpus[peer] - cpus[base]):.2f}",
            verdict(ratio <= TARGET),
        ]
        for what, base, peer in compared
    ]))  # fmt: skip


if __name__ == "__main__":
    main()
