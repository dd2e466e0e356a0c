"""`reviewloop events`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reviewloop.cli.completion import sessions
from reviewloop.cli.options import config_option, with_project
from reviewloop.cli.streams import nobody_reads
from reviewloop.errors import DamagedRecord, ExitCode

if TYPE_CHECKING:
    from reviewloop.app.project import Project
    from reviewloop.core.session.events import Event


@click.command()
@click.argument("name", required=False, shell_complete=sessions)
@click.option("--follow", is_flag=True, help="Keep printing as events happen.")
@click.option("--after", type=int, default=0, metavar="N", help="Print only events after position N.")
@config_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON envelope a line.")
def events(name: str | None, follow: bool, after: int, config_file: str | None, as_json: bool) -> ExitCode:
    """Print the ledger's events in order. With NAME, only those of one session.

    @memory is the name for what people told the memory outside of sessions.
    """

    async def work(project: Project) -> ExitCode:
        from reviewloop.app.event_feed import read_events
        from reviewloop.cli.output import report_errors

        damaged: list[DamagedRecord] = []
        async for entry in read_events(project, name, after, following=follow):
            if entry.damage:
                damaged.append(entry.damage)
            elif entry.event:
                _print(entry.position, entry.event, as_json=as_json)
            if follow and nobody_reads():
                break
        return report_errors(damaged)

    try:
        return with_project(work, config_file)
    except KeyboardInterrupt:
        if not follow:
            raise
        return ExitCode.INTERRUPTED  # Ctrl-C is how following ends


def _print(position: int, event: Event, *, as_json: bool) -> None:
    if as_json:
        from reviewloop.app.session_data import event_object
        from reviewloop.cli.output import print_json

        print_json(event_object(event), indent=None)
    else:
        click.echo(f"{position:>6}  {event.time.astimezone():%H:%M:%S}  {event.session}  {event.seq:>4}  {event.type}")
