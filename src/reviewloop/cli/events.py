"""`reviewloop events`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reviewloop.cli.options import config_option, with_project
from reviewloop.cli.streams import nobody_reads
from reviewloop.errors import DamagedRecord, ExitCode

if TYPE_CHECKING:
    from reviewloop.app.project import Project
    from reviewloop.core.session.events import Event
    from reviewloop.ports import Ledger


@click.command()
@click.argument("name", required=False)
@click.option("--follow", is_flag=True, help="Go on printing as events happen.")
@click.option("--after", type=int, default=0, metavar="N", help="Only events after position N.")
@config_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON envelope a line.")
def events(name: str | None, follow: bool, after: int, config_file: str | None, as_json: bool) -> ExitCode:
    """Print the ledger: what happened, in the order it was written. With NAME, of one session.

    What people told the memory outside of sessions has the name @memory.
    """

    async def work(project: Project) -> ExitCode:
        from reviewloop.ledger.follow import follow as following
        from reviewloop.ports import MEMORY_BOOK

        wanted = (await project.catalog.find(name)).session if name and name != MEMORY_BOOK else name
        if follow:
            async for position, event in following(project.ledger, after):
                _print(position, event, wanted, as_json=as_json)
                if nobody_reads():
                    break
            return ExitCode.PASSED
        return await _print_all(project.ledger, after, wanted, as_json=as_json)

    try:
        return with_project(work, config_file)
    except KeyboardInterrupt:
        if not follow:
            raise
        return ExitCode.INTERRUPTED  # that is how following ends


async def _print_all(ledger: Ledger, after: int, wanted: str | None, *, as_json: bool) -> ExitCode:
    from reviewloop.cli.damage import tell_errors

    position: int | None = after
    unreadable: list[DamagedRecord] = []
    while position is not None:
        try:
            batch = await ledger.feed(position)
        except DamagedRecord as error:
            if error.position is None:
                raise
            position = error.position
            if wanted in (None, error.session):
                unreadable.append(error)
            continue
        for number, event in batch:
            _print(number, event, wanted, as_json=as_json)
        position = batch[-1][0] if batch else None
    return tell_errors(unreadable)


def _print(position: int, event: Event, wanted: str | None, *, as_json: bool) -> None:
    from reviewloop.cli.output import print_json
    from reviewloop.ledger.codec import envelope

    if wanted not in (None, event.session):
        return
    if as_json:
        print_json(envelope(event), indent=None)
    else:
        click.echo(f"{position:>6}  {event.time.astimezone():%H:%M:%S}  {event.session}  {event.seq:>4}  {event.type}")
