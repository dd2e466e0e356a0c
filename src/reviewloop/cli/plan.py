"""`reviewloop plan`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from reviewloop.cli.options import config_option, json_option, quiet_option, with_project
from reviewloop.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from reviewloop.app.project import Project
    from reviewloop.engine.scheduler import Report

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@click.command()
@click.argument("goal", required=False, default="")
@click.option("--name", metavar="NAME", help="What to call the feature; made from the goal unless given.")
@click.option("--quick", is_flag=True, help="Write all four documents without asking for approval.")
@click.option("--fresh", is_flag=True, help="Write the rejected document and those after it again; else all of them.")
@config_option
@json_option
@quiet_option
def plan(
    goal: str, name: str | None, quick: bool, fresh: bool, config_file: str | None, as_json: bool, quiet: bool
) -> ExitCode:
    """Write research, requirements, design and tasks for GOAL in specs/NAME, each through its review loop.

    After each document a person approves it, unless --quick is given. Run it again with --name to go on. Documents that
    are there already, from you or from other tools, are built on and not written again.
    """
    from reviewloop.app.plan import run_plan, slug

    if not goal.strip() and not name:
        raise click.UsageError('say what is wanted: reviewloop plan "GOAL"')
    if name and not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot name a folder", hint="use letters, digits, dots, - and _")
    feature = name or slug(goal)

    async def main(project: Project) -> ExitCode:
        from reviewloop.app.exit_codes import of_workflow
        from reviewloop.cli.output import progress
        from reviewloop.cli.results import show_tasks

        with progress(quiet=quiet) as observers:
            reports = await run_plan(project, feature, goal.strip(), observers, quick=quick, fresh=fresh)
        show_tasks(reports, as_json=as_json)
        if not as_json:
            _what_next(feature, reports)
        return of_workflow(reports)

    return with_project(main, config_file)


def _what_next(feature: str, reports: list[Report]) -> None:
    from reviewloop.cli.output import message

    waiting = next((report for report in reports if report.is_waiting), None)
    if waiting:
        name = waiting.task.id
        message(
            f"\nread {waiting.task.commission.outputs[0]}, then\n"
            f"  reviewloop resume {name} --accept && reviewloop plan --name {feature}\n"
            f'  reviewloop resume {name} --retry --note "what to change"'
        )
