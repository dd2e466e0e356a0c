"""`reviewloop diff`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reviewloop.cli.completion import sessions
from reviewloop.cli.options import config_option, json_option, with_project
from reviewloop.errors import ExitCode

if TYPE_CHECKING:
    from reviewloop.app.project import Project
    from reviewloop.app.revision_diff import RevisionDiff


@click.command()
@click.argument("name", shell_complete=sessions)
@config_option
@json_option
def diff(name: str, config_file: str | None, as_json: bool) -> ExitCode:
    """Show what a session's authors changed: the files before their first edit against the files after their last.

    The diff comes from the ledger: it stays the same when the files change later, or the session is undone.
    """
    from reviewloop.app.revision_diff import revision_diff
    from reviewloop.cli.output import message, print_json

    async def work(project: Project) -> ExitCode:
        found = await revision_diff(project, name)
        if as_json:
            print_json(_object(found))
            return ExitCode.PASSED
        print_diff(found)
        if not found.files:
            message(f"no author has changed a file in session {found.feature}")
        elif found.undone:
            message(f"session {found.feature} is undone: these changes are no longer in your files")
        return ExitCode.PASSED

    return with_project(work, config_file)


async def show_changes(project: Project, session: str) -> None:
    """Print what the authors of a session changed, under a heading; nothing if they changed nothing."""
    from reviewloop.app.revision_diff import revision_diff
    from reviewloop.cli.output import console

    found = await revision_diff(project, session)
    if found.files:
        console().print("\nwhat the author changed\n", style="bold")
        print_diff(found)


def print_diff(found: RevisionDiff) -> None:
    """Print a session's diff, with colours if standard output is a terminal."""
    import os
    import sys

    from reviewloop.reports.diff import render_diff
    from reviewloop.reports.safe_text import well_formed
    from reviewloop.reports.screen import Screen

    click.echo(well_formed(render_diff(found.text, Screen.of(sys.stdout, os.environ))), nl=False, color=True)


def _object(found: RevisionDiff) -> dict[str, object]:
    from dataclasses import asdict

    return {
        "feature": found.feature,
        "session": found.session,
        "undone": found.undone,
        "files": [asdict(file) for file in found.files],
        "diff": found.text,
    }
