"""Headings, lists, tables and code blocks. A fast scan reads plain documents, markdown-it all others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from reviewloop.documents.model import Cell, Fence, Heading, Item, Table
from reviewloop.documents.scan import Scan, scan

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# Kiro marks an optional task with a star after its checkbox.
_ITEM = re.compile(r"^[ \t>]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)(?:\[([ xX~/-])\]\*?(?:[ \t]+|$))?")
_ANCHOR = re.compile(r"[ \t]*\{#[\w-]+\}$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocks:
    headings: tuple[Heading, ...]
    tables: tuple[Table, ...]
    items: tuple[Item, ...]
    fences: tuple[Fence, ...]


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    parser.block.ruler.disable("reference")
    return parser


def read_blocks(lines: Sequence[str]) -> Blocks:
    found = scan(lines)
    return _from_scan(found, lines) if found else read_with_markdown_it(lines)


def _from_scan(found: Scan, lines: Sequence[str]) -> Blocks:
    return Blocks(
        headings=_nested([(level, _title(text), row + 1) for level, text, row in found.headings], len(lines)),
        tables=tuple(_table(start, end, [start, *range(start + 2, end)], lines) for start, end in found.tables),
        items=tuple(_item(item.start, item.end, item.depth, lines, ordered=item.ordered) for item in found.items),
        fences=tuple(
            Fence(info=fence.info, text=fence.text, line=fence.start + 1, end=fence.end) for fence in found.fences
        ),
    )


def read_with_markdown_it(lines: Sequence[str]) -> Blocks:
    tokens = _parser().parse("\n".join(lines))
    return Blocks(
        headings=_headings(tokens, len(lines)),
        tables=tuple(_tables(tokens, lines)),
        items=tuple(_items(tokens, lines)),
        fences=tuple(_fence(token, lines) for token in tokens if token.type == "fence" and token.map),
    )


def _headings(tokens: Sequence[Token], last: int) -> tuple[Heading, ...]:
    found: list[tuple[int, str, int]] = []
    for index, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map:
            title = _title(tokens[index + 1].content.strip())
            found.append((int(token.tag[1]), title, token.map[0] + 1))
    return _nested(found, last)


def _title(text: str) -> str:
    """A heading's text without a trailing anchor such as `{#limits}`."""
    return _ANCHOR.sub("", text) if text.endswith("}") else text


def _nested(found: Sequence[tuple[int, str, int]], last: int) -> tuple[Heading, ...]:
    """Headings with the ends of their sections."""
    ends = [last] * len(found)
    open_at: list[int] = []
    for index, (level, _, line) in enumerate(found):
        while open_at and found[open_at[-1]][0] >= level:
            ends[open_at.pop()] = line - 1
        open_at.append(index)
    return tuple(
        Heading(level=level, title=title, line=line, end=end)
        for (level, title, line), end in zip(found, ends, strict=True)
    )


def _items(tokens: Sequence[Token], lines: Sequence[str]) -> list[Item]:
    items: list[Item] = []
    ordered: list[bool] = []
    for token in tokens:
        match token.type:
            case "bullet_list_open" | "ordered_list_open":
                ordered.append(token.type == "ordered_list_open")
            case "bullet_list_close" | "ordered_list_close":
                ordered.pop()
            case "list_item_open" if token.map:
                start, end = token.map
                while end > start + 1 and not lines[end - 1].strip():
                    end -= 1
                items.append(_item(start, end, len(ordered) - 1, lines, ordered=ordered[-1]))
            case _:
                pass
    return items


def _item(start: int, end: int, depth: int, lines: Sequence[str], *, ordered: bool) -> Item:
    line = lines[start]
    marker = _ITEM.match(line)
    offset = marker.end() if marker else 0
    box = marker[1] if marker else None
    return Item(
        text=line[offset:].strip(),
        line=start + 1,
        end=end,
        column=offset + 1,
        depth=depth,
        ordered=ordered,
        checked=None if box is None else box in "xX",
    )


def _tables(tokens: Sequence[Token], lines: Sequence[str]) -> list[Table]:
    tables: list[Table] = []
    rows: list[int] = []
    start = end = 0
    for token in tokens:
        if token.type == "table_open" and token.map:
            rows = []
            start, end = token.map
        elif token.type == "tr_open" and token.map:
            rows.append(token.map[0])
        elif token.type == "table_close" and rows:
            tables.append(_table(start, end, rows, lines))
    return tables


def _table(start: int, end: int, rows: Sequence[int], lines: Sequence[str]) -> Table:
    cells = [cells_of(lines[row], row + 1) for row in rows]
    return Table(header=cells[0], rows=tuple(cells[1:]), line=start + 1, end=end)


def cells_of(line: str, number: int) -> tuple[Cell, ...]:
    """Split a table row at its pipes, except escaped ones."""
    bounds = [-1]
    bounds += [match.start() for match in re.finditer(r"(?<!\\)\|", line)]
    bounds.append(len(line))
    cells: list[Cell] = []
    for left, right in pairwise(bounds):
        raw = line[left + 1 : right]
        text = raw.strip()
        column = left + 2 + (len(raw) - len(raw.lstrip()))
        cells.append(Cell(text=text.replace("\\|", "|"), line=number, column=column))
    if len(cells) > 1 and not cells[0].text:
        cells = cells[1:]
    if len(cells) > 1 and not cells[-1].text and line.rstrip().endswith("|"):
        cells = cells[:-1]
    return tuple(cells)


def _fence(token: Token, lines: Sequence[str]) -> Fence:
    assert token.map
    start, end = token.map
    last = lines[end - 1].strip() if end > start + 1 else ""
    return Fence(
        info=token.info.strip(),
        text=token.content,
        line=start + 1,
        end=end,
        closed=last.startswith(token.markup[0] * len(token.markup)) and not last.strip(token.markup[0] + "> "),
    )
