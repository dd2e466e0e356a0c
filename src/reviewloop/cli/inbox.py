"""`reviewloop inbox`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reviewloop.cli.options import config_option, json_option, quiet_option, with_project
from reviewloop.errors import ExitCode

if TYPE_CHECKING:
    from reviewloop.app.project import Project


@click.group(invoke_without_command=True)
@config_option
@json_option
@click.pass_context
def inbox(ctx: click.Context, config_file: str | None, as_json: bool) -> ExitCode:
    """What waits for a person. Without a subcommand: list it."""
    if ctx.invoked_subcommand is not None:
        return ExitCode.PASSED

    async def work(project: Project) -> ExitCode:
        from reviewloop.cli.damage import tell_damage
        from reviewloop.cli.output import console, message, print_json
        from reviewloop.reports.safe_text import one_line
        from reviewloop.views.human_item import item

        latest = await project.catalog.latest()
        waiting = [one for one in latest.found if one.history.outcome and one.history.outcome.waits]
        if as_json:
            print_json([item(one.id, one.history) for one in waiting])
            return tell_damage(latest.damaged)
        if not waiting:
            message("nothing waits for you")
            return tell_damage(latest.damaged)
        from rich.table import Table

        table = Table(box=None, pad_edge=False)
        for title in ("id", "outcome", "since", "why"):
            table.add_column(title, overflow="fold")
        for one in waiting:
            since = one.history.updated_at.astimezone().strftime("%Y-%m-%d %H:%M")
            table.add_row(one.history.feature, str(one.history.outcome), since, one_line(one.history.because))
        console().print(table)
        message("\nsee one with `reviewloop inbox show ID`, answer with `reviewloop inbox answer ID`")
        return tell_damage(latest.damaged)

    return with_project(work, config_file)


@inbox.command("show")
@click.argument("name", metavar="ID")
@config_option
@json_option
def show_item(name: str, config_file: str | None, as_json: bool) -> ExitCode:
    """Show one item with its whole history."""

    async def work(project: Project) -> ExitCode:
        from reviewloop.cli.output import print_json
        from reviewloop.cli.session_text import describe
        from reviewloop.views.human_item import item

        state = await project.catalog.named(name)
        if as_json:
            print_json(item(state.id, state.history))
        else:
            describe(state.id, state.history, log=project.log_of(state.history))
        return ExitCode.PASSED

    return with_project(work, config_file)


@inbox.command("answer")
@click.argument("name", metavar="ID")
@click.option("--accept", "action", flag_value="accept", help="Accept it as it is.")
@click.option("--retry", "action", flag_value="retry", help="Send it back: a new window of attempts.")
@click.option("--reject", "action", flag_value="reject", help="Turn it down for good.")
@click.option("--note", default="", metavar="TEXT", help="What the author and the reviewers should know.")
@click.option("--dismiss", multiple=True, metavar="FINDING", help="This finding is none. May be repeated.")
@click.option("--why", default="", metavar="TEXT", help="Why it is none.")
@click.option("--add", multiple=True, metavar="TEXT", help="What every reviewer missed. May be repeated.")
@click.option("--by", default="", metavar="WHO", help="Who says so; your user name unless given.")
@config_option
@json_option
@quiet_option
def answer_item(
    name: str,
    action: str | None,
    note: str,
    dismiss: tuple[str, ...],
    why: str,
    add: tuple[str, ...],
    by: str,
    config_file: str | None,
    as_json: bool,
    quiet: bool,
) -> ExitCode:
    """Answer an item: accept, retry or reject; dismiss findings or add some. The session goes on at once."""
    from reviewloop.app.answers import go_on
    from reviewloop.core.types.outcome import Answer
    from reviewloop.engine.human_answer import PersonAnswer

    if action is None and not dismiss and not add:
        raise click.UsageError("say --accept, --retry or --reject, or --dismiss or --add findings")
    said = PersonAnswer(action=Answer(action or "retry"), note=note, by=by, dismiss=dismiss, why=why, add=add)

    async def work(project: Project) -> ExitCode:
        return await go_on(project, name, said, quiet=quiet, as_json=as_json)

    return with_project(work, config_file)
