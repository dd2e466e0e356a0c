"""A source line with carets below the marked part, cut to the screen's width."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len

from reviewloop.reports.finding_places import Located
from reviewloop.reports.safe_text import printable

_CUT = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """A source line in three parts, all safe to print. Without a mark, the whole line is in `before`."""

    before: str
    marked: str = ""
    after: str = ""

    @property
    def carets(self) -> str:
        """The line of spaces and carets to print below; empty without a mark."""
        return " " * cell_len(self.before) + "^" * cell_len(self.marked) if self.marked else ""


def snippet(located: Located, width: int) -> Snippet | None:
    """The finding's line in at most `width` cells, cut around the mark."""
    source, region = located.source, located.region
    if source is None or region is None or not source.strip():
        return None
    if region.column is None:
        return Snippet(before=_head(source, width))
    start = region.column - 1
    end = region.end_column - 1 if region.end_column and region.end_line == region.line else None
    marked = _head(source[start:end] or " ", width - min(start, width // 4))
    before = printable(source[max(start - width, 0) : start])
    room = width - cell_len(marked)
    after = source[end:] if end is not None else ""
    if start > width or cell_len(before) + min(cell_len(printable(after[:width])), room) > room:
        before = _tail(source[:start], room * 2 // 3)
    return Snippet(before=before, marked=marked, after=_head(after, room - cell_len(before)))


def _head(text: str, width: int) -> str:
    """The start of the text in at most `width` cells."""
    shown = printable(text[: width + 1])
    if cell_len(shown) <= width:
        return shown
    while shown and cell_len(shown) > width - 1:
        shown = shown[:-1]
    return shown + _CUT if width > 0 else ""


def _tail(text: str, width: int) -> str:
    """The end of the text in at most `width` cells."""
    shown = printable(text[-width - 1 :] if width > 0 else "")
    if cell_len(shown) <= width:
        return shown
    while shown and cell_len(shown) > width - 1:
        shown = shown[1:]
    return _CUT + shown
