"""A source line with carets below what is meant, cut to fit."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len

from reviewloop.reports.finding_places import Located
from reviewloop.reports.safe_text import printable

_CUT = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """One line in three parts, all harmless to print; without a mark everything is in `before`."""

    before: str
    marked: str = ""
    after: str = ""

    @property
    def carets(self) -> str:
        """Spaces and carets to print below the line; empty if nothing is marked."""
        return " " * cell_len(self.before) + "^" * cell_len(self.marked) if self.marked else ""


def snippet(one: Located, width: int) -> Snippet | None:
    """The finding's line in at most `width` cells, cut around what is marked."""
    if one.source is None or one.region is None or not one.source.strip():
        return None
    if one.region.column is None:
        return Snippet(before=_head(one.source, width))
    start = one.region.column - 1
    end = one.region.end_column - 1 if one.region.end_column and one.region.end_line == one.region.line else None
    marked = _head(one.source[start:end] or " ", width - min(start, width // 4))
    before = printable(one.source[max(start - width, 0) : start])
    room = width - cell_len(marked)
    after = one.source[end:] if end is not None else ""
    if start > width or cell_len(before) + min(cell_len(printable(after[:width])), room) > room:
        before = _tail(one.source[:start], room * 2 // 3)
    return Snippet(before=before, marked=marked, after=_head(after, room - cell_len(before)))


def _head(text: str, width: int) -> str:
    """The beginning of the text in at most `width` cells."""
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
