"""`reviewloop run`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from reviewloop.cli.options import (
    cache_option,
    config_option,
    json_option,
    kind_option,
    policy_options,
    quiet_option,
    with_project,
)
from reviewloop.errors import ExitCode

if TYPE_CHECKING:
    from reviewloop.app.project import Project


@click.command()
@click.argument("paths", nargs=-1, metavar="PATH...")
@click.option("--feature", metavar="NAME", help="A feature, by its PRD in docs/prd or its specs in specs/NAME.")
@click.option("--name", metavar="NAME", help="What to call the session; the artifact's stem unless given.")
@kind_option
@click.option("--upstream", multiple=True, metavar="PATH", help="What the artifact builds on. May be repeated.")
@click.option(
    "--prd", metavar="PATH", help="The PRD the artifact answers to; without PATH, the one to write specs for."
)
@click.option("--diff", "git_range", metavar="RANGE", help="Review a change: a git range such as main...HEAD.")
@click.option("--task", metavar="TASK", help="With --diff: the task it was made for, such as tasks.md#1.2.")
@click.option("--fresh", is_flag=True, help="Start anew even if a session of that name was cut short.")
@policy_options
@cache_option
@config_option
@json_option
@quiet_option
def run(config_file: str | None, as_json: bool, quiet: bool, fresh: bool, **asked: Any) -> ExitCode:
    """Run the loop on an artifact: review, revise, review again, until it ends honestly.

    With --prd and no PATH, or with --feature and a PRD of that name, the author first writes the feature's specs in
    specs/NAME, and then its tasks.

    Exit codes: 0 passed, 1 needs revision (and nobody to revise) or rejected, 4 blocked or waiting for a person, 5 no
    reviewer could be heard.
    """
    from reviewloop.app.targets.sources import find_source, overrides_of
    from reviewloop.cli.feature_text import prd_of, run_feature
    from reviewloop.cli.live import watched
    from reviewloop.cli.session_text import show

    async def work(project: Project) -> ExitCode:
        if prd := prd_of(project, asked):
            return await run_feature(project, prd, asked, fresh=fresh, quiet=quiet, as_json=as_json)
        source = find_source(project, asked)
        with watched(quiet=quiet) as observers:
            state = await project.run(source, overrides_of(asked), observers, fresh=fresh)
        return show(state.id, state.history, as_json=as_json, log=project.log_of(state.history))

    return with_project(work, config_file)
