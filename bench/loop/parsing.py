"""Reading a 10 KB answer: from the text to a validated review, in each dialect, against `json.loads` alone."""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable
from statistics import median

from measuring import load, table, verdict
from workload import SECTIONS, spec, text_of

from reviewloop.core.dialects import Answer, parse
from reviewloop.core.types.review import Review
from reviewloop.core.types.rubric import FOUR_CRITERIA

BYTES = 10 * 1024
ITEMS = 20
MILLISECONDS = 1.0


def scored() -> str:
    chance = random.Random("scored")
    score = dict.fromkeys(FOUR_CRITERIA.names, 60)
    items = [
        {"section": chance.choice(SECTIONS), "issue": text_of(250, chance), "suggestion": text_of(160, chance)}
        for _ in range(ITEMS)
    ]
    return _filled({"verdict": "needs_revision", "score": score, "feedback": items}, "summary", chance)


def findings() -> str:
    chance = random.Random("findings")
    items = [
        {
            "severity": chance.choice(["critical", "important", "minor"]),
            "file": "spec.md",
            "line": 3 * number + 1,
            "section": chance.choice(SECTIONS),
            "description": text_of(200, chance),
            "suggestion": text_of(120, chance),
        }
        for number in range(ITEMS)
    ]
    return _filled({"verdict": "fail", "findings": items}, "summary", chance)


def decision() -> str:
    chance = random.Random("decision")
    checks = {"acceptance_criteria_met": False, "code_standards_met": True, "test_coverage_adequate": True}
    return _filled({"decision": "NO_GO", "quality_checks": checks}, "feedback", chance)


def signal() -> str:
    chance = random.Random("signal")
    rows = [f"| {n} | {name} | FAIL | {text_of(300, chance)} |" for n, name in enumerate(FOUR_CRITERIA.names, 1)]
    items = [f"{n}. {text_of(330, chance)}" for n in range(1, ITEMS + 1)]
    head = ["## Findings", "", "| # | Dimension | Status | Finding |", "|---|---|---|---|", *rows, "", "## Summary", ""]
    tail = ["", "## Feedback for revision", "", *items, "", "REVIEW_FAIL"]
    missing = BYTES - len("\n".join((*head, "", *tail)))
    return "\n".join((*head, text_of(missing, chance), *tail))


def _filled(value: dict[str, object], field: str, chance: random.Random) -> str:
    missing = BYTES - len(json.dumps(value | {field: ""}))
    return json.dumps(value | {field: text_of(missing, chance)})


ANSWERS: dict[str, Callable[[], str]] = {
    "scored": scored,
    "findings": findings,
    "decision": decision,
    "signal": signal,
}


def milliseconds(work: Callable[[], object], repetitions: int) -> float:
    """CPU time of the middle one: nothing here waits for anything."""
    taken: list[float] = []
    for _ in range(repetitions):
        start = time.thread_time()
        work()
        taken.append(1000 * (time.thread_time() - start))
    return median(taken)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repetitions", type=int, default=300)
    wanted = parser.parse_args()
    before = load()
    rows: list[list[str]] = []
    for dialect, make in ANSWERS.items():
        answer = Answer(text=make(), marker="0123456789abcdef", sources=[spec(1)])
        review = parse(dialect, answer, FOUR_CRITERIA)
        assert isinstance(review, Review), review
        ours = milliseconds(lambda: parse(dialect, answer, FOUR_CRITERIA), wanted.repetitions)  # noqa: B023
        as_json = dialect != "signal"
        floor = milliseconds(lambda: json.loads(answer.text), wanted.repetitions) if as_json else None  # noqa: B023
        compared = [f"{floor:.3f}", f"{ours / floor:.1f}"] if floor else ["", ""]
        size = f"{len(answer.text) / 1024:.1f}"
        rows.append([dialect, size, str(len(review.findings)), f"{ours:.3f}", *compared, verdict(ours < MILLISECONDS)])
    print("## Parse and validate a 10 KB answer\n")
    print(table(["dialect", "KB", "findings", "ms", "`json.loads` ms", "ratio", "under 1 ms"], rows))
    print(
        f"\nCPU time, medians of {wanted.repetitions} repetitions, with a 4 KB artifact that the answer might quote."
        f" Load before {before}, after {load()}."
    )


if __name__ == "__main__":
    main()
