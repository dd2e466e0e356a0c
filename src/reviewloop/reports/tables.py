"""Tables of figures as terminal text, Markdown, CSV and HTML."""

from __future__ import annotations

import csv
import io
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import zip_longest

from rich.cells import cell_len

from reviewloop.reports.safe_text import one_line
from reviewloop.reports.screen import Screen, terminal_columns
from reviewloop.reports.wrapped_lines import Page, Piece, wrapped

_BAR = 24
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_LONGEST_WORD = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A title, columns and rows. A bar beside each row shows its share, from 0 to 1.

    Without rows, the table is left out, unless `empty` says what to print instead.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    shares: tuple[float, ...] = ()
    empty: str = ""


def bar(share: float, width: int = _BAR) -> str:
    """A bar of block characters, `width` cells for a share of 1."""
    eighths = round(min(max(share, 0.0), 1.0) * width * 8)
    full, rest = divmod(eighths, 8)
    return "█" * full + (_EIGHTHS[rest] if rest else "")


def as_text(tables: Sequence[Table], width: int | None = None) -> str:
    """The tables in lines of at most `width` cells: by default the terminal's width, and no limit in a pipe or file."""
    if width is None and sys.stdout.isatty():
        width = terminal_columns(sys.stdout, os.environ)
    room = width or sys.maxsize
    return "\n\n".join(_text(table, room) for table in tables if table.rows or table.empty) + "\n"


def as_markdown(tables: Sequence[Table]) -> str:
    blocks: list[str] = []
    for table in tables:
        lines = [table.columns, tuple("---" for _ in table.columns), *table.rows] if table.rows else []
        cells = ("| " + " | ".join(_markdown_cell(cell) for cell in line) + " |" for line in lines)
        if table.rows or table.empty:
            blocks.append(f"## {table.title}\n\n" + ("\n".join(cells) or table.empty))
    return "\n\n".join(blocks) + "\n"


def as_csv(tables: Sequence[Table]) -> str:
    """One block per table, with its title in the first column. Cells that a spreadsheet would run become text."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for table in tables:
        if table.rows:
            writer.writerow(("table", *table.columns))
            writer.writerows((table.title, *(_inert(one_line(cell)) for cell in row)) for row in table.rows)
    return out.getvalue()


def as_html(tables: Sequence[Table], title: str) -> str:
    """A complete page without scripts or external files."""
    body = "\n".join(_html(table) for table in tables if table.rows or table.empty)
    return f"""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }}
table {{ border-collapse: collapse; }}
th, td {{ border-bottom: 1px solid #8884; padding: .25rem .75rem; text-align: left; }}
meter {{ width: 8rem; }}
</style>
</head>
<body>
<h1>{escape(title)}</h1>
{body}
</body>
</html>
"""


def _text(table: Table, width: int) -> str:
    page = Page(Screen(width=width))
    page.text(one_line(table.title))
    if not table.rows:
        page.text(table.empty, Piece(text="  "))
        return str(page)
    header, *rows = [tuple(one_line(cell) for cell in row) for row in (table.columns, *table.rows)]
    columns = list(zip(header, *rows, strict=True))
    widths = _widths(columns, width - 2 * len(columns))
    if widths is None:
        _show_records(page, header, rows)
        return str(page)
    with_bars = bool(table.shares) and sum(widths) + 2 * len(columns) + 2 + _BAR <= width
    for number, row in enumerate([header, *rows]):
        cells = [list(wrapped(cell, room)) for cell, room in zip(row, widths, strict=True)]
        chart = bar(table.shares[number - 1]) if with_bars and number else ""
        for position, parts in enumerate(zip_longest(*cells, fillvalue="")):
            padded = (part + " " * (room - cell_len(part)) for part, room in zip(parts, widths, strict=True))
            page.line(Piece(text="  " + "  ".join((*padded, chart if position == 0 else ""))))
    return str(page)


def _widths(columns: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """The columns' widths, the widest narrowed first until all fit; None if that would break words."""
    widths = [min(max(map(cell_len, cells)), max(room, 1)) for cells in columns]
    words = [max(cell_len(word) for cell in cells for word in cell.split(" ")) for cells in columns]
    while sum(widths) > room:
        wide = [at for at, width in enumerate(widths) if width > min(words[at], _LONGEST_WORD)]
        if not wide:
            return None
        widths[max(wide, key=widths.__getitem__)] -= 1
    return widths


def _show_records(page: Page, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """One block per row, with a line per column, for a table that is too wide for the terminal."""
    label = max(map(len, columns))
    for name, *cells in rows:
        page.text(name, Piece(text="  "))
        for column, cell in zip(columns[1:], cells, strict=True):
            page.text(cell, Piece(text=f"    {column:<{label}}  "))


def _html(table: Table) -> str:
    def row(cells: Sequence[str], tag: str, share: float | None = None) -> str:
        chart = f'<td><meter value="{share:.3f}"></meter></td>' if share is not None else ""
        return "<tr>" + "".join(f"<{tag}>{escape(one_line(cell))}</{tag}>" for cell in cells) + chart + "</tr>"

    if not table.rows:
        return f"<h2>{escape(table.title)}</h2>\n<p>{escape(table.empty)}</p>"
    shares: Sequence[float | None] = table.shares or [None] * len(table.rows)
    rows = [row(cells, "td", share) for cells, share in zip(table.rows, shares, strict=True)]
    head = row((*table.columns, "") if table.shares else table.columns, "th")
    return f"<h2>{escape(table.title)}</h2>\n<table>\n{head}\n" + "\n".join(rows) + "\n</table>"


def _markdown_cell(cell: str) -> str:
    """The cell with everything escaped that would end it or start a tag."""
    return one_line(cell).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def _inert(cell: str) -> str:
    """The cell with a quote before characters that start a formula."""
    return f"'{cell}" if cell[:1] in "=+@" or (cell[:1] == "-" and not cell[1:2].isdigit()) else cell
