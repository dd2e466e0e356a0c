"""What the terminal format needs to know about where it is shown."""

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
        """The screen behind a stream: colours only on a terminal, `NO_COLOR` and `FORCE_COLOR` honoured."""
        on_terminal = stream.isatty()
        colour = on_terminal and environ.get("TERM") != "dumb"
        if environ.get("FORCE_COLOR"):
            colour = True
        if environ.get("NO_COLOR"):
            colour = False
        columns = _columns(environ) or (_columns_of(stream) if on_terminal else 0) or 80
        return cls(width=min(max(columns, NARROWEST), WIDEST), colour=colour)


def _columns(environ: Mapping[str, str]) -> int:
    columns = environ.get("COLUMNS", "")
    return int(columns) if columns.isdecimal() and len(columns) < 5 else 0


def _columns_of(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        return 0
