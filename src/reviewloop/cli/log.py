"""`reviewloop log`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reviewloop.cli.options import config_option, json_option, with_project
from reviewloop.errors import ExitCode

if TYPE_CHECKING:
    from reviewloop.app.project import Project


@click.command()
@click.argument("name")
@click.option("--full", is_flag=True, help="Also what the agents said and complained about, word for word.")
@config_option
@json_option
def log(name: str, full: bool, config_file: str | None, as_json: bool) -> ExitCode:
    """Show what happened in a session: every iteration, decision, finding and attempt."""
    from reviewloop.cli.output import print_json
    from reviewloop.cli.story import tell
    from reviewloop.views.review_log import entry, rendered

    async def work(project: Project) -> ExitCode:
        state = await project.catalog.named(name)
        if as_json:
            lines = [entry(state.id, state.history, one) for one in state.history.iterations if one.conclusion]
            print_json(rendered(state.id, state.history, lines))
        else:
            tell(state.id, state.history, full=full)
        return ExitCode.PASSED

    return with_project(work, config_file)
