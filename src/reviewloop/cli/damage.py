"""How commands that list sessions report those that cannot be read."""

from __future__ import annotations

from collections.abc import Iterable

from reviewloop.app.catalog import Damaged
from reviewloop.cli.output import message
from reviewloop.errors import DamagedRecord, ExitCode


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
