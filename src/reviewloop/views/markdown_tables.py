"""Changing single rows of Markdown tables that people also write in: every byte that is not ours stays.

A row is ours if it carries a comment with an id: `| Missing limit <!-- S1 --> | 2 | ...`. Of our rows only the cells
that count something are changed; what people reworded in them stays too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_MARK = re.compile(r"<!-- ([SQ]\d+) -->")
_CELL_END = re.compile(r"(?<!\\)\|")
_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_RULE = re.compile(r":?-+:?")


class Broken(Exception):
    """A table that somebody changed into something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of ours. `counted` are the positions of the cells that are kept up to date."""

    id: str
    cells: tuple[str, ...]
    counted: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Lines from `start` up to, not including, `end`."""

    start: int
    end: int


def newline_of(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def marked(text: str) -> set[str]:
    """The ids of all rows of ours."""
    return set(_MARK.findall(text))


def cell(text: str) -> str:
    """A text that stays inside its cell and is no mark."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<!--", "&lt;!--")


def with_table(text: str, heading: str, columns: Sequence[str], rows: Sequence[Row]) -> str:
    """The text with exactly these rows of ours in the table under a heading, besides everybody else's.

    Raises:
        Broken: What is under the heading is no such table; says which line.
    """
    newline = newline_of(text)
    lines = text.splitlines(keepends=True)
    section = _section(lines, heading)
    if section is None:
        _refuse_open_fence(lines)
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        table = [f"## {heading}", *_head(columns), *(_line(row) for row in rows)]
        return text + gap + newline.join(table) + newline
    span = _table(lines, section)
    if span is None:
        _close(lines, section.start, newline)
        made = [f"{line}{newline}" for line in (*_head(columns), *(_line(row) for row in rows))]
        return "".join([*lines[: section.start + 1], *made, *lines[section.start + 1 :]])
    _check(lines, span, heading, columns)
    return "".join(
        [*lines[: span.start + 2], *_rows(lines[span.start + 2 : span.end], rows, newline), *lines[span.end :]]
    )


def rows_in(text: str, heading: str, columns: int) -> list[Row]:
    """All rows of a table; the id is empty if a row is not ours. What is no row is left out."""
    lines = text.splitlines(keepends=True)
    section = _section(lines, heading)
    span = _table(lines, section) if section else None
    found: list[Row] = []
    for line in lines[span.start + 2 : span.end] if span else ():
        mark = _MARK.search(line)
        cells = [_plain(one) for one in _cells(line)]
        if len(cells) == columns and cells[0]:
            found.append(Row(id=mark[1] if mark else "", cells=tuple(cells)))
    return found


def bullets(text: str, heading: str) -> list[str]:
    """The items of a list under a heading."""
    lines = text.splitlines()
    section = _section(lines, heading)
    inside = lines[section.start + 1 : section.end] if section else []
    return [line.strip()[2:].strip() for line in inside if line.strip().startswith(("- ", "* "))]


def with_bullet(text: str, heading: str, item: str) -> str:
    """The text with one more item in the list under a heading."""
    newline = newline_of(text)
    lines = text.splitlines(keepends=True)
    section = _section(lines, heading)
    line = f"- {' '.join(item.split())}{newline}"
    if section is None:
        _refuse_open_fence(lines)
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        return f"{text}{gap}## {heading}{newline}{line}"
    at = max(n for n in range(section.start, section.end) if lines[n].strip())
    _close(lines, at, newline)
    return "".join([*lines[: at + 1], line, *lines[at + 1 :]])


def with_block(text: str, name: str, body: str) -> str:
    """The text with what stands between our two comments replaced; they come last if they are not there yet.

    Raises:
        Broken: One of the two comments is gone.
    """
    newline = newline_of(text)
    begin, end = f"<!-- reviewloop {name} -->", f"<!-- /reviewloop {name} -->"
    made = newline.join([begin, *body.splitlines(), end])
    if text.count(begin) != text.count(end) or text.count(begin) > 1 or text.find(end) < text.find(begin):
        raise Broken(f"the comments {begin} and {end} do not belong together any more")
    if begin in text:
        return text[: text.index(begin)] + made + text[text.index(end) + len(end) :]
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    return f"{text}{gap}{made}{newline}"


def _fenced(lines: Sequence[str]) -> list[bool]:
    """Which lines are part of a code block."""
    inside: list[bool] = []
    fence = ""
    for line in lines:
        if found := _FENCE.match(line):
            inside.append(True)
            fence = "" if fence == found[1] else fence or found[1]
        else:
            inside.append(bool(fence))
    return [*inside, bool(fence)]


def _refuse_open_fence(lines: Sequence[str]) -> None:
    """What comes after a code block that nobody closed would be part of it."""
    if _fenced(lines)[-1]:
        raise Broken("a code block in it is never closed")


def _section(lines: Sequence[str], heading: str) -> Span | None:
    start: int | None = None
    code = _fenced(lines)
    for number, line in enumerate(lines):
        if not code[number] and line.startswith(("# ", "## ")):
            if start is not None:
                return Span(start=start, end=number)
            if line.startswith("## ") and line[3:].strip().lower() == heading.lower():
                start = number
    return None if start is None else Span(start=start, end=len(lines))


def _table(lines: Sequence[str], section: Span) -> Span | None:
    at = [n for n in range(section.start + 1, section.end) if lines[n].lstrip().startswith("|")]
    if not at:
        return None
    end = at[0]
    while end < section.end and lines[end].lstrip().startswith("|"):
        end += 1
    return Span(start=at[0], end=end)


def _check(lines: Sequence[str], span: Span, heading: str, columns: Sequence[str]) -> None:
    found = [one.strip().lower() for one in _cells(lines[span.start])]
    if found != [one.lower() for one in columns]:
        raise Broken(f"line {span.start + 1}: the table under `{heading}` has other columns than {', '.join(columns)}")
    rule = _cells(lines[span.start + 1]) if span.end > span.start + 1 else []
    if len(rule) != len(columns) or not all(_RULE.fullmatch(one.strip()) for one in rule):
        raise Broken(f"line {span.start + 2}: the line below the columns of `{heading}` is gone")
    for number in range(span.start + 2, span.end):
        if len(_cells(lines[number])) != len(columns):
            raise Broken(f"line {number + 1}: this row of `{heading}` does not have {len(columns)} cells")


def _rows(lines: Sequence[str], rows: Sequence[Row], newline: str) -> list[str]:
    """Everybody else's lines as they are, ours brought up to date, new ones of ours last."""
    wanted = {row.id: row for row in rows}
    kept: list[str] = []
    for line in lines:
        mark = _MARK.search(line)
        if mark is None:
            kept.append(line)
        elif row := wanted.pop(mark[1], None):
            kept.append(_counted(line, row))
    if kept and wanted:
        _close(kept, len(kept) - 1, newline)
    return kept + [f"{_line(row)}{newline}" for row in wanted.values()]


def _counted(line: str, row: Row) -> str:
    parts = _CELL_END.split(line)
    for position in row.counted:
        if parts[position + 1].strip() != row.cells[position]:
            parts[position + 1] = f" {row.cells[position]} "
    return "|".join(parts)


def _cells(line: str) -> list[str]:
    return _CELL_END.split(line.strip())[1:-1] if line.rstrip().endswith("|") else []


def _plain(text: str) -> str:
    """What `cell` was made from."""
    return _MARK.sub("", text).strip().replace("\\|", "|").replace("\\\\", "\\").replace("&lt;!--", "<!--")


def _head(columns: Sequence[str]) -> list[str]:
    return [f"| {' | '.join(columns)} |", "|" + "|".join("-" * (len(one) + 2) for one in columns) + "|"]


def _line(row: Row) -> str:
    first, *others = row.cells
    return "| " + " | ".join([f"{first} <!-- {row.id} -->", *others]) + " |"


def _close(lines: list[str], at: int, newline: str) -> None:
    """See to it that a line ends before another one follows."""
    if not lines[at].endswith(("\n", "\r")):
        lines[at] += newline
