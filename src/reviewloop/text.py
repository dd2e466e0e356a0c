"""Text helpers: counts with plurals, times, and suggestions for typos."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

_LONGEST = 60


def did_you_mean(word: str, options: Iterable[str], *, likeness: float = 0.6) -> str | None:
    """The option most similar to the word, ignoring case; None if none is similar enough.

    An option with the same letters in another order beats an option with other letters.
    """
    from difflib import SequenceMatcher  # only a typo needs it

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
    plural = f"{noun}es" if noun.endswith(("x", "s", "sh", "ch")) else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"


def rfc3339(time: datetime) -> str:
    """The time in RFC 3339, as other tools read it."""
    return time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
