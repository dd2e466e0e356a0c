"""Which findings of two lists say the same thing.

Two reviewers word one issue differently, so a score weighs words, characters, place, severity and category; then the
optimal one-to-one assignment decides. The weights and what they reach are measured by `bench/panel/matching.py`.
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
"""From this probability on, two findings count as the same."""

POSSIBLY_FROM = 0.05
"""From here up to `SAME_FROM` they are possibly the same; below they are distinct."""

_SAME_RULE = 0.99
_LONGEST = 2000
_ROUNDING = 1e-9
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


def pairing(left: Sequence[Finding], right: Sequence[Finding], *, least: float = POSSIBLY_FROM) -> dict[Cell, float]:
    """The best one-to-one pairing, by position in both lists, with how probably each pair is the same."""
    scores = probabilities(left, right, least=least)
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
    by_characters = GramCosines(left_words, right_words)
    others = [_Sketch.of(finding) for finding in right]
    least_odds = log(least / (1 - least)) - _ROUNDING if least else -inf
    found: dict[Cell, float] = {}
    for row, one in enumerate(_Sketch.of(finding) for finding in left):
        for column, other in enumerate(others):
            near = nearness(one.spot, other.spot)
            p = _by_rule(one, other, near) if one.rule and other.rule else None
            if p is None:
                weights = _weights(one, other)
                odds = _odds_but_characters(one, other, near, by_words[row][column], weights)
                most = odds + weights.characters
                if (min(most, 0.0) if near is None else most) < least_odds:
                    continue
                odds += weights.characters * by_characters.of(row, column)
                # However alike the words: the same thing said of another requirement or file is another finding.
                p = 1 / (1 + exp(-min(odds, 0.0) if near is None else -odds))
            if p >= least:
                found[row, column] = p
    return found


def _by_rule(one: _Sketch, other: _Sketch, near: float | None) -> float | None:
    """The probability, if the rules that found them settle it."""
    if near is None or one.rule != other.rule:
        return 0.0
    if one.message == other.message:
        return _SAME_RULE + (1 - _SAME_RULE) * near
    # A rule's messages are all alike: without the same place that is no evidence.
    return None if near == 1 else 0.0


def _weights(one: _Sketch, other: _Sketch) -> Weights:
    same_pattern = one.pattern is not None and one.pattern == other.pattern
    comparable = same_pattern or (one.category is not None and other.category is not None)
    return WITH_CATEGORY if comparable else WITHOUT_CATEGORY


def _odds_but_characters(one: _Sketch, other: _Sketch, near: float | None, by_words: float, weights: Weights) -> float:
    """The log odds from everything that is quickly compared; characters are not."""
    alike = (one.pattern is not None and one.pattern == other.pattern) or one.category == other.category
    return (
        weights.intercept
        + weights.words * by_words
        + weights.place * (near or 0.0)
        + weights.severity * abs(one.severity - other.severity)
        + weights.category * alike
    )


def _text(finding: Finding) -> str:
    return f"{finding.issue[:_LONGEST]} {(finding.suggestion or '')[:_LONGEST]}"


def _message(finding: Finding) -> str:
    """What a rule says and where, up to numbers: counts and line numbers change from one iteration to the next."""
    said = f"{finding.criterion or ''} {finding.place.section or ''} {finding.issue}"
    return " ".join(_NUMBER.sub("0", said).lower().split())
