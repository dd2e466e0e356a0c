"""What a service with very many patterns costs: learning one finding more, and what reviewers are told.

python bench/memory/patterns.py [NUMBER ...]
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from dataclasses import replace
from datetime import date
from pathlib import Path

from reviewloop.core.memory.learning import Lesson, taught
from reviewloop.core.memory.recall import HandWritten, memory_brief
from reviewloop.core.types.finding import Category, Finding, Severity
from reviewloop.core.types.memory_pattern import Memory, Pattern, Sighting
from reviewloop.core.types.review import Stage
from reviewloop.memory.files import MemoryFiles
from reviewloop.memory.store import open_store

DAY = date(2026, 1, 1)
WORDS = [
    "index",
    "table",
    "upload",
    "retry",
    "limit",
    "export",
    "token",
    "cache",
    "queue",
    "worker",
    "schema",
    "header",
    "quota",
    "backup",
    "region",
    "locale",
    "invoice",
    "order",
    "session",
    "cursor",
    "batch",
    "filter",
    "permission",
    "audit",
    "timeout",
    "checksum",
    "thread",
    "socket",
    "currency",
    "rounding",
    "migration",
]


def crowded(number: int) -> Memory:
    chance = random.Random(number)
    patterns = tuple(
        Pattern(
            id=f"S{n}",
            issue=f"Nothing says how the {' '.join(chance.sample(WORDS, 4))} {n} is handled",
            severity=Severity.IMPORTANT,
            category=chance.choice(list(Category)),
            sightings=(Sighting(key=f"s{n}", on=DAY),),
        )
        for n in range(1, number + 1)
    )
    return Memory(stage=Stage.SPEC, service="core", patterns=patterns, numbered=number)


def main() -> None:
    print("patterns  learn one  recognised by id  told  prompt  keep  write the file")
    for number in [int(one) for one in sys.argv[1:]] or [100, 1000, 5000]:
        memory = crowded(number)
        finding = Finding(issue="The report has no legend for its colours", severity=Severity.MINOR)
        known = replace(finding, pattern_id=f"S{number // 2}")
        learn = _seconds(lambda: taught(memory, Lesson(finding=finding, key="k", on=DAY)))  # noqa: B023 - called at once
        by_id = _seconds(lambda: taught(memory, Lesson(finding=known, key="k", on=DAY)))  # noqa: B023
        tell = _seconds(lambda: memory_brief([memory], [HandWritten()], DAY))  # noqa: B023
        size = len(memory_brief([memory], [HandWritten()], DAY))
        with tempfile.TemporaryDirectory() as folder:
            keep = _seconds(lambda: _kept(Path(folder), memory))  # noqa: B023
            files = MemoryFiles(Path(folder) / "files", print)
            files.written(memory, DAY)
            write = _seconds(lambda: files.written(taught(memory, Lesson(finding=known, key="k", on=DAY)), DAY))  # noqa: B023
        print(
            f"{number:>8}  {learn * 1000:>6.1f} ms  {by_id * 1000:>13.1f} ms  {tell * 1000:.1f} ms  {size} chars  "
            f"{keep * 1000:.1f} ms  {write * 1000:.1f} ms"
        )


def _kept(folder: Path, memory: Memory) -> None:
    with open_store(folder / "memory.db") as store:
        store.put(memory)
        store.get(Stage.SPEC, "core")


def _seconds(work: object) -> float:
    assert callable(work)
    best = float("inf")
    for _ in range(3):
        began = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - began)
    return best


if __name__ == "__main__":
    main()
