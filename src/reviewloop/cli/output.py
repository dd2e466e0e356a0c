"""How commands speak: data on standard output, messages on standard error."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from reviewloop.errors import DamagedRecord, ExitCode

if TYPE_CHECKING:
    from rich.console import Console

    from reviewloop.app.catalog import Damaged
    from reviewloop.engine.context import Observer


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
    width = 200 if piped else None
    return Console(stderr=stderr, highlight=False, soft_wrap=piped, width=width, emoji=False, markup=False)


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
