"""Adds up figures by key."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol, Self, TypeVar


class Figure(Protocol):
    """A figure that can be added to another of its type."""

    def __add__(self, other: Self, /) -> Self: ...


_F = TypeVar("_F", bound=Figure)


def totals(figures: Iterable[_F], key: Callable[[_F], Any]) -> tuple[_F, ...]:
    """The sum of the figures for each key, in the order of the keys."""
    found: dict[Any, _F] = {}
    for figure in figures:
        name = key(figure)
        found[name] = found[name] + figure if name in found else figure
    return tuple(total for _, total in sorted(found.items()))
