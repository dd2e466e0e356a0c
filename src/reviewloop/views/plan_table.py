"""Updates single cells in the task table of a plan and changes no other byte."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reviewloop.documents.blocks import Blocks, read_blocks
from reviewloop.documents.model import Table
from reviewloop.views.markdown_tables import Broken
from reviewloop.views.plan_row import PlanRow

_PIPE = re.compile(r"(?<!\\)\|")
_IDS = ("#", "id", "no", "no.", "nr", "task id", "task #")
_TASK = "task"
_UPDATED: Mapping[str, str] = {
    "status": "status",
    "spec": "spec",
    "quality": "quality",
    "fix iterations": "fixes",
    "fixes": "fixes",
}
"""The columns that Reviewloop updates, each with its field of `PlanRow`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A task table for display."""

    path: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """A table line split at its pipes. `first` is the index of the first cell in `parts`."""

    parts: tuple[str, ...]
    first: int
    cells: tuple[str, ...]


def plans_in(path: str, text: str) -> list[Plan]:
    """The task tables of a document."""
    lines = _lines(text)
    return [
        Plan(
            path=path,
            columns=tuple(cell.text for cell in table.header),
            rows=tuple(tuple(cell.text for cell in row) for row in table.rows),
        )
        for table in _task_tables(read_blocks(lines), lines)
    ]


def with_row(text: str, names: Sequence[str], row: PlanRow) -> str | None:
    """The text with a task's row updated; None if no table has the row.

    Raises:
        Broken: The row or its table is damaged; says which line.
    """
    lines = text.split("\n")
    plain = _lines(text)
    blocks = read_blocks(plain)
    for name in names:
        found = [(table, at) for table in _task_tables(blocks, plain) for at in _rows_named(name, table, plain)]
        if len(found) > 1:
            raise Broken(f"line {found[1][1] + 1}: a second row is named {name}")
        if found:
            table, at = found[0]
            lines[at] = _updated(lines[at], at, plain[table.line - 1], row)
            return "\n".join(lines)
    if broken := next(_broken_tables(blocks, plain), None):
        raise Broken(f"line {broken + 1}: the task table has no line of dashes below its columns")
    return None


def without_cells(text: str) -> str:
    """The text without the cells that Reviewloop updates, to compare everything else."""
    lines = text.split("\n")
    plain = _lines(text)
    for table in _task_tables(read_blocks(plain), plain):
        columns = _columns(plain[table.line - 1])
        for at in range(table.line + 1, table.end):
            split = _split(lines[at])
            if len(split.cells) == len(columns):
                kept = [
                    "" if title in _UPDATED else cell.strip() for title, cell in zip(columns, split.cells, strict=True)
                ]
                lines[at] = "|".join(kept)
    return "\n".join(lines)


def _lines(text: str) -> list[str]:
    """The lines for the Markdown parser, which would take a carriage return inside a line for its end."""
    return [line.rstrip("\r").replace("\r", " ") for line in text.split("\n")]


def _task_tables(blocks: Blocks, lines: Sequence[str]) -> list[Table]:
    return [table for table in blocks.tables if _is_task_table(_columns(lines[table.line - 1]))]


def _is_task_table(columns: Sequence[str]) -> bool:
    return "status" in columns and any(title in columns for title in (*_IDS, _TASK))


def _columns(header: str) -> list[str]:
    return [_bare(cell).lower() for cell in _split(header).cells]


def _bare(cell: str) -> str:
    return cell.strip().strip("*_`").strip()


def _rows_named(name: str, table: Table, lines: Sequence[str]) -> Iterator[int]:
    """The lines of the table's rows with this id, or with a task that starts with it."""
    columns = _columns(lines[table.line - 1])
    for at in range(table.line + 1, table.end):
        cells = dict(zip(columns, _split(lines[at]).cells, strict=False))
        ids = [_bare(cells[title]) for title in _IDS if title in cells]
        if any(_is_id(text, name) for text in ids) or _starts_with(cells.get(_TASK, ""), name):
            yield at


def _is_id(text: str, name: str) -> bool:
    wanted = name.lower()
    return text.lower() in (wanted, f"#{wanted}", f"task {wanted}", f"t{wanted}")


def _starts_with(task: str, name: str) -> bool:
    """Whether the task starts with the name in backticks, in bold or before a colon."""
    quoted = re.escape(name)
    marked = rf"[`*_]+{quoted}[`*_]+(?![\w-])|{quoted}(?::|$)"
    return re.match(marked, task.strip(), re.IGNORECASE) is not None


def _updated(line: str, at: int, header: str, row: PlanRow) -> str:
    split, titles = _split(line), _split(header).cells
    if len(split.cells) != len(titles):
        raise Broken(f"line {at + 1}: this row has {len(split.cells)} cells, but the table has {len(titles)} columns")
    parts = list(split.parts)
    for index, title in enumerate(titles, split.first):
        if field := _UPDATED.get(_bare(title).lower()):
            parts[index] = _filled(parts[index], getattr(row, field), len(title))
    return "|".join(parts)


def _filled(cell: str, text: str, width: int) -> str:
    """The cell with a new text, padded to the column's width if the table is aligned."""
    if cell.strip() == text:
        return cell
    end = "\r" if cell.endswith("\r") else ""
    cell = cell.removesuffix("\r")
    lead = cell[: len(cell) - len(cell.lstrip())] if cell.strip() else cell[:1]
    new = f"{lead}{text}{' ' if cell[-1:].isspace() else ''}"
    return f"{new.ljust(width) if len(cell) == width else new}{end}"


def _split(line: str) -> _Row:
    parts = _PIPE.split(line)
    first = 1 if not parts[0].strip() and len(parts) > 1 else 0
    last = len(parts) - 1 if not parts[-1].strip() and len(parts) > first + 1 else len(parts)
    return _Row(parts=tuple(parts), first=first, cells=tuple(parts[first:last]))


def _broken_tables(blocks: Blocks, lines: Sequence[str]) -> Iterator[int]:
    """Lines that look like the header of a task table but belong to no table."""
    known = {at for table in blocks.tables for at in range(table.line - 1, table.end)}
    fenced = {at for fence in blocks.fences for at in range(fence.line - 1, fence.end)}
    for at, line in enumerate(lines):
        if at not in known and at not in fenced and line.lstrip().startswith("|") and _is_task_table(_columns(line)):
            yield at
