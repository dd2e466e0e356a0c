"""`reviewloop work`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reviewloop.cli.options import config_option, json_option, quiet_option, with_app
from reviewloop.errors import ExitCode

if TYPE_CHECKING:
    from reviewloop.app import App
    from reviewloop.engine.workflow import Report


@click.command()
@click.argument("tasks", nargs=-1, metavar="[TASK...]")
@click.option("--jobs", type=click.IntRange(1, 64), default=1, metavar="N", help="Do up to N tasks at a time.")
@click.option("--fresh", multiple=True, metavar="TASK", help="Do this task again although it is done. May be repeated.")
@config_option
@json_option
@quiet_option
def work(
    tasks: tuple[str, ...], jobs: int, fresh: tuple[str, ...], config_file: str | None, as_json: bool, quiet: bool
) -> ExitCode:
    """Do the workflow's tasks in dependency order, each reviewed if its overlay says so.

    With TASK, that task and what it depends on. What is done stays done; what was cut short goes on where it was. A
    task that waits for a person pauses what depends on it and nothing else.
    """

    async def main(app: App) -> ExitCode:
        from reviewloop.cli.progress import progress
        from reviewloop.workshop import Workshop

        watching = progress(quiet=quiet)
        workshop = Workshop(app=app, observers=(watching,) if watching else (), jobs=jobs, fresh=fresh)
        if watching:
            with watching.screen:
                reports = await workshop.work(tasks)
        else:
            reports = await workshop.work(tasks)
        show(reports, as_json=as_json)
        return exit_code(reports)

    return with_app(main, config_file)


def exit_code(reports: list[Report]) -> ExitCode:
    from reviewloop.engine.workflow import State

    states = {report.state for report in reports}
    if states <= {State.DONE}:
        return ExitCode.PASSED
    return ExitCode.BLOCKED if states & {State.WAITING, State.FAILED} else ExitCode.NEEDS_REVISION


def show(reports: list[Report], *, as_json: bool) -> None:
    from reviewloop.cli.output import console, message, print_json

    if as_json:
        print_json({"tasks": [_object(report) for report in reports]})
        return
    from rich.table import Table

    from reviewloop.engine.workflow import State
    from reviewloop.reports.safe import one_line

    table = Table(box=None, pad_edge=False)
    for title in ("task", "state", "why"):
        table.add_column(title, overflow="fold")
    for report in reports:
        table.add_row(report.task.id, str(report.state), one_line(report.because))
    console().print(table)
    for report in reports:
        if report.state is State.WAITING:
            message(f"{report.task.id} waits for you: reviewloop inbox show {report.task.id}")


def _object(report: Report) -> dict[str, object]:
    history = report.history
    return {
        "task": report.task.id,
        "agent": report.task.agent,
        "state": str(report.state),
        "outcome": str(history.outcome) if history and history.outcome else None,
        "because": report.because,
        "warnings": list(history.warnings) if history else [],
        "iterations": len(history.iterations) if history else 0,
        "digest": history.digest if history else "",
        "session": report.session or None,
        "depends_on": list(report.task.depends_on),
        "paused_by": list(report.paused_by),
    }
