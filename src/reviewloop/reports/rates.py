"""Rates, cost and usage as short texts, and rates as JSON objects."""

from __future__ import annotations

from typing import Any

from reviewloop.core.types.interval import Rate
from reviewloop.core.types.review import Usage


def rate_object(rate: Rate) -> dict[str, Any]:
    value = rate.value
    return {
        "value": None if value is None else round(value, 4),
        "low": round(rate.low, 4),
        "high": round(rate.high, 4),
        "hits": rate.hits,
        "n": rate.tries,
    }


def percent(rate: Rate) -> str:
    """`83% (10 of 12)`."""
    return "-" if rate.value is None else f"{rate.value:.0%} ({rate.hits} of {rate.tries})"


def percent_range(rate: Rate) -> str:
    """`83% (10 of 12; 95% interval 55-95%)`, for rates that a decision rests on."""
    if rate.value is None:
        return "-"
    return f"{rate.value:.0%} ({rate.hits} of {rate.tries}; 95% interval {rate.low:.0%}-{rate.high:.0%})"


def dollars(amount: float | None) -> str:
    return "-" if amount is None else f"${amount:.4f}"


def spent(usage: Usage) -> str:
    """`12.3 s, 4,567 tokens, $0.0089`, without the parts that are unknown."""
    parts = [f"{usage.seconds:.1f} s"]
    if usage.tokens:
        parts.append(f"{usage.tokens:,} tokens")
    if usage.cost_usd is not None:
        parts.append(dollars(usage.cost_usd))
    return ", ".join(parts)
