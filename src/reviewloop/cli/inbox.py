"""`reviewloop inbox`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from reviewloop.cli.completion import sessions
from reviewloop.cli.options import answer_options, config_option, json_option, person_answer, quiet_option, with_project
from reviewloop.errors import ExitCode

if TYPE_CHECKING:
    from reviewloop.app.project import Project


@click.group(invoke_without_command=True)
@config_option
@json_option
@click.pass_context
def inbox(ctx: click.Context, config_file: str | None, as_json: bool) -> ExitCode:
    """List, show and answer what waits for a person."""
    if ctx.invoked_subcommand is not None:
        return ExitCode.PASSED

    async def work(project: Project) -> ExitCode:
        from reviewloop.cli.output import message, print_json, print_table, report_damage
        from reviewloop.reports.safe_text import one_line

        latest = await project.catalog.latest()
        waiting = [state for state in latest.found if state.history.outcome and state.history.outcome.waits]
        if as_json:
            from reviewloop.app.session_data import inbox_item

            print_json([inbox_item(state) for state in waiting])
            return report_damage(latest.damaged)
        if not waiting:
            message("nothing waits for a person; `reviewloop status` lists the sessions")
            return report_damage(latest.damaged)
        rows = (
            (
                history.feature,
                str(history.outcome),
                history.updated_at.astimezone().strftime("%Y-%m-%d %H:%M"),
                one_line(history.explanation),
            )
            for history in (state.history for state in waiting)
        )
        print_table(("id", "outcome", "since", "why"), rows)
        message("\nshow an item: reviewloop inbox show ID; answer it: reviewloop inbox answer ID")
        return report_damage(latest.damaged)

    return with_project(work, config_file)


@inbox.command("show")
@click.argument("name", metavar="ID", shell_complete=sessions)
@config_option
@json_option
def show_item(name: str, config_file: str | None, as_json: bool) -> ExitCode:
    """Show an item with its whole history."""

    async def work(project: Project) -> ExitCode:
        from reviewloop.app.session_data import inbox_item
        from reviewloop.cli.output import console, print_json
        from reviewloop.reports.session_text import describe

        state = await project.catalog.named(name)
        if as_json:
            print_json(inbox_item(state))
        else:
            describe(state.id, state.history, console(), log=project.log_of(state.history))
        return ExitCode.PASSED

    return with_project(work, config_file)


@inbox.command("answer")
@click.argument("name", metavar="ID", shell_complete=sessions)
@click.option("--accept", "action", flag_value="accept", help="Accept the work as it is.")
@click.option("--retry", "action", flag_value="retry", help="Send it back to the author, with new attempts.")
@click.option("--reject", "action", flag_value="reject", help="Reject the work for good.")
@answer_options
@config_option
@json_option
@quiet_option
def answer_item(
    name: str, action: str | None, config_file: str | None, as_json: bool, quiet: bool, **options: Any
) -> ExitCode:
    """Answer an item: accept, retry or reject; dismiss findings or add some.

    --accept, --retry, --reject and --add decide, and the session goes on at once. --dismiss alone only records.
    """
    from reviewloop.app.answers import answer
    from reviewloop.cli.output import progress
    from reviewloop.cli.results import show_answer

    if action is None and not options["dismiss"] and not options["add"]:
        raise click.UsageError("say --accept, --retry or --reject, or --dismiss or --add findings")
    said = person_answer(action, options)

    async def work(project: Project) -> ExitCode:
        with progress(quiet=quiet) as observers:
            answered = await answer(project, name, said, observers)
        return show_answer(project, answered, as_json=as_json)

    return with_project(work, config_file)
