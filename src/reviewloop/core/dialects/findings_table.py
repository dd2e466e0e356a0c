"""Reads the rows of a reviewer's findings table, whatever its columns, and what was meant as one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING

from reviewloop.core.dialects.verdict_words import fold, says
from reviewloop.core.types.rubric import Rubric

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_STATUS_HEADERS = ("status", "result", "verdict", "passfail", "outcome", "assessment", "state", "judgement", "judgment")
_DIMENSION_HEADERS = ("dimension", "criterion", "criteria", "check", "area", "aspect", "item", "category")
_FINDING_HEADERS = (
    "finding",
    "findings",
    "note",
    "notes",
    "comment",
    "comments",
    "issue",
    "issues",
    "details",
    "evidence",
)
_MARKS = " \t*_`~:.!()[]\u2713\u2714\u2611\u2717\u2718\u2716\u2139\ufe0f\u2705\u274c\U0001f7e2\U0001f534"
_CROSSES = "\u2717\u2718\u2716\u274c"
_TICKS = "\u2713\u2714\u2611\u2705"
_DEPTH = 3
_SUMS = frozenset({"total", "overall", "sum", "summary", "score", "average", ""})
_WORD = 60


class Status(StrEnum):
    PASS = "PASS"
    FAIL = "FAIL"
    INFO = "INFO"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row: the dimension as written, its criterion if it is one of the rubric's, and the status."""

    dimension: str
    criterion: str | None
    status: Status
    word: str
    finding: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A Markdown table, with its source text."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    text: str


def findings_rows(text: str, rubric: Rubric, is_quoted: Callable[[str, bool], bool]) -> list[Row]:
    """The rows that judge a dimension, in tables of any shape, without quotations.

    `is_quoted` is asked about a text, and whether it says no.
    """
    if "|" not in text:
        return []
    rows: list[Row] = []
    for block in re.split(r"\n[ \t]*\n", text):  # no table has a blank line in it
        if "|" not in block:
            continue
        tables, rest = _tables(block)
        for table in tables:
            found = list(_rows_of(table, rubric))
            if found and not is_quoted(table.text, any(row.status is Status.FAIL for row in found)):
                rows += found
        for line in rest:
            row = _loose_row(line, rubric)
            if row and not is_quoted(line, row.status is Status.FAIL):
                rows.append(row)
    return rows


def status_of(cell: str) -> Status:
    """The status that a cell states, with or without marks around it."""
    word = cell.strip(_MARKS)[:_WORD].upper()
    if not word:
        return (
            Status.FAIL
            if any(c in cell for c in _CROSSES)
            else Status.PASS
            if any(c in cell for c in _TICKS)
            else Status.UNKNOWN
        )
    if word in ("PASS", "PASSED"):
        return Status.FAIL if any(cross in cell for cross in _CROSSES) else Status.PASS
    if word in ("INFO", "N/A", "NA", "NOTE"):
        return Status.INFO
    return Status.FAIL if re.match(r"FAIL(ED|S|ING|URE)?\b", word) or says(word) is False else Status.UNKNOWN


def criterion_of(dimension: str, rubric: Rubric) -> str | None:
    wanted = fold(dimension)
    return next((name for name in rubric.names if fold(name) == wanted), None)


def _rows_of(table: Table, rubric: Rubric) -> Iterator[Row]:
    folded = [fold(title) for title in table.header]
    columns = range(len(folded))
    known = {column: [status_of(row[column]) for row in table.rows] for column in columns}
    status = _titled(folded, _STATUS_HEADERS)
    if status is None:
        status = next((c for c in columns if any(word in (Status.PASS, Status.FAIL) for word in known[c])), None)
    if status is None:
        return
    dimension = _titled(folded, _DIMENSION_HEADERS)
    matching = {c: sum(criterion_of(row[c], rubric) is not None for row in table.rows) for c in columns if c != status}
    if not any(matching.values()) and dimension is None and all(word is Status.UNKNOWN for word in known[status]):
        return  # a table about something else that has a status
    if dimension is None or (matching.get(dimension, 0) < max(matching.values(), default=0)):
        numbered = {
            c for c in matching if all(not row[c].strip("#. ") or row[c].strip(" .").isdigit() for row in table.rows)
        }
        named = [c for c in matching if c not in numbered] or list(matching)
        dimension = max(named, key=lambda c: (matching[c], -c), default=status)
    finding = _titled(folded, _FINDING_HEADERS)
    for row in table.rows:
        words = (
            row[finding]
            if finding is not None
            else " ".join(
                row[c] for c in columns if c not in (status, dimension) and folded[c] not in ("", "no", "nr", "number")
            )
        )
        said = status_of(row[status])
        if any(fold(cell) in ("fail", "failed") for cell in row):
            said = Status.FAIL
        if said is Status.UNKNOWN and fold(row[dimension]) in _SUMS:
            continue
        yield Row(
            dimension=row[dimension].strip("*_` "),
            criterion=criterion_of(row[dimension], rubric),
            status=said,
            word=row[status].strip(),
            finding=words.strip(),
        )


def _titled(folded: Sequence[str], titles: Sequence[str]) -> int | None:
    return next((folded.index(title) for title in titles if title in folded), None)


def _loose_row(line: str, rubric: Rubric) -> Row | None:
    """A line that was meant as a row of a table that is none: it counts if it fails, or names a criterion."""
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    named = next((cell for cell in cells if criterion_of(cell, rubric)), "")
    stated = next((cell for cell in cells if status_of(cell) in (Status.PASS, Status.FAIL)), "")
    status = Status.FAIL if any(status_of(cell) is Status.FAIL for cell in cells) else status_of(stated)
    if len(cells) < 2 or (status is not Status.FAIL and (not named or not stated)):
        return None
    others = [cell for cell in cells if cell not in (named, stated) and not cell.strip("#. ").isdigit()]
    dimension = named or (others[0] if others else "")
    finding = " ".join(cell for cell in others if cell != dimension)
    return Row(
        dimension=dimension, criterion=criterion_of(dimension, rubric), status=status, word=stated, finding=finding
    )


def _tables(text: str, depth: int = _DEPTH) -> tuple[list[Table], list[str]]:
    """The tables of a text, also those inside its code fences, and the other lines that contain pipes."""
    lines = text.splitlines()
    tokens = _markdown().parse(text)
    tables: list[Table] = []
    rest: list[str] = []
    taken: set[int] = set()
    for number, token in enumerate(tokens):
        if token.type == "table_open" and token.map:
            tables.append(_table(tokens, number, "\n".join(lines[token.map[0] : token.map[1]])))
            taken.update(range(*token.map))
        elif token.type in ("fence", "code_block") and token.map and depth:
            inner, left = _tables(token.content, depth - 1)
            tables += inner
            rest += left
            taken.update(range(*token.map))
    rest += [line for number, line in enumerate(lines) if number not in taken and "|" in line]
    return tables, rest


def _table(tokens: Sequence[Token], start: int, text: str) -> Table:
    rows: list[list[str]] = []
    for token in tokens[start:]:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and rows:
            rows[-1].append(token.content)
        elif token.type == "table_close":
            break
    width = len(rows[0])
    filled = [tuple((row + [""] * width)[:width]) for row in rows]
    return Table(header=filled[0], rows=tuple(filled[1:]), text=text)


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")
