"""Quotes, guesses and lists in messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reviewloop.text import did_you_mean

_LONGEST_QUOTE = 60


def shown(text: str) -> str:
    """The text in quotes, cut to 60 characters."""
    short = text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1] + "…"
    return f'"{short}"'


def nearest(word: str, options: Iterable[str]) -> str | None:
    """A hint with the option that is most similar to `word`; None if none is."""
    match = did_you_mean(word, options)
    return f'did you mean "{match}"?' if match else None


def listed(options: Sequence[str]) -> str:
    """`a`, `a or b`, `a, b or c`."""
    return " or ".join([*([", ".join(options[:-1])] if options[1:] else []), options[-1]])
