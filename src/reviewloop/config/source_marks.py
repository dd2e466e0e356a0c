"""Values with the places where they were written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from reviewloop.config.message_text import nearest, shown
from reviewloop.errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file, an environment variable or a flag. `lines` are the file's lines with masked secrets."""

    name: str
    lines: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The place of a key or value. Lines and columns count from 1; None outside files."""

    source: Source
    line: int | None = None
    column: int | None = None
    width: int = 1

    def __str__(self) -> str:
        return ":".join(str(part) for part in (self.source.name, self.line, self.column) if part is not None)

    def error(self, message: str, *, hint: str | None = None) -> ConfigError:
        lines = self.source.lines
        return ConfigError(
            message,
            file=self.source.name,
            line=self.line,
            column=self.column,
            source=lines[self.line - 1] if self.line is not None and self.line <= len(lines) else None,
            width=self.width,
            hint=hint,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """A single value. `text` is the value as written (`off` for False), or stars for a possible secret."""

    value: str | int | float | bool | None = field(repr=False)
    text: str = field(repr=False)
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """A list."""

    nodes: tuple[Node, ...]
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A key's place and its value."""

    key: Place
    value: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A mapping in its written order."""

    entries: Mapping[str, Entry]
    place: Place

    def get(self, key: str) -> Node | None:
        entry = self.entries.get(key)
        return entry.value if entry else None

    def only(self, valid: Iterable[str]) -> None:
        """Raise for the first key that is not in `valid`."""
        names = tuple(valid)
        for key, entry in self.entries.items():
            if key not in names:
                hint = nearest(key, names) or f"valid keys: {', '.join(names)}"
                raise entry.key.error(f"unknown key {shown(key)}", hint=hint)


Node = Scalar | Items | Table


def plain(node: Node) -> Any:
    """The value without its places."""
    match node:
        case Scalar():
            return node.value
        case Items():
            return [plain(item) for item in node.nodes]
        case Table():
            return {key: plain(entry.value) for key, entry in node.entries.items()}


def located(value: Any, place: Place) -> Node:
    """A Python value, such as a flag's, as a node written at `place`."""
    if isinstance(value, Mapping):
        pairs = cast("Mapping[Any, Any]", value).items()
        entries = {str(key): Entry(key=place, value=located(item, place)) for key, item in pairs}
        return Table(entries=entries, place=place)
    if isinstance(value, list | tuple):
        items = cast("Sequence[Any]", value)
        return Items(nodes=tuple(located(item, place) for item in items), place=place)
    if isinstance(value, bool):
        return Scalar(value=value, text=str(value).lower(), place=place)
    if value is None or isinstance(value, int | float):
        return Scalar(value=value, text=str(value), place=place)
    return Scalar(value=str(value), text=str(value), place=place)


def description(node: Node) -> str:
    """The value for the second half of "must be ..., found ..."."""
    match node:
        case Scalar(value=None):
            return "nothing"
        case Scalar(value=str()):
            return shown(node.text)
        case Scalar():
            return node.text
        case Items():
            return "a list"
        case Table():
            return "a mapping"
