"""How commands speak: data on standard output, messages on standard error."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from reviewloop.errors import DamagedRecord, ExitCode

if TYPE_CHECKING:
    from rich.console import Console

    from reviewloop.app.catalog import Damaged
    from reviewloop.engine.context import Observer


PIPE_WIDTH = 200
"""How many cells a line may have where no terminal sets the width."""


def print_json(value: Any, *, indent: int | None = 2) -> None:
    from reviewloop.reports.safe_text import well_formed

    click.echo(well_formed(json.dumps(value, indent=indent, ensure_ascii=False, default=str)))


def message(text: str) -> None:
    """Say something. It may hold other people's words and file names, so nothing in it is left to be obeyed."""
    from reviewloop.reports.safe_text import printable

    click.echo("\n".join(printable(line) for line in text.split("\n")), err=True)


def console(*, stderr: bool = False) -> Console:
    """A console that wraps lines on a terminal and leaves them whole elsewhere, for grep and logs."""
    from rich.console import Console

    piped = not (sys.stderr if stderr else sys.stdout).isatty()
    width = PIPE_WIDTH if piped else None
    return Console(stderr=stderr, highlight=False, soft_wrap=piped, width=width, emoji=False, markup=False)


def print_table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print cells in columns. Only bold titles and cells that have to be folded need rich, which is slow to import."""
    lines = [titles, *rows]
    plain = None if _shows_bold() else _aligned(lines)
    if plain is not None:
        click.echo(plain)
        return
    from rich.table import Table

    table = Table(*lines[0], box=None, pad_edge=False)
    for column in table.columns:
        column.overflow = "fold"
    for row in lines[1:]:
        table.add_row(*row)
    console().print(table)


def _shows_bold() -> bool:
    """Whether rich writes escapes to standard output: on a terminal, or because the user asks for them."""
    asked = os.environ.get("FORCE_COLOR") or os.environ.get("TTY_COMPATIBLE") == "1"
    return bool(asked) or sys.stdout.isatty()


def _aligned(lines: Sequence[Sequence[str]]) -> str | None:
    """The lines with their cells padded; None if they do not fit, or if a cell is not just printable text."""
    from rich.cells import cell_len, set_cell_size

    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    fits = sum(widths) + 2 * (len(widths) - 1) <= PIPE_WIDTH
    if not fits or not all(cell.isprintable() for line in lines for cell in line):
        return None
    return "\n".join("  ".join(map(set_cell_size, line, widths)) for line in lines)


def is_terminal() -> bool:
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


@contextmanager
def progress(*, quiet: bool) -> Generator[tuple[Observer, ...]]:
    """Show progress on standard error while the block runs: live on a terminal, plain lines elsewhere."""
    if quiet:
        yield ()
        return
    from reviewloop.reports.live_progress import LiveProgress, PlainProgress

    watching = LiveProgress(console(stderr=True)) if is_terminal() else PlainProgress(message)
    with watching.screen:
        yield (watching,)


def warn(text: str) -> None:
    message(f"warning: {text}")


def report_damage(damaged: Iterable[Damaged]) -> ExitCode:
    """Name the sessions that are missing from what was shown. Exit code 3 if there are any: the list is not whole."""
    return report_errors(session.error for session in damaged)


def report_errors(errors: Iterable[DamagedRecord]) -> ExitCode:
    told = list(errors)
    for error in told:
        message(f"error: {error.message}")
    for hint in dict.fromkeys(error.hint for error in told):
        message(f"hint: {hint}")
    return DamagedRecord.exit_code if told else ExitCode.PASSED
