"""Parses YAML into values with places: text, numbers, booleans, lists and mappings only, in bounded time."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import yaml

from reviewloop.config.discover import MAX_BYTES
from reviewloop.config.masking import mask, mask_unparsed, secret_nodes
from reviewloop.config.message_text import shown
from reviewloop.config.source_marks import Entry, Items, Node, Place, Scalar, Source, Table
from reviewloop.config.syntax import syntax_error, too_big
from reviewloop.errors import ConfigError

MAX_DEPTH = 40
MAX_VALUES = 20_000

# The line ends that YAML counts.
_LINE_END = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_TAG = "tag:yaml.org,2002:"
_TEXT_TAGS = {_TAG + name for name in ("str", "timestamp", "value", "merge")}
_TAGS = _TEXT_TAGS | {_TAG + name for name in ("int", "float", "bool", "null", "map", "seq")}
_WHOLE = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})")
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
_TRUE = {"true", "yes", "on"}
_FALSE = {"false", "no", "off"}


def parse(data: bytes, name: str, *, only: str | None = None) -> Table:
    """The mapping in a YAML file.

    Args:
        data: The file's bytes.
        name: The file's name in messages.
        only: The only key to read; other keys belong to another tool.

    Raises:
        ConfigError: The file is not a valid configuration; says where.
    """
    if len(data) > MAX_BYTES:
        raise Place(source=Source(name=name), line=1, column=1).error(
            f"the file is larger than {MAX_BYTES // 1024} kB", hint="is this the right file?"
        )
    text = _decoded(data, name)
    lines = _LINE_END.split(text)
    root = _composed(text, lines, name)
    secrets = secret_nodes(root)
    source = Source(name=name, lines=mask(lines, secrets))
    start = Place(source=source, line=1, column=1)
    if root is None:
        return Table(entries={}, place=start)
    converter = _Converter(source=source, secrets=frozenset(id(secret) for secret in secrets))
    if not isinstance(root, yaml.MappingNode):
        if root.tag == _TAG + "null":
            return Table(entries={}, place=start)
        raise converter.place(root).error('the file must be a mapping of settings, "key: value"')
    return converter.table(root, only=only)


def scalar(text: str, place: Place) -> Scalar:
    """A value from outside YAML, such as an environment variable, read as plain YAML."""
    resolver: Any = yaml.SafeLoader("")
    return Scalar(value=_value(resolver.resolve(yaml.ScalarNode, text, (True, False)), text), text=text, place=place)


def _decoded(data: bytes, name: str) -> str:
    try:
        # YAML does not count byte order marks as columns.
        return data.decode("utf-8").replace("\ufeff", "")
    except UnicodeDecodeError as error:
        before = _LINE_END.split(data[: error.start].decode("utf-8", "replace"))
        place = Place(source=Source(name=name), line=len(before), column=len(before[-1]) + 1)
        raise place.error("the file is not UTF-8 text", hint="save it as UTF-8") from None


class _Loader(yaml.SafeLoader):
    """A loader with limits on depth and on the number of values."""

    depth = 0
    values = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        self.depth += 1
        self.values += 1
        if self.depth > MAX_DEPTH or self.values > MAX_VALUES:
            event: Any = cast("Any", self).peek_event()
            raise too_big(event.start_mark, deep=self.depth > MAX_DEPTH)
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


def _composed(text: str, lines: list[str], name: str) -> yaml.Node | None:
    loader: Any = None
    try:
        loader = _Loader(text)
        return loader.get_single_node()
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        # For escapes and version numbers out of range, chr() and int() raise inside PyYAML.
        reached = loader.get_mark() if loader else None
        raise syntax_error(error, Source(name=name, lines=mask_unparsed(lines)), lines, reached) from None


@dataclass(slots=True, kw_only=True)
class _Converter:
    """Converts PyYAML's graph of nodes to a tree of values. Aliases are expanded up to the limit."""

    source: Source
    secrets: frozenset[int]
    values: int = 0
    open: list[yaml.Node] = field(default_factory=list[yaml.Node])

    def place(self, node: yaml.Node) -> Place:
        start, end = node.start_mark, node.end_mark
        line = self.source.lines[start.line] if start.line < len(self.source.lines) else ""
        last = end.column if end.line == start.line else len(line.rstrip())
        return Place(
            source=self.source, line=start.line + 1, column=start.column + 1, width=max(1, last - start.column)
        )

    def node(self, node: yaml.Node) -> Node:
        self.values += 1
        if self.values > MAX_VALUES:
            raise self.place([*self.open, node][0]).error("aliases make the file too large")
        if node.tag not in _TAGS:
            raise self._tagged(node)
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if any(node is parent for parent in self.open):
            raise self.place(node).error("this alias refers to itself")
        if len(self.open) > MAX_DEPTH:
            raise self.place(self.open[0]).error("aliases nest the file too deeply")
        self.open.append(node)
        converted = self.table(node) if isinstance(node, yaml.MappingNode) else self._items(node.value, node)
        self.open.pop()
        return converted

    def table(self, node: yaml.MappingNode, *, only: str | None = None) -> Table:
        own: dict[str, Entry] = {}
        merged: dict[str, Entry] = {}
        for key, value in node.value:
            if only is not None and key.value != only:
                continue
            name, place = self._key(key), self.place(key)
            if name in own:
                visible = "***" if id(key) in self.secrets else name
                hint = f"it is also on line {own[name].key.line}; keep one of them"
                raise place.error(f"duplicate key {shown(visible)}", hint=hint)
            if key.tag == _TAG + "merge":
                own[name] = Entry(key=place, value=Table(entries={}, place=place))
                merged = self._merged(value) | merged
            else:
                own[name] = Entry(key=place, value=self.node(value))
        own.pop("<<", None)
        return Table(entries=merged | own, place=self.place(node))

    def _items(self, nodes: Sequence[yaml.Node], whole: yaml.Node) -> Items:
        return Items(nodes=tuple(self.node(item) for item in nodes), place=self.place(whole))

    def _merged(self, node: yaml.Node) -> dict[str, Entry]:
        """The entries that `<<` merges; of several mappings, the first with a key wins."""
        value = self.node(node)
        tables = value.nodes if isinstance(value, Items) else (value,)
        entries: dict[str, Entry] = {}
        for table in tables:
            if not isinstance(table, Table):
                raise table.place.error("<< can only merge a mapping")
            entries = {**table.entries, **entries}
        return entries

    def _key(self, node: yaml.Node) -> str:
        if not isinstance(node, yaml.ScalarNode):
            raise self.place(node).error("a key must be text, found a list or a mapping")
        if not node.value.strip():
            raise self.place(node).error("a key must not be empty")
        if node.tag not in _TAGS:
            raise self._tagged(node)
        return self._checked(node)

    def _scalar(self, node: yaml.ScalarNode) -> Scalar:
        text = self._checked(node)
        value = text if node.style is not None else _value(node.tag, text)
        return Scalar(value=value, text="***" if id(node) in self.secrets else text, place=self.place(node))

    def _tagged(self, node: yaml.Node) -> ConfigError:
        return self.place(node).error("YAML tags are not supported here", hint="remove the tag")

    def _checked(self, node: yaml.ScalarNode) -> str:
        text: str = node.value
        if "\0" in text or any("\ud800" <= char <= "\udfff" for char in text):
            raise self.place(node).error("this text has a character that cannot be stored")
        return text


def _value(tag: str, text: str) -> str | int | float | bool | None:
    """The value of a plain scalar. `1:30`, `0x1F` and `.nan`, which YAML 1.1 reads as numbers, stay text."""
    if tag == _TAG + "null":
        return None
    if tag == _TAG + "bool" and text.lower() in _TRUE | _FALSE:
        return text.lower() in _TRUE
    if tag in (_TAG + "int", _TAG + "float"):
        if _WHOLE.fullmatch(text):
            return int(text)
        if len(text) < 40 and _NUMBER.fullmatch(text) and math.isfinite(float(text)):
            return float(text)
    return text
