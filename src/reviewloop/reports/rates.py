"""Rates, in a few characters and for programs."""

from __future__ import annotations

from typing import Any

from reviewloop.core.types.interval import Rate


def rate(one: Rate) -> dict[str, Any]:
    value = one.value
    return {
        "value": None if value is None else round(value, 4),
        "low": round(one.low, 4),
        "high": round(one.high, 4),
        "hits": one.hits,
        "n": one.tries,
    }


def said(one: Rate) -> str:
    """A rate with its interval and how many it rests on."""
    if one.value is None:
        return "-"
    return f"{one.value:.2f} ({one.low:.2f}-{one.high:.2f}, n={one.tries})"
