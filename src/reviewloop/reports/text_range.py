"""The exact range in a text that a finding is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reviewloop.core.types.finding import Finding

_NEWLINE = re.compile(r"\r\n|\n|\r")
_WORD = re.compile(r"\w+(?:[-'./]\w+)*|\S+")
# A longer quote is found by its start, and the range ends there.
_QUOTE_LIMIT = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """A range in a file. Lines and columns count from 1, in characters; `end_column` is exclusive.

    A region without columns covers whole lines.
    """

    line: int
    end_line: int
    column: int | None = None
    end_column: int | None = None


def lines_of(text: str) -> tuple[str, ...]:
    return tuple(_NEWLINE.split(text))


def region_of(finding: Finding, lines: Sequence[str]) -> Region | None:
    """The range of the finding's quote if the text has it, else of the word at its column, else its line."""
    line, column = finding.place.line, finding.place.column
    if line is None or line < 1:
        return _quoted(finding.quote, lines, first=1, column=1, within=len(lines))
    if line > len(lines):
        return Region(line=line, end_line=line, column=column if column and column > 0 else None)
    text = lines[line - 1]
    if column is None or not 1 <= column <= len(text) + 1:
        column = None
    quoted = _quoted(finding.quote, lines, first=line, column=column or 1, within=1)
    if quoted or column is None:
        return quoted or Region(line=line, end_line=line)
    word = _WORD.match(text, column - 1)
    return Region(line=line, end_line=line, column=column, end_column=word.end() + 1 if word else column)


def _quoted(quote: str | None, lines: Sequence[str], *, first: int, column: int, within: int) -> Region | None:
    """The range of the quote, if it starts in the `within` lines from `first` on. All white space is equal."""
    words = (quote or "")[:_QUOTE_LIMIT].split()
    if not words:
        return None
    span = (quote or "").count("\n") + 1
    text = "\n".join(lines[first - 1 : first - 1 + within + span])
    pattern = re.compile(r"\s++".join(re.escape(word) for word in words))
    found = pattern.search(text, column - 1) or pattern.search(text)
    if found is None:
        return None
    start, end = text.count("\n", 0, found.start()), text.count("\n", 0, found.end())
    if start >= within:
        return None
    return Region(
        line=first + start,
        end_line=first + end,
        column=found.start() - text.rfind("\n", 0, found.start()),
        end_column=found.end() - text.rfind("\n", 0, found.end()),
    )
