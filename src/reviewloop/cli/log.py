"""`reviewloop log`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reviewloop.cli.completion import sessions
from reviewloop.cli.options import config_option, json_option, with_project
from reviewloop.errors import ExitCode

if TYPE_CHECKING:
    from reviewloop.app.project import Project


@click.command()
@click.argument("name", shell_complete=sessions)
@click.option("--full", is_flag=True, help="Also show what the agents said, word for word.")
@config_option
@json_option
def log(name: str, full: bool, config_file: str | None, as_json: bool) -> ExitCode:
    """Show what happened in a session: every iteration, decision, finding and attempt."""

    async def work(project: Project) -> ExitCode:
        from reviewloop.cli.output import console, print_json

        state = await project.catalog.named(name)
        if as_json:
            from reviewloop.app.session_data import log_object

            print_json(log_object(state))
        else:
            from reviewloop.reports.session_log import print_log

            print_log(state.id, state.history, console(), full=full)
        return ExitCode.PASSED

    return with_project(work, config_file)
