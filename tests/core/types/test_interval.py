"""Rates and how far they may be from the truth, against figures that are known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewloop.core.types.interval import beta_below, beta_quantile, wilson


@pytest.mark.parametrize(
    ("x", "a", "b", "expected"),
    [
        (0.3, 1, 1, 0.3),
        (0.3, 2, 3, 0.3483),
        (0.9, 5, 1, 0.59049),
        (0.5, 20, 20, 0.5),
        (0.2, 0.5, 0.5, 0.2951672353),  # 2/pi * asin(sqrt(x))
        (0.0, 2, 2, 0.0),
        (1.0, 2, 2, 1.0),
    ],
)
def test_the_share_of_a_beta_distribution_below(x: float, a: float, b: float, expected: float):
    assert pytest.approx(expected, abs=1e-9) == beta_below(x, a, b)


@pytest.mark.parametrize(
    ("p", "a", "b", "expected"),
    [(0.025, 9, 3, 0.4822442), (0.975, 9, 3, 0.9397823), (0.5, 1, 1, 0.5), (0.25, 2, 1, 0.5)],
)
def test_quantiles_that_are_in_every_table(p: float, a: float, b: float, expected: float):
    assert pytest.approx(expected, abs=1e-6) == beta_quantile(p, a, b)


@given(st.floats(0.01, 0.99), st.floats(0.3, 200), st.floats(0.3, 200))
def test_a_quantile_undoes_the_share(p: float, a: float, b: float):
    assert pytest.approx(p, abs=1e-4) == beta_below(beta_quantile(p, a, b), a, b)


@pytest.mark.parametrize(
    ("hits", "tries", "low", "high"),
    [(0, 1, 0.0, 0.7935), (1, 1, 0.2065, 1.0), (5, 10, 0.2366, 0.7634), (0, 0, 0.0, 1.0), (0, 100, 0.0, 0.0370)],
)
def test_wilsons_interval(hits: int, tries: int, low: float, high: float):
    found = wilson(hits, tries)
    assert (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4)) == (found.low, found.high)
