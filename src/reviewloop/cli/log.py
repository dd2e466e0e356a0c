"""`reviewloop log`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reviewloop.cli.options import config_option, json_option, with_app
from reviewloop.errors import ExitCode

if TYPE_CHECKING:
    from reviewloop.app import App


@click.command()
@click.argument("name")
@click.option("--full", is_flag=True, help="Also what the agents said and complained about, word for word.")
@config_option
@json_option
def log(name: str, full: bool, config_file: str | None, as_json: bool) -> ExitCode:
    """Show what happened in a session: every iteration, decision, finding and attempt."""
    from reviewloop.cli.output import print_json
    from reviewloop.cli.telling import tell
    from reviewloop.views.review_log import entry, rendered

    async def work(app: App) -> ExitCode:
        ran = await app.records.named(name)
        if as_json:
            lines = [entry(ran.id, ran.history, one) for one in ran.history.iterations if one.conclusion]
            print_json(rendered(ran.id, ran.history, lines))
        else:
            tell(ran.id, ran.history, full=full)
        return ExitCode.PASSED

    return with_app(work, config_file)
