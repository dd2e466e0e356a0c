"""How well findings are matched, and how fast: `python bench/panel/matching.py LABELLED.jsonl`.

Each line of the file is one labelled pair: `artifact`, `relation` (`same`, `different`, `contradiction`), and `a` and
`b` with `place`, `severity`, `issue`, `suggestion` and `category`. All `a` of an artifact are one reviewer's list, all
`b` the other's. What is tuned (thresholds, weights) is tuned without the artifact it is measured on.
"""

from __future__ import annotations

import json
import random
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from math import exp
from pathlib import Path

from reviewloop.core.matching.assignment import assign
from reviewloop.core.matching.pairs import POSSIBLY_FROM, SAME_FROM, match, probabilities
from reviewloop.core.matching.place_distance import Spot, nearness
from reviewloop.core.matching.text_similarity import GramCosines, word_cosines, words
from reviewloop.core.types.finding import Category, Finding, Place, Severity

FILE = re.compile(r"(?P<file>\S+\.[A-Za-z]+)(?::(?P<line>\d+)(?:-\d+)?)?")
SEVERITIES = {"minor": 0, "important": 1, "critical": 2}
Scores = list[list[float]]
Scorer = Callable[["Labelled"], Scores]


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """Two reviewers' lists on one artifact; the findings at one position have the relation at that position."""

    artifact: str
    left: tuple[Finding, ...]
    right: tuple[Finding, ...]
    relations: tuple[str, ...]

    def is_same(self, row: int, column: int) -> bool:
        return row == column and self.relations[row] == "same"

    def is_contradiction(self, row: int, column: int) -> bool:
        return row == column and self.relations[row] == "contradiction"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One pair of an assignment: how sure it is, and what it really is."""

    score: float
    same: bool
    contradiction: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    precision: float
    recall: float

    @property
    def f1(self) -> float:
        return 2 * self.precision * self.recall / (self.precision + self.recall) if self.recall else 0.0


def load(path: Path) -> list[Labelled]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    by_artifact: dict[str, list[dict]] = {}
    for row in rows:
        by_artifact.setdefault(row["artifact"], []).append(row)
    return [
        Labelled(
            artifact=name,
            left=tuple(finding(row["a"]) for row in group),
            right=tuple(finding(row["b"]) for row in group),
            relations=tuple(row["relation"] for row in group),
        )
        for name, group in by_artifact.items()
    ]


def finding(data: dict) -> Finding:
    where = FILE.fullmatch(data["place"])
    line = where and where["line"]
    return Finding(
        issue=data["issue"],
        suggestion=data["suggestion"],
        severity=Severity(data["severity"]),
        place=Place(file=where["file"], line=int(line) if line else None) if where else Place(section=data["place"]),
        category=data["category"],  # the labels have a longer list than ours; only equality matters here
    )


def shipped(lists: Labelled) -> Scores:
    found = probabilities(lists.left, lists.right, least=0.0)
    return [[found[row, column] for column in range(len(lists.right))] for row in range(len(lists.left))]


def without_category(lists: Labelled) -> Scores:
    left, right = ([replace(one, category=None) for one in side] for side in (lists.left, lists.right))
    return shipped(replace(lists, left=tuple(left), right=tuple(right)))


def pairwise(score: Callable[[Finding, Finding], float]) -> Scorer:
    return lambda lists: [[score(one, other) for other in lists.right] for one in lists.left]


def place_alone(one: Finding, other: Finding) -> float:
    return nearness(Spot.of(one), Spot.of(other)) or 0.0


BASELINES: dict[str, Scorer] = {
    "equal titles": pairwise(lambda one, other: float(one.issue.casefold() == other.issue.casefold())),
    "difflib ratio": pairwise(lambda one, other: SequenceMatcher(None, one.issue, other.issue).ratio()),
    "place alone": pairwise(place_alone),
}


def features(lists: Labelled) -> list[list[tuple[float, ...]]]:
    sides = [[words(f"{one.issue} {one.suggestion}") for one in side] for side in (lists.left, lists.right)]
    by_words, by_characters = word_cosines(*sides), GramCosines(*sides)
    return [
        [
            (
                1.0,
                by_words[row][column],
                by_characters.of(row, column),
                place_alone(one, other),
                abs(SEVERITIES[one.severity] - SEVERITIES[other.severity]),
                float(one.category == other.category),
            )
            for column, other in enumerate(lists.right)
        ]
        for row, one in enumerate(lists.left)
    ]


def refitted(others: Sequence[Labelled]) -> Scorer:
    """Logistic regression on the other artifacts, by gradient ascent; contradictions are left out."""
    samples = [
        (values, float(lists.is_same(row, column)))
        for lists in others
        for row, line in enumerate(features(lists))
        for column, values in enumerate(line)
        if not lists.is_contradiction(row, column)
    ]
    weights = [0.0] * 6
    for _ in range(400):
        slope = [-0.001 * weight for weight in weights]
        for values, label in samples:
            error = (label - sigmoid(dot(weights, values))) / len(samples)
            slope = [one + error * value for one, value in zip(slope, values, strict=True)]
        weights = [weight + 5 * step for weight, step in zip(weights, slope, strict=True)]
    return lambda lists: [[sigmoid(dot(weights, values)) for values in line] for line in features(lists)]


def dot(left: Sequence[float], right: Sequence[float]) -> float:
    return sum(one * other for one, other in zip(left, right, strict=True))


def sigmoid(odds: float) -> float:
    return 1 / (1 + exp(-odds))


def assigned(lists: Labelled, scores: Scores) -> list[Found]:
    cells = {(row, column): score for row, line in enumerate(scores) for column, score in enumerate(line)}
    return [
        Found(score=cells[cell], same=lists.is_same(*cell), contradiction=lists.is_contradiction(*cell))
        for cell in assign({cell: score for cell, score in cells.items() if score >= POSSIBLY_FROM})
    ]


def quality(found: Sequence[Found], wanted: int, threshold: float, *, strict: bool = False) -> Quality:
    """`strict` counts a matched contradiction as wrong; otherwise it is set aside, as `merge` does by its actions."""
    taken = [one for one in found if one.score >= threshold and (strict or not one.contradiction)]
    right = sum(one.same for one in taken)
    return Quality(precision=right / len(taken) if taken else 0.0, recall=right / wanted)


def best_threshold(data: Sequence[Labelled], scorer: Scorer) -> float:
    found = [one for lists in data for one in assigned(lists, scorer(lists))]
    wanted = same_pairs(data)
    return max((step / 100 for step in range(5, 100)), key=lambda step: quality(found, wanted, step).f1)


def same_pairs(data: Sequence[Labelled]) -> int:
    return sum(lists.relations.count("same") for lists in data)


def auc(data: Sequence[Labelled], scores: Sequence[Scores]) -> float:
    same: list[float] = []
    rest: list[float] = []
    for lists, matrix in zip(data, scores, strict=True):
        for row, line in enumerate(matrix):
            for column, score in enumerate(line):
                if not lists.is_contradiction(row, column):
                    (same if lists.is_same(row, column) else rest).append(score)
    wins = sum((one > other) + (one == other) / 2 for one in same for other in rest)
    return wins / (len(same) * len(rest))


def report(name: str, data: Sequence[Labelled], scores: Sequence[Scores], thresholds: Sequence[float]) -> None:
    """Scores are moved by their artifact's threshold, so that one cut at 0 serves all."""
    found = [
        replace(one, score=one.score - threshold)
        for lists, matrix, threshold in zip(data, scores, thresholds, strict=True)
        for one in assigned(lists, matrix)
    ]
    lenient, strict = (quality(found, same_pairs(data), 0.0, strict=strict) for strict in (False, True))
    area = auc(data, scores)
    print(f"{name:<34}{lenient.precision:9.2f}{lenient.recall:8.2f}{lenient.f1:6.2f}{strict.f1:11.2f}{area:6.2f}")


