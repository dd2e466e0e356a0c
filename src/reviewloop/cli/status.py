"""`reviewloop status`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reviewloop.cli.completion import sessions
from reviewloop.cli.options import config_option, json_option, with_project
from reviewloop.errors import ExitCode

if TYPE_CHECKING:
    from reviewloop.app.project import Project
    from reviewloop.app.status import SessionStatus


@click.command()
@click.argument("name", required=False, shell_complete=sessions)
@click.option(
    "--format",
    "form",
    type=click.Choice(["terminal", "markdown", "json"]),
    default="terminal",
    show_default=True,
    help="How to show it. Markdown is a panel's report, for a session of the profile panel.",
)
@config_option
@json_option
def status(name: str | None, form: str, config_file: str | None, as_json: bool) -> ExitCode:
    """Show where sessions stand: all of them, or one. With NAME the exit code is the session's."""
    form = "json" if as_json else form
    if form == "markdown" and not name:
        raise click.UsageError("--format markdown is about one session: give its NAME")

    async def work(project: Project) -> ExitCode:
        return await (_one(project, name, form) if name else _all(project, as_json=form == "json"))

    return with_project(work, config_file)


async def _one(project: Project, name: str, form: str) -> ExitCode:
    from reviewloop.app.exit_codes import of_session
    from reviewloop.app.status import session_status
    from reviewloop.cli.output import console, print_json
    from reviewloop.reports.panel import session_markdown
    from reviewloop.reports.session_text import describe

    found = await session_status(project, name)
    history = found.history
    if form == "markdown":
        click.echo(session_markdown(history), nl=False)
    elif form == "json":
        print_json(found.data)
    else:
        describe(found.state.id, history, console(), log=project.log_of(history), under_way=found.holder is not None)
        if found.holder:
            click.echo(f"\n{found.holder.owner} is working on it")
        elif found.next_command:
            why = "it changed after it passed; review it again" if found.drifted else "no process is at work; continue"
            click.echo(f"\n{why}: {found.next_command}")
    return of_session(history)


async def _all(project: Project, *, as_json: bool) -> ExitCode:
    from reviewloop.app.status import all_status
    from reviewloop.cli.output import message, print_json, print_table, report_damage

    found = await all_status(project)
    if as_json:
        print_json([session.data for session in found.sessions])
        return report_damage(found.damaged)
    if not found.sessions and not found.damaged:
        message("no sessions yet; start one: reviewloop run spec.md")
        return ExitCode.PASSED
    if found.sessions:
        print_table(("name", "outcome", "reviews", "why", "last change"), map(_row, found.sessions))
    return report_damage(found.damaged)


def _row(session: SessionStatus) -> tuple[str, ...]:
    from reviewloop.reports.safe_text import one_line

    history = session.history
    when = history.updated_at.astimezone().strftime("%Y-%m-%d %H:%M")
    return history.feature, session.label, str(history.reviews), one_line(history.explanation), when
