"""Updates Reviewloop's rows in Markdown tables that people also edit, and changes no other byte.

A row is Reviewloop's if it has a comment with an id: `| Missing limit <!-- S1 --> | 2 | ...`. In these rows only the
cells with counts are updated, so that people's rewording stays.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_MARK = re.compile(r"<!-- ([SQ]\d+) -->")
_CELL_END = re.compile(r"(?<!\\)\|")
_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_RULE = re.compile(r":?-+:?")


class Broken(Exception):
    """The file no longer has the shape that an update needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of Reviewloop's. `counted` are the positions of the cells to update."""

    id: str
    cells: tuple[str, ...]
    counted: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Lines from `start` to `end`, exclusive."""

    start: int
    end: int


def newline_of(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def marked(text: str) -> set[str]:
    """The ids of all rows of Reviewloop's."""
    return set(_MARK.findall(text))


def cell(text: str) -> str:
    """The text, escaped so that it stays inside its cell and is not taken for an id."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<!--", "&lt;!--")


def with_table(text: str, heading: str, columns: Sequence[str], rows: Sequence[Row]) -> str:
    """The text with exactly these rows of Reviewloop's in the table under the heading, besides people's own rows.

    Raises:
        Broken: The table under the heading has another shape; says which line.
    """
    newline = newline_of(text)
    lines = text.splitlines(keepends=True)
    section = _section(lines, heading)
    if section is None:
        _refuse_open_fence(lines)
        table = [f"## {heading}", *_head(columns), *(_line(row) for row in rows)]
        return _appended(text, newline.join(table), newline)
    span = _table(lines, section)
    if span is None:
        _close(lines, section.start, newline)
        made = [f"{line}{newline}" for line in (*_head(columns), *(_line(row) for row in rows))]
        return "".join([*lines[: section.start + 1], *made, *lines[section.start + 1 :]])
    _check(lines, span, heading, columns)
    if rows:
        _close(lines, span.start + 1, newline)
    return "".join(
        [*lines[: span.start + 2], *_rows(lines[span.start + 2 : span.end], rows, newline), *lines[span.end :]]
    )


def with_marks(text: str, heading: str, columns: Sequence[str], ids: Mapping[str, str]) -> str:
    """The text with an id for each row of people's whose first cell is one of these texts.

    Raises:
        Broken: The table under the heading has another shape; says which line.
    """
    lines = text.splitlines(keepends=True)
    section = _section(lines, heading)
    span = _table(lines, section) if section else None
    if span is None or not ids:
        return text
    _check(lines, span, heading, columns)
    free = dict(ids)
    for number in range(span.start + 2, span.end):
        parts = _CELL_END.split(lines[number])
        name = None if _MARK.search(lines[number]) else free.pop(_unescaped(parts[1]), None)
        if name:
            parts[1] = f"{parts[1].rstrip()} <!-- {name} --> "
            lines[number] = "|".join(parts)
    return "".join(lines)


def rows_in(text: str, heading: str, columns: int) -> list[Row]:
    """All complete rows of a table; the id is empty for people's own rows."""
    lines = text.splitlines(keepends=True)
    section = _section(lines, heading)
    span = _table(lines, section) if section else None
    found: list[Row] = []
    for line in lines[span.start + 2 : span.end] if span else ():
        mark = _MARK.search(line)
        cells = [_unescaped(text) for text in _cells(line)]
        if len(cells) == columns and cells[0]:
            found.append(Row(id=mark[1] if mark else "", cells=tuple(cells)))
    return found


def bullets(text: str, heading: str) -> list[str]:
    """The items of the list under a heading."""
    lines = text.splitlines()
    section = _section(lines, heading)
    inside = lines[section.start + 1 : section.end] if section else []
    return [line.strip()[2:].strip() for line in inside if line.strip().startswith(("- ", "* "))]


