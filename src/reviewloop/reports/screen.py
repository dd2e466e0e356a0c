"""The screen that the terminal format is shown on."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO

WIDEST = 140
NARROWEST = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """A width in cells, and whether colours can be seen."""

    width: int = 80
    colour: bool = False

    @classmethod
    def of(cls, stream: TextIO, environ: Mapping[str, str]) -> Screen:
        """The screen behind a stream. Colours only on a terminal, unless `FORCE_COLOR` or `NO_COLOR` is set."""
        colour = stream.isatty() and environ.get("TERM") != "dumb"
        if environ.get("FORCE_COLOR"):
            colour = True
        if environ.get("NO_COLOR"):
            colour = False
        return cls(width=min(terminal_columns(stream, environ) or 80, WIDEST), colour=colour)


def terminal_columns(stream: TextIO, environ: Mapping[str, str]) -> int | None:
    """`COLUMNS`, else the width of the terminal behind the stream; at least 40. None if there is no terminal."""
    given = environ.get("COLUMNS", "")
    columns = int(given) if given.isdecimal() and len(given) < 5 else 0
    if not columns and stream.isatty():
        try:
            columns = os.get_terminal_size(stream.fileno()).columns
        except (OSError, ValueError):
            columns = 0
    return max(columns, NARROWEST) if columns else None
