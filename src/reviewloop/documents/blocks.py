"""Headings, lists, tables and code blocks, found by markdown-it's block rules. Inline text is left alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from reviewloop.documents.model import Cell, Fence, Heading, Item, Table

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_ITEM = re.compile(r"^[ \t>]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)(?:\[([ xX~/-])\](?:[ \t]+|$))?")
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
            title = _ANCHOR.sub("", tokens[index + 1].content.strip())
            found.append((int(token.tag[1]), title, token.map[0] + 1))
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
                line = lines[start]
                mark = _ITEM.match(line)
                at = mark.end() if mark else 0
                while end > start + 1 and not lines[end - 1].strip():
                    end -= 1
                box = mark[1] if mark else None
                items.append(
                    Item(
                        text=line[at:].strip(),
                        line=start + 1,
                        end=end,
                        column=at + 1,
                        depth=len(ordered) - 1,
                        ordered=ordered[-1],
                        checked=None if box is None else box in "xX",
                    )
                )
            case _:
                pass
    return items


def _tables(tokens: Sequence[Token], lines: Sequence[str]) -> list[Table]:
    tables: list[Table] = []
    rows: list[tuple[Cell, ...]] = []
    start = end = 0
    for token in tokens:
        if token.type == "table_open" and token.map:
            rows = []
            start, end = token.map
        elif token.type == "tr_open" and token.map:
            number = token.map[0]
            rows.append(cells_of(lines[number], number + 1))
        elif token.type == "table_close" and rows:
            tables.append(Table(header=rows[0], rows=tuple(rows[1:]), line=start + 1, end=end))
    return tables


def cells_of(line: str, number: int) -> tuple[Cell, ...]:
    """A table row, cut at its pipes; an escaped pipe belongs to its cell."""
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
