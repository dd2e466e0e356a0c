"""Which findings of two lists say the same thing.

Two reviewers word one issue differently, so a score weighs words, characters, place, severity and category; then the
optimal one-to-one assignment decides. The weights and what they reach are measured by `bench/panel/matching.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp

from reviewloop.review.assignment import Cell, assign
from reviewloop.review.finding import Category, Finding, Severity
from reviewloop.review.places import Spot, nearness
from reviewloop.review.similarity import gram_cosines, word_cosines, words

SAME_FROM = 0.6
"""From this probability on, two findings count as the same."""

POSSIBLY_FROM = 0.05
"""From here up to `SAME_FROM` they are possibly the same; below they are distinct."""

_SAME_RULE = 0.99
_LONGEST = 2000
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_SEVERITIES = {Severity.INFO: 0, Severity.MINOR: 0, Severity.IMPORTANT: 1, Severity.CRITICAL: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What each kind of evidence counts, in log odds."""

    intercept: float
    words: float
    characters: float
    place: float
    severity: float
    category: float = 0.0


WITH_CATEGORY = Weights(intercept=-4.7, words=3.4, characters=3.1, place=3.5, severity=-1.2, category=3.2)
WITHOUT_CATEGORY = Weights(intercept=-3.8, words=3.5, characters=3.0, place=4.2, severity=-1.3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two findings that are the same with probability `p`. `id` names a pair that is still to be settled."""

    left: Finding
    right: Finding
    p: float
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Matching:
    """Two lists matched one to one. What is only possibly the same is also in `left_only` and `right_only`."""

    same: tuple[Pair, ...] = ()
    possibly: tuple[Pair, ...] = ()
    left_only: tuple[Finding, ...] = ()
    right_only: tuple[Finding, ...] = ()


def match(left: Sequence[Finding], right: Sequence[Finding], *, same_from: float = SAME_FROM) -> Matching:
    """Match two lists of findings, each finding with at most one of the other list.

    Args:
        left: Findings of one reviewer, or of one iteration.
        right: Findings of the other.
        same_from: The probability from which a pair counts as the same. Where a wrong match does harm, ask for more.

    Returns:
        The pairs in the order of `left`, holding the very objects that were given.
    """
    pairs = pairing(left, right)
    same = [cell for cell, p in pairs.items() if p >= same_from]
    possibly = [cell for cell, p in pairs.items() if p < same_from]
    lefts, rights = {row for row, _ in same}, {column for _, column in same}
    return Matching(
        same=tuple(Pair(left=left[row], right=right[column], p=pairs[row, column]) for row, column in same),
        possibly=tuple(
            Pair(left=left[row], right=right[column], p=pairs[row, column], id=f"P{number}")
            for number, (row, column) in enumerate(possibly, 1)
        ),
        left_only=tuple(finding for row, finding in enumerate(left) if row not in lefts),
        right_only=tuple(finding for column, finding in enumerate(right) if column not in rights),
    )


def pairing(left: Sequence[Finding], right: Sequence[Finding]) -> dict[Cell, float]:
    """The best one-to-one pairing, by position in both lists, with how probably each pair is the same."""
    scores = probabilities(left, right)
    return {cell: scores[cell] for cell in assign(scores)}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sketch:
    """A finding, made ready to be compared with many others."""

    spot: Spot
    severity: int
    category: Category | None
    pattern: str | None
    rule: str | None
    message: str

    @classmethod
    def of(cls, finding: Finding) -> _Sketch:
        return cls(
            spot=Spot.of(finding),
            severity=_SEVERITIES[finding.severity],
            category=finding.category,
            pattern=finding.pattern_id,
            rule=finding.rule,
            message=_message(finding) if finding.rule else "",
        )


def probabilities(
    left: Sequence[Finding], right: Sequence[Finding], *, least: float = POSSIBLY_FROM
) -> dict[Cell, float]:
    """How probably each finding of `left` is the same as each of `right`, where that is `least` or more."""
    left_words, right_words = ([words(_text(finding)) for finding in side] for side in (left, right))
    by_words = word_cosines(left_words, right_words)
    by_characters = gram_cosines(left_words, right_words)
    others = [_Sketch.of(finding) for finding in right]
    found: dict[Cell, float] = {}
    for row, one in enumerate(_Sketch.of(finding) for finding in left):
        for column, other in enumerate(others):
            p = _probability(one, other, by_words[row][column], by_characters[row][column])
            if p >= least:
                found[row, column] = p
    return found


def _probability(one: _Sketch, other: _Sketch, by_words: float, by_characters: float) -> float:
    near = nearness(one.spot, other.spot)
    if one.rule and other.rule:
        if near is None or one.rule != other.rule:
            return 0.0
        if one.message == other.message:
            return _SAME_RULE + (1 - _SAME_RULE) * near
        if near < 1:  # a rule's messages are all alike: without the same place that is no evidence
            return 0.0
    same_pattern = one.pattern is not None and one.pattern == other.pattern
    comparable = same_pattern or (one.category is not None and other.category is not None)
    weights = WITH_CATEGORY if comparable else WITHOUT_CATEGORY
    odds = (
        weights.intercept
        + weights.words * by_words
        + weights.characters * by_characters
        + weights.place * (near or 0.0)
        + weights.severity * abs(one.severity - other.severity)
        + weights.category * (same_pattern or one.category == other.category)
    )
    # However alike the words: the same thing said of another requirement or file is another finding.
    return 1 / (1 + exp(-odds if near is not None else -min(odds, 0.0)))


def _text(finding: Finding) -> str:
    return f"{finding.issue[:_LONGEST]} {(finding.suggestion or '')[:_LONGEST]}"


def _message(finding: Finding) -> str:
    """What a rule says and where, up to numbers: counts and line numbers change from one iteration to the next."""
    said = f"{finding.criterion or ''} {finding.place.section or ''} {finding.issue}"
    return " ".join(_NUMBER.sub("0", said).lower().split())
