"""Small helpers for text: plurals, and the name that a typo most likely stands for."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

_LONGEST = 60


def did_you_mean(word: str, options: Iterable[str], *, likeness: float = 0.6) -> str | None:
    """The option that looks most like the word, in whatever case, if any does; the first of several.

    One that has the same letters in another order is more likely than one that has other letters.
    """
    written = word[:_LONGEST].lower()
    best, best_rank = None, (False, likeness)
    matcher = SequenceMatcher(b=written)
    for option in options:
        matcher.set_seq1(option.lower())
        ratio = matcher.ratio()
        rank = (sorted(option.lower()) == sorted(written), ratio)
        if ratio >= likeness and (best is None or rank > best_rank):
            best, best_rank = option, rank
    return best


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
