"""Reads random answers, mixed from yes and no statements, quotations, noise and damage, in every dialect.

    python bench/faults/fuzz.py [COUNT]        200,000 answers per dialect unless told otherwise

Prints each answer that passes although one of its statements does not say pass, or that does not pass although all do.
The tests read a sample of the same answers.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "tests"))

from answer_forms import DIALECTS
from answer_fuzz import failures

PIECE = 1_000


def wrong(dialect: str, start: int) -> list[str]:
    found = failures(dialect, range(start, start + PIECE))
    return [f"{dialect} {seed}: {result}\n{answer.text}\n" for seed, answer, result in found]


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    failed = 0
    with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:
        for dialect in DIALECTS:
            found = [text for piece in pool.imap(partial(wrong, dialect), range(0, count, PIECE)) for text in piece]
            print("\n".join(found[:5]), end="")
            print(f"{dialect}: {count:,} answers, {len(found)} read wrongly", flush=True)
            failed += len(found)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
