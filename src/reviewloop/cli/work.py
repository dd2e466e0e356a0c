"""`reviewloop work`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reviewloop.cli.options import config_option, json_option, quiet_option, with_project
from reviewloop.errors import ExitCode

if TYPE_CHECKING:
    from reviewloop.app.project import Project
    from reviewloop.engine.scheduler import Report


@click.command()
@click.argument("tasks", nargs=-1, metavar="[TASK...]")
@click.option("--spec", metavar="NAME", help="Do the tasks of this spec: its name, its folder or its list of tasks.")
@click.option(
    "--review",
    "when",
    metavar="WHEN",
    help='With --spec, when to review: every, phase, "every N" or final.',
)
@click.option("--jobs", type=click.IntRange(1, 64), default=1, metavar="N", help="Do up to N tasks at a time.")
@click.option("--fresh", multiple=True, metavar="TASK", help="Do this task again although it is done. May be repeated.")
@config_option
@json_option
@quiet_option
def work(
    tasks: tuple[str, ...],
    spec: str | None,
    when: str | None,
    jobs: int,
    fresh: tuple[str, ...],
    config_file: str | None,
    as_json: bool,
    quiet: bool,
) -> ExitCode:
    """Do the workflow's tasks in dependency order, each reviewed if its overlay says so.

    With TASK, that task and what it depends on. What is done stays done; what was cut short goes on where it was. A
    task that waits for a person pauses what depends on it and nothing else.

    With --spec, the open tasks of a spec, one after the other, or only those named. Each is done by an agent, checked
    by its own Verify command, which is run in the project, reviewed against the spec, and ticked.
    """
    _check_options(spec, when, jobs)

    async def main(project: Project) -> ExitCode:
        from reviewloop.app.workflow import do_spec, do_workflow
        from reviewloop.cli.live import watched
        from reviewloop.cli.output import message
        from reviewloop.workspace.spec_folder import find_spec

        with watched(quiet=quiet) as observers:
            if spec is None:
                reports = await do_workflow(project, observers, tasks, jobs=jobs, fresh=fresh)
            else:
                found = find_spec(project.root, project.cwd, spec)
                reports = await do_spec(project, observers, found, tasks, when=when, fresh=fresh)
        show(reports, as_json=as_json)
        if spec and not reports:
            message(f"there is nothing left to do in {spec}")
        return exit_code(reports)

    return with_project(main, config_file)


def _check_options(spec: str | None, when: str | None, jobs: int) -> None:
    from reviewloop.core.types.review_cadence import Cadence

    if when is not None and spec is None:
        raise click.UsageError("--review is for the tasks of a spec: add --spec NAME")
    if when is not None and Cadence.parse(when) is None:
        raise click.UsageError(f'--review must be every, phase, "every N" or final, found {when!r}')
    if spec is not None and jobs > 1:
        raise click.UsageError("the tasks of a spec are done one after the other: leave out --jobs")


def exit_code(reports: list[Report]) -> ExitCode:
    from reviewloop.engine.scheduler import State

    states = {report.state for report in reports}
    if states <= {State.DONE}:
        return ExitCode.PASSED
    return ExitCode.BLOCKED if states & {State.WAITING, State.FAILED} else ExitCode.NEEDS_REVISION


def show(reports: list[Report], *, as_json: bool) -> None:
    from reviewloop.cli.output import print_json

    if as_json:
        print_json({"tasks": objects(reports)})
    else:
        table(reports)


def objects(reports: list[Report]) -> list[dict[str, object]]:
    return [_object(report) for report in reports]


def table(reports: list[Report]) -> None:
    """Where every task stands, for a person."""
    if not reports:
        return
    from rich.table import Table

    from reviewloop.cli.output import console, message
    from reviewloop.engine.scheduler import State
    from reviewloop.reports.safe_text import one_line

    rows = Table(box=None, pad_edge=False)
    for title in ("task", "state", "why"):
        rows.add_column(title, overflow="fold")
    for report in reports:
        rows.add_row(report.task.id, str(report.state), one_line(report.because))
    console().print(rows)
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
