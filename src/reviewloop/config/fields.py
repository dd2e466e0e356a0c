"""Readers for settings: each checks a value with its place and converts it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from reviewloop.config.message_text import listed, nearest
from reviewloop.config.source_marks import Items, Node, Scalar, Table, description
from reviewloop.errors import ConfigError

Choice = TypeVar("Choice", bound=StrEnum)
Value = TypeVar("Value")
Reader = Callable[[Node, str], Value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A converted value, and the node it was read from."""

    value: Any = field(repr=False)
    node: Node


def wrong(node: Node, name: str, expected: str, *, hint: str | None = None) -> ConfigError:
    return node.place.error(f"{name} must be {expected}, found {description(node)}", hint=hint)


def text(node: Node, name: str) -> str:
    if isinstance(node, Scalar):
        if isinstance(node.value, str) and node.value.strip():
            return node.value
        if node.value is not None and not isinstance(node.value, str):
            raise wrong(node, name, "text", hint=f'put it in quotes: "{node.text}"')
    raise wrong(node, name, "text")


def path(node: Node, name: str) -> str:
    value = text(node, name)
    try:
        Path(value).expanduser()
    except RuntimeError:
        raise node.place.error(f"{name} starts with the home directory of an unknown user") from None
    return value


def flag(node: Node, name: str) -> bool:
    if isinstance(node, Scalar) and isinstance(node.value, bool):
        return node.value
    raise wrong(node, name, "true or false")


def whole(low: int, high: int | None = None) -> Reader[int]:
    """A whole number in a range."""

    def read(node: Node, name: str) -> int:
        value = _number(node, name, "a whole number")
        if not isinstance(value, int):
            raise wrong(node, name, "a whole number")
        if value < low or (high is not None and value > high):
            if high is None:
                raise node.place.error(f"{name} must be at least {low}", hint=f"use {low} or more, or leave it out")
            raise node.place.error(f"{name} must be {low}-{high}", hint=f"use a whole number from {low} to {high}")
        return value

    return read


def number(low: float, high: float) -> Reader[float]:
    """A number in a range, ends included."""

    def read(node: Node, name: str) -> float:
        value = _number(node, name, "a number")
        if not low <= value <= high:
            raise node.place.error(f"{name} must be {low:g}-{high:g}", hint=f"use a number from {low:g} to {high:g}")
        return value

    return read


def positive(node: Node, name: str) -> float:
    value = _number(node, name, "a number")
    if value <= 0:
        raise node.place.error(f"{name} must be greater than 0")
    return value


def _number(node: Node, name: str, expected: str) -> int | float:
    if isinstance(node, Scalar) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return node.value
    raise wrong(node, name, expected)


def choice(options: type[Choice], *, hint: str | None = None) -> Reader[Choice]:
    by_name = {option.value: option for option in options}
    read_name = one_of(tuple(by_name), hint=hint)
    return lambda node, name: by_name[read_name(node, name)]


def one_of(names: tuple[str, ...], *, hint: str | None = None) -> Reader[str]:
    """One of these names; `hint` is for a text that resembles none of them."""

    def read(node: Node, name: str) -> str:
        # Compares the text, not the value: YAML reads `off` as false.
        if isinstance(node, Scalar) and node.text in names:
            return node.text
        near = nearest(node.text, names) if isinstance(node, Scalar) else None
        raise wrong(node, name, listed(names), hint=near or hint)

    return read


def items(read_item: Reader[Value], *, at_least: int = 0) -> Reader[tuple[Value, ...]]:
    def read(node: Node, name: str) -> tuple[Value, ...]:
        if not isinstance(node, Items):
            hint = f"write it as a list: [{node.text}]" if isinstance(node, Scalar) and node.text else None
            raise wrong(node, name, "a list", hint=hint)
        if len(node.nodes) < at_least:
            raise node.place.error(f"{name} must have at least {at_least} {'item' if at_least == 1 else 'items'}")
        return tuple(read_item(item, f"each of {name}") for item in node.nodes)

    return read


def names(*, at_least: int = 1) -> Reader[tuple[str, ...]]:
    """A list of different names."""
    read_all = items(text, at_least=at_least)

    def read(node: Node, name: str) -> tuple[str, ...]:
        values = read_all(node, name)
        for position, value in enumerate(values):
            if value in values[:position] and isinstance(node, Items):
                raise node.nodes[position].place.error(f'{name} names "{value}" twice')
        return values

    return read


def item_or_items(read: Reader[Value]) -> Reader[tuple[Value, ...]]:
    """A single value, or a list of values."""
    return lambda node, name: (read(node, name),) if isinstance(node, Scalar) else items(read)(node, name)


one_or_more = item_or_items(text)
paths = item_or_items(path)


def table(node: Node, name: str) -> Table:
    if not isinstance(node, Table):
        raise wrong(node, name, "a mapping")
    return node


def mapping(read_value: Reader[Value]) -> Reader[Mapping[str, Value]]:
    """A mapping with keys of the user's choice."""

    def read(node: Node, name: str) -> Mapping[str, Value]:
        return {key: read_value(entry.value, f"{name}.{key}") for key, entry in table(node, name).entries.items()}

    return read


def record(readers: Mapping[str, Reader[Any]]) -> Reader[dict[str, Any]]:
    """A mapping with fixed keys, as values."""
    return lambda node, name: {key: setting.value for key, setting in section(node, name, readers).items()}


def section(node: Node | None, name: str, readers: Mapping[str, Reader[Any]]) -> dict[str, Setting]:
    """A mapping with fixed keys, as settings. An empty mapping sets nothing."""
    if node is None or (isinstance(node, Scalar) and node.value is None):
        return {}
    settings = table(node, name)
    settings.only(readers)
    return {
        key: Setting(value=readers[key](entry.value, key), node=entry.value) for key, entry in settings.entries.items()
    }
