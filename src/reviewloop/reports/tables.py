"""Tables of figures, in every format: for people, pages, spreadsheets and programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from reviewloop.reports.safe_text import one_line

_BAR = 24
_EIGHTHS = " ▏▎▍▌▋▊▉█"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A title, columns and rows. `shares`, from 0 to 1, are what a chart beside the rows shows."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    shares: tuple[float, ...] = ()


def bar(share: float, width: int = _BAR) -> str:
    """A bar of block characters, `width` cells for 1."""
    eighths = round(min(max(share, 0.0), 1.0) * width * 8)
    full, rest = divmod(eighths, 8)
    return "█" * full + (_EIGHTHS[rest] if rest else "")


def as_text(tables: Sequence[Table]) -> str:
    return "\n\n".join(_text(table) for table in tables if table.rows) + "\n"


def as_markdown(tables: Sequence[Table]) -> str:
    blocks: list[str] = []
    for table in tables:
        if table.rows:
            lines = [table.columns, tuple("---" for _ in table.columns), *table.rows]
            cells = ("| " + " | ".join(_inline(cell) for cell in line) + " |" for line in lines)
            blocks.append(f"## {table.title}\n\n" + "\n".join(cells))
    return "\n\n".join(blocks) + "\n"


def as_csv(tables: Sequence[Table]) -> str:
    """One block a table, the table's title in the first column. A cell that a spreadsheet would run is made text."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for table in tables:
        if table.rows:
            writer.writerow(("table", *table.columns))
            writer.writerows((table.title, *(_inert(one_line(cell)) for cell in row)) for row in table.rows)
    return out.getvalue()


def as_html(tables: Sequence[Table], title: str) -> str:
    """A page of its own: no scripts, nothing loaded."""
    body = "\n".join(_html(table) for table in tables if table.rows)
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


def _text(table: Table) -> str:
    rows = [tuple(one_line(cell) for cell in row) for row in table.rows]
    widths = [max(len(line[at]) for line in (table.columns, *rows)) for at in range(len(table.columns))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(table.columns, widths, strict=True)).rstrip()]
    for number, row in enumerate(rows):
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        chart = f"  {bar(table.shares[number])}" if table.shares else ""
        lines.append(f"{line}{chart}".rstrip())
    return "\n".join([table.title, *(f"  {line}" for line in lines)])


def _html(table: Table) -> str:
    def row(cells: Sequence[str], tag: str, share: float | None = None) -> str:
        chart = f'<td><meter value="{share:.3f}"></meter></td>' if share is not None else ""
        return "<tr>" + "".join(f"<{tag}>{escape(one_line(cell))}</{tag}>" for cell in cells) + chart + "</tr>"

    shares: Sequence[float | None] = table.shares or [None] * len(table.rows)
    rows = [row(cells, "td", share) for cells, share in zip(table.rows, shares, strict=True)]
    head = row((*table.columns, "") if table.shares else table.columns, "th")
    return f"<h2>{escape(table.title)}</h2>\n<table>\n{head}\n" + "\n".join(rows) + "\n</table>"


def _inline(cell: str) -> str:
    """A cell that is neither a column more nor a tag."""
    return one_line(cell).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def _inert(cell: str) -> str:
    return f"'{cell}" if cell[:1] in "=+@" or (cell[:1] == "-" and not cell[1:2].isdigit()) else cell
