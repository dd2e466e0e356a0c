"""`reviewloop work`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reviewloop.cli import completion
from reviewloop.cli.options import config_option, json_option, quiet_option, with_project
from reviewloop.errors import ExitCode

if TYPE_CHECKING:
    from reviewloop.app.project import Project


@click.command()
@click.argument("tasks", nargs=-1, metavar="[TASK...]", shell_complete=completion.tasks)
@click.option("--spec", metavar="NAME", help="Do the tasks of a spec: its name, its folder or its task list.")
@click.option(
    "--review",
    "when",
    metavar="WHEN",
    help='With --spec, review after every task, "every N", each phase, or once: final.',
)
@click.option("--jobs", type=click.IntRange(1, 64), default=1, metavar="N", help="Do up to N tasks at a time.")
@click.option("--fresh", multiple=True, metavar="TASK", help="Do a finished task again. Repeatable.")
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

    With TASK, that task and what it depends on. Finished tasks stay done; interrupted tasks continue where they were. A
    task that waits for a person pauses what depends on it and nothing else.

    With --spec, the open tasks of a spec, one after the other, or only those named. Each is done by an agent, checked
    by its own Verify command, which is run in the project, reviewed against the spec, and ticked.
    """
    _check_options(spec, when, jobs)

    async def main(project: Project) -> ExitCode:
        from reviewloop.app.exit_codes import of_workflow
        from reviewloop.app.spec_tasks import run_named_spec
        from reviewloop.app.workflow import run_workflow
        from reviewloop.cli.output import message, progress
        from reviewloop.cli.results import show_tasks

        with progress(quiet=quiet) as observers:
            if spec is None:
                reports = await run_workflow(project, tasks, observers, jobs=jobs, fresh=fresh)
            else:
                reports = await run_named_spec(project, spec, tasks, observers, when=when, fresh=fresh)
        show_tasks(reports, as_json=as_json)
        if spec and not reports:
            message(f"every task of {spec} is done")
        return of_workflow(reports)

    return with_project(main, config_file)


def _check_options(spec: str | None, when: str | None, jobs: int) -> None:
    from reviewloop.app.spec_tasks import is_cadence

    if when is not None and spec is None:
        raise click.UsageError("--review is for the tasks of a spec: add --spec NAME")
    if when is not None and not is_cadence(when):
        raise click.UsageError(f'--review must be every, phase, "every N" or final, found {when!r}')
    if spec is not None and jobs > 1:
        raise click.UsageError("the tasks of a spec are done one after the other: leave out --jobs")