def measure(data: Sequence[Labelled]) -> None:
    print(f"{same_pairs(data)} same pairs in {len(data)} artifacts, each left out in turn\n")
    print(f"{'':34}{'precision':>9}{'recall':>8}{'F1':>6}{'strict F1':>11}{'AUC':>6}")
    others = [[other for other in data if other is not lists] for lists in data]
    for name, scorer in {
        f"shipped, p >= {SAME_FROM}": shipped,
        f"no category, p >= {SAME_FROM}": without_category,
    }.items():
        report(name, data, [scorer(lists) for lists in data], [SAME_FROM] * len(data))
    tuned: dict[str, Scorer] = {"shipped, threshold left out": shipped, **BASELINES}
    for name, scorer in tuned.items():
        report(name, data, [scorer(lists) for lists in data], [best_threshold(rest, scorer) for rest in others])
    scorers = [refitted(rest) for rest in others]
    scores = [scorer(lists) for scorer, lists in zip(scorers, data, strict=True)]
    cuts = [best_threshold(rest, scorer) for rest, scorer in zip(others, scorers, strict=True)]
    report("weights and threshold left out", data, scores, cuts)
    print("\nstrict: a contradiction that is matched counts as wrong; elsewhere it is set aside")


def timing(size: int) -> float:
    """Milliseconds of CPU for two lists about one file, where there is most to compare; the best of five."""
    chance = random.Random(size)
    vocabulary = ["".join(chance.choices("abcdefghilmnoprstuvw", k=chance.randint(3, 11))) for _ in range(600)]

    def text() -> str:
        return " ".join(chance.choice(vocabulary[: chance.choice((40, 600))]) for _ in range(chance.randint(8, 30)))

    def raised() -> Finding:
        return Finding(
            issue=text(),
            suggestion=text(),
            severity=chance.choice(list(Severity)),
            place=Place(file="src/app.py", line=chance.randint(1, 600)),
            category=chance.choice(list(Category)),
        )

    left, right = ([raised() for _ in range(size)] for _ in range(2))
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        match(left, right)
        best = min(best, time.process_time() - start)
    return best * 1000


def main() -> int:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    if path is None or not path.is_file():
        print(f"quality: skipped, {'no labelled pairs were given' if path is None else f'there is no file {path}'}")
        print("hint: python bench/panel/matching.py LABELLED.jsonl")
    else:
        measure(load(path))
    print()
    for size in (30, 100):
        print(f"{size} x {size}: {timing(size):.0f} ms of CPU")
    return 0


if __name__ == "__main__":
    sys.exit(main())
