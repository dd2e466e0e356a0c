"""Extracts the JSON objects of a text, whether alone, in prose or in a code fence. Never raises."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

_DECODER = json.JSONDecoder()
_MOST_TRIES = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """An object and its source text."""

    value: dict[str, Any]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """The outermost objects in order; `cut` if the text ends inside an object."""

    objects: tuple[Found, ...]
    cut: bool


def objects(text: str) -> Extracted:
    """Extract all outermost JSON objects. Objects inside an unfinished object are ignored."""
    found: list[Found] = []
    end = len(text.rstrip())
    at = text.find("{")
    for _ in range(_MOST_TRIES):
        if at < 0:
            return Extracted(objects=tuple(found), cut=False)
        try:
            value, stop = _DECODER.raw_decode(text, at)
        except json.JSONDecodeError as error:
            if error.pos >= end or error.msg.startswith("Unterminated string"):
                return Extracted(objects=tuple(found), cut=True)
            stop = at + 1
        except (RecursionError, ValueError):  # nested too deep, or a number of thousands of digits
            return Extracted(objects=tuple(found), cut=True)
        else:
            found.append(Found(value=value, text=text[at:stop]))
        at = text.find("{", stop)
    return Extracted(objects=tuple(found), cut=True)
