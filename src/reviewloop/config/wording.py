"""How messages quote, guess and list."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

_LONGEST_QUOTE = 60


def shown(text: str) -> str:
    """A piece of somebody's text, in quotes and of bearable length."""
    short = text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1] + "…"
    return f'"{short}"'


def nearest(word: str, options: Iterable[str], *, likeness: float = 0.6) -> str | None:
    """A hint with the option that looks most like `word`, if any does."""
    match = closest(word, options, likeness=likeness)
    return f'did you mean "{match}"?' if match else None


def closest(word: str, options: Iterable[str], *, likeness: float = 0.6) -> str | None:
    by_lower_case = {option.lower(): option for option in options}
    matches = difflib.get_close_matches(word[:_LONGEST_QUOTE].lower(), by_lower_case, n=1, cutoff=likeness)
    return by_lower_case[matches[0]] if matches else None


def listed(options: Sequence[str]) -> str:
    """`a`, `a or b`, `a, b or c`."""
    return " or ".join([*([", ".join(options[:-1])] if options[1:] else []), options[-1]])
