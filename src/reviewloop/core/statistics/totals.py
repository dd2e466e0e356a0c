"""Figures that belong together, added up."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol, Self, TypeVar


class Figure(Protocol):
    """What can be added to another of its kind."""

    def __add__(self, other: Self, /) -> Self: ...


_F = TypeVar("_F", bound=Figure)


def totals(figures: Iterable[_F], key: Callable[[_F], Any]) -> tuple[_F, ...]:
    """One figure for each key, in the order of the keys."""
    found: dict[Any, _F] = {}
    for one in figures:
        name = key(one)
        found[name] = found[name] + one if name in found else one
    return tuple(one for _, one in sorted(found.items()))
