"""Copies with some fields changed, for the few types of which a session makes hundreds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")


def changed(one: T, **changes: Any) -> T:
    """As `dataclasses.replace`, in half the time: for slotted dataclasses that check nothing when they are made."""
    copy: T = object.__new__(type(one))
    for name, read, write in _slots(type(one)):
        write(copy, changes[name] if name in changes else read(one))
    return copy


@cache
def _slots(kind: type[Any]) -> tuple[tuple[str, Callable[[Any], Any], Callable[[Any, Any], None]], ...]:
    slots = ((field.name, kind.__dict__[field.name]) for field in fields(kind))
    return tuple((name, slot.__get__, slot.__set__) for name, slot in slots)
