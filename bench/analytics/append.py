"""What one more review costs the analytics file: the first ones against those after ten thousand.

python bench/analytics/append.py [ENTRIES]
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from reviewloop.core.session.services import Services
from reviewloop.core.statistics.analytics import Accuracy, EntryFinding, ReviewEntry
from reviewloop.views.analytics import AnalyticsFile

SAMPLE = 200
WARM_UP = 3


def entry(number: int) -> ReviewEntry:
    finding = EntryFinding(
        id="f1",
        description=f"FR-{number % 400} does not say what happens when the upload is cut off",
        severity="important",
        category="agreed",
        resolution="fixed",
        false_positive=False,
    )
    return ReviewEntry(
        id=f"session-{number}/1/spec",
        date="2026-01-01",
        feature=f"feature-{number}",
        task=number % 9,
        service=f"service-{number % 12}",
        strategy="parallel",
        models=("haiku", "sonnet"),
        stage="spec",
        verdicts={"haiku": "fail", "sonnet": "fail"},
        agreed_count=1,
        only_counts={"haiku": 0, "sonnet": 0},
        contradiction_count=0,
        confidence=0.9,
        auto_decision="auto_reject",
        human_override=None,
        fix_iterations=1,
        final_verdict="pass",
        findings=(finding,),
        accuracy={"haiku": Accuracy(true_positive=1), "sonnet": Accuracy(true_positive=1)},
        issues=(finding.description,),
    )


def main(total: int) -> None:
    """Append to a new file and to a long one in turns, so that both meet the same weather."""
    with tempfile.TemporaryDirectory() as folder:
        files = {0: file_in(Path(folder, "new")), total: file_in(Path(folder, "long"))}
        files[total].update([entry(number) for number in range(total)])
        took: dict[int, list[float]] = {0: [], total: []}
        for number in range(SAMPLE + WARM_UP):
            for size, file in files.items():
                began = time.perf_counter()
                file.update([entry(total + number)])
                took[size].append(time.perf_counter() - began)
        text = Path(folder, "long/review-analytics.json").read_bytes()
        held = json.loads(text)
    assert total + SAMPLE + WARM_UP == len(held["reviews"]) == held["summary"]["total_reviews"]
    first, last = (statistics.median(some[WARM_UP:]) * 1000 for some in took.values())
    size = f"{total} ({len(text) / 1024 / 1024:.0f} MB)"
    print(
        f"an append, median of {SAMPLE}: {first:.2f} ms to a new file, {last:.2f} ms after {size}: {last / first:.2f}x"
    )


def file_in(folder: Path) -> AnalyticsFile:
    return AnalyticsFile(folder / "review-analytics.json", folder / "analytics.db", Services(), print)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
