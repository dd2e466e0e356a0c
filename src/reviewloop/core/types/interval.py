"""Rates and their 95% confidence intervals."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, lgamma, log, sqrt

_Z = 1.959963984540054
"""Two-sided 95% of a normal distribution."""

_TINY = 1e-300
_STEPS = 300
_BISECTIONS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """The ends of a 95% interval."""

    low: float
    high: float


def wilson(hits: int, tries: int) -> Interval:
    """Wilson's interval for a rate; 0 to 1 without any tries."""
    if tries == 0:
        return Interval(low=0.0, high=1.0)
    rate = hits / tries
    centre = rate + _Z**2 / (2 * tries)
    spread = _Z * sqrt(rate * (1 - rate) / tries + _Z**2 / (4 * tries**2))
    scale = 1 + _Z**2 / tries
    return Interval(low=max(0.0, (centre - spread) / scale), high=min(1.0, (centre + spread) / scale))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    hits: int = 0
    tries: int = 0

    def __add__(self, other: Rate) -> Rate:
        return Rate(hits=self.hits + other.hits, tries=self.tries + other.tries)

    @property
    def value(self) -> float | None:
        return self.hits / self.tries if self.tries else None

    @property
    def low(self) -> float:
        return wilson(self.hits, self.tries).low

    @property
    def high(self) -> float:
        return wilson(self.hits, self.tries).high


def beta_interval(a: float, b: float) -> Interval:
    """The equal-tailed interval of a Beta distribution."""
    return Interval(low=beta_quantile(0.025, a, b), high=beta_quantile(0.975, a, b))


def beta_quantile(p: float, a: float, b: float) -> float:
    """The value below which a share `p` of a Beta distribution lies."""
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if beta_below(middle, a, b) < p:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def beta_below(x: float, a: float, b: float) -> float:
    """The share of a Beta distribution below `x`: the regularised incomplete beta function."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):  # the fraction converges fast only on the other side
        return 1 - beta_below(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x))
    return front / a * _continued_fraction(x, a, b)


def _continued_fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    result = d
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _away_from_zero(1 + term * d)
            c = _away_from_zero(1 + term / c)
            result *= c * d
        if abs(c * d - 1) < 1e-14:
            break
    return result


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
