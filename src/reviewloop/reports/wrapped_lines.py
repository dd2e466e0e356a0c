"""Lines for a screen: text wrapped by cells with a hanging indent, in colours if the screen has them.

Written by hand because loading rich's console would take a fifth of the time that a small review takes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.cells import cell_len

from reviewloop.reports.screen import Screen

_CODES = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "cyan": "36",
    "bold red": "1;31",
    "bold green": "1;32",
    "bold yellow": "1;33",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a line, in one style."""

    text: str
    style: str = ""


class Page:
    """The lines to show, from the top. Texts must be on one line and safe to print."""

    def __init__(self, screen: Screen) -> None:
        self.width = screen.width
        self._colour = screen.colour
        self._lines: list[str] = []

    def blank(self) -> None:
        self._lines.append("")

    def line(self, *pieces: Piece) -> None:
        """Add a line without wrapping it."""
        self._lines.append("".join(self._painted(piece) for piece in pieces))

    def text(self, text: str, *lead: Piece, style: str = "") -> None:
        """Add a text after its lead; wrapped lines are indented to the text's start."""
        indent = sum(cell_len(piece.text) for piece in lead)
        for number, part in enumerate(wrapped(text, self.width - indent)):
            start = lead if number == 0 else (Piece(text=" " * indent),)
            self.line(*start, Piece(text=part, style=style))

    def __str__(self) -> str:
        return "\n".join(line.rstrip() for line in self._lines)

    def _painted(self, piece: Piece) -> str:
        return painted(piece) if self._colour else piece.text


def painted(piece: Piece) -> str:
    """The text with the escape sequences of its style around it."""
    if not piece.style or not piece.text:
        return piece.text
    return f"\x1b[{_CODES[piece.style]}m{piece.text}\x1b[0m"


def wrapped(text: str, width: int) -> Iterator[str]:
    """The text in lines of at most `width` cells, broken between words; longer words are broken too."""
    line, used = "", 0
    for word in text.split(" "):
        size = cell_len(word)
        if line and used + 1 + size > width:
            yield line
            line, used = "", 0
        if size > width:
            *full, word = _folded(word, width)
            yield from full
            size = cell_len(word)
        line, used = (f"{line} {word}", used + 1 + size) if line else (word, size)
    yield line


def _folded(word: str, width: int) -> Iterator[str]:
    start, used = 0, 0
    for at, char in enumerate(word):
        size = cell_len(char)
        if at > start and used + size > width:
            yield word[start:at]
            start, used = at, 0
        used += size
    yield word[start:]