def with_bullet(text: str, heading: str, item: str) -> str:
    """The text with one more item in the list under a heading."""
    newline = newline_of(text)
    lines = text.splitlines(keepends=True)
    section = _section(lines, heading)
    line = f"- {' '.join(item.split())}"
    if section is None:
        _refuse_open_fence(lines)
        return _appended(text, f"## {heading}{newline}{line}", newline)
    at = max(n for n in range(section.start, section.end) if lines[n].strip())
    _close(lines, at, newline)
    return "".join([*lines[: at + 1], f"{line}{newline}", *lines[at + 1 :]])


def with_block(text: str, name: str, body: str) -> str:
    """The text with a new body between Reviewloop's two comments, which are appended if they are missing.

    Raises:
        Broken: Only one of the two comments is there.
    """
    newline = newline_of(text)
    begin, end = f"<!-- reviewloop {name} -->", f"<!-- /reviewloop {name} -->"
    block = newline.join([begin, *body.splitlines(), end])
    if text.count(begin) != text.count(end) or text.count(begin) > 1 or text.find(end) < text.find(begin):
        raise Broken(f"the comments {begin} and {end} no longer form a pair")
    if begin in text:
        return text[: text.index(begin)] + block + text[text.index(end) + len(end) :]
    return _appended(text, block, newline)


def _appended(text: str, block: str, newline: str) -> str:
    """The text, an empty line and the block."""
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    return f"{text}{gap}{block}{newline}"


def _fenced(lines: Sequence[str]) -> list[bool]:
    """Whether each line is part of a code block; the last item says whether a block is still open at the end."""
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
    """Raise if a code block is open at the end, because appended text would become part of it."""
    if _fenced(lines)[-1]:
        raise Broken("it has a code block that is never closed")


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
    titles = [title.strip().lower() for title in _cells(lines[span.start])]
    if titles != [column.lower() for column in columns]:
        raise Broken(f"line {span.start + 1}: the table under `{heading}` needs the columns {', '.join(columns)}")
    rule = _cells(lines[span.start + 1]) if span.end > span.start + 1 else []
    if len(rule) != len(columns) or not all(_RULE.fullmatch(dashes.strip()) for dashes in rule):
        raise Broken(f"line {span.start + 2}: the line of dashes below the columns of `{heading}` is missing")
    for number in range(span.start + 2, span.end):
        if len(_cells(lines[number])) != len(columns):
            raise Broken(f"line {number + 1}: this row of `{heading}` needs {len(columns)} cells")


def _rows(lines: Sequence[str], rows: Sequence[Row], newline: str) -> list[str]:
    """People's rows unchanged, Reviewloop's rows updated, new rows last."""
    wanted = {row.id: row for row in rows}
    kept: list[str] = []
    for line in lines:
        mark = _MARK.search(line)
        if mark is None:
            kept.append(line)
        elif row := wanted.pop(mark[1], None):
            kept.append(_updated(line, row))
    if kept and wanted:
        _close(kept, len(kept) - 1, newline)
    return kept + [f"{_line(row)}{newline}" for row in wanted.values()]


def _updated(line: str, row: Row) -> str:
    parts = _CELL_END.split(line)
    for position in row.counted:
        if parts[position + 1].strip() != row.cells[position]:
            parts[position + 1] = f" {row.cells[position]} "
    return "|".join(parts)


def _cells(line: str) -> list[str]:
    return _CELL_END.split(line.strip())[1:-1] if line.rstrip().endswith("|") else []


def _unescaped(text: str) -> str:
    """The reverse of `cell`, without the id."""
    return _MARK.sub("", text).strip().replace("\\|", "|").replace("\\\\", "\\").replace("&lt;!--", "<!--")


def _head(columns: Sequence[str]) -> list[str]:
    return [f"| {' | '.join(columns)} |", "|" + "|".join("-" * (len(column) + 2) for column in columns) + "|"]


def _line(row: Row) -> str:
    first, *others = row.cells
    return "| " + " | ".join([f"{first} <!-- {row.id} -->", *others]) + " |"


def _close(lines: list[str], at: int, newline: str) -> None:
    """End a line before another line follows it."""
    if not lines[at].endswith(("\n", "\r")):
        lines[at] += newline
