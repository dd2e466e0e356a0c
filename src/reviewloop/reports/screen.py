"""What the terminal format needs to know about where it is shown."""

from __future__ import annotations

import shutil
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
        columns = shutil.get_terminal_size((80, 24)).columns if on_terminal else _columns(environ)
        return cls(width=min(max(columns, NARROWEST), WIDEST), colour=colour)


def _columns(environ: Mapping[str, str]) -> int:
    columns = environ.get("COLUMNS", "")
    return int(columns) if columns.isdecimal() and len(columns) < 5 else 80
