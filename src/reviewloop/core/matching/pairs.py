"""Matches equal findings of two lists.

Reviewers word the same issue differently. A score weighs words, characters, place, severity and category, and the
optimal one-to-one assignment decides. `bench/panel/matching.py` measures the weights and their accuracy.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, log

from reviewloop.core.matching.assignment import Cell, assign
from reviewloop.core.matching.place_distance import Spot, nearness
from reviewloop.core.matching.text_similarity import GramCosines, word_cosines, words
from reviewloop.core.types.finding import Category, Finding, Severity

SAME_FROM = 0.6
"""The probability from which two findings count as the same."""

POSSIBLY_FROM = 0.05
"""The probability from which they are possibly the same; below it they are distinct."""

_SAME_RULE = 0.99
_LONGEST = 2000
_ROUNDING = 1e-9
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_SEVERITIES = {Severity.INFO: 0, Severity.MINOR: 0, Severity.IMPORTANT: 1, Severity.CRITICAL: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The weight of each kind of evidence, in log odds."""

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
    """Two findings that are the same with probability `p`. `id` names a pair that needs a tie-break."""

    left: Finding
    right: Finding
    p: float
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Matching:
    """Two lists matched one to one. Findings in `possibly` are also in `left_only` and `right_only`."""

    same: tuple[Pair, ...] = ()
    possibly: tuple[Pair, ...] = ()
    left_only: tuple[Finding, ...] = ()
    right_only: tuple[Finding, ...] = ()


def match(left: Sequence[Finding], right: Sequence[Finding], *, same_from: float = SAME_FROM) -> Matching:
    """Match two lists of findings, each finding with at most one of the other list.

    Args:
        left: Findings of one reviewer, or of one iteration.
        right: Findings of the other.
        same_from: The probability from which a pair counts as the same. Raise it where a wrong match does harm.

    Returns:
        The pairs in the order of `left`, with the given objects themselves.
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


def pairing(left: Sequence[Finding], right: Sequence[Finding], *, least: float = POSSIBLY_FROM) -> dict[Cell, float]:
    """The best one-to-one pairs, by position in both lists, each with its probability of being the same."""
    scores = probabilities(left, right, least=least)
    return {cell: scores[cell] for cell in assign(scores)}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sketch:
    """A finding, prepared for many comparisons."""

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
    """The probability that findings of `left` and `right` are the same, where it is at least `least`."""
    left_words, right_words = ([words(_text(finding)) for finding in side] for side in (left, right))
    by_words = word_cosines(left_words, right_words)
    by_characters = GramCosines(left_words, right_words)
    others = [_Sketch.of(finding) for finding in right]
    least_odds = log(least / (1 - least)) - _ROUNDING if least else -inf
    found: dict[Cell, float] = {}
    for row, first in enumerate(_Sketch.of(finding) for finding in left):
        for column, second in enumerate(others):
            near = nearness(first.spot, second.spot)
            p = _by_rule(first, second, near) if first.rule and second.rule else None
            if p is None:
                weights = _weights(first, second)
                odds = _odds_without_characters(first, second, near, by_words[row][column], weights)
                most = odds + weights.characters
                if (min(most, 0.0) if near is None else most) < least_odds:
                    continue
                odds += weights.characters * by_characters.of(row, column)
                # Equal words about another requirement or file are another finding.
                p = 1 / (1 + exp(-min(odds, 0.0) if near is None else -odds))
            if p >= least:
                found[row, column] = p
    return found


def _by_rule(first: _Sketch, second: _Sketch, near: float | None) -> float | None:
    """The probability for two rule findings; None if their wording has to be compared."""
    if near is None or first.rule != second.rule:
        return 0.0
    if first.message == second.message:
        return _SAME_RULE + (1 - _SAME_RULE) * near
    # The messages of first rule are all similar, so they are no evidence without the same place.
    return None if near == 1 else 0.0


def _weights(first: _Sketch, second: _Sketch) -> Weights:
    same_pattern = first.pattern is not None and first.pattern == second.pattern
    comparable = same_pattern or (first.category is not None and second.category is not None)
    return WITH_CATEGORY if comparable else WITHOUT_CATEGORY


def _odds_without_characters(
    first: _Sketch, second: _Sketch, near: float | None, by_words: float, weights: Weights
) -> float:
    """The log odds of all evidence except characters, which are slow to compare."""
    alike = (first.pattern is not None and first.pattern == second.pattern) or first.category == second.category
    return (
        weights.intercept
        + weights.words * by_words
        + weights.place * (near or 0.0)
        + weights.severity * abs(first.severity - second.severity)
        + weights.category * alike
    )


def _text(finding: Finding) -> str:
    return f"{finding.issue[:_LONGEST]} {(finding.suggestion or '')[:_LONGEST]}"


def _message(finding: Finding) -> str:
    """A rule's message and section without numbers, because counts and lines change between iterations."""
    text = f"{finding.criterion or ''} {finding.place.section or ''} {finding.issue}"
    return " ".join(_NUMBER.sub("0", text).lower().split())
