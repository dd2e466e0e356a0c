"""`reviewloop run`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from reviewloop.cli.options import (
    cache_option,
    config_option,
    json_option,
    overrides_of,
    policy_options,
    quiet_option,
    target_options,
    target_request,
    with_project,
)
from reviewloop.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from reviewloop.app.project import Project
    from reviewloop.app.targets.resolver import Target


@click.command()
@click.argument("paths", nargs=-1, metavar="PATH...")
@click.option("--feature", metavar="NAME", help="Name a feature: its PRD in docs/prd, or its specs in specs/NAME.")
@click.option("--name", metavar="NAME", help="Name the session; default: the file's name without its ending.")
@target_options
@click.option("--fresh", is_flag=True, help="Start a new session even if an earlier one was interrupted.")
@click.option("--dry-run", is_flag=True, help="Print who would be asked, how often, and roughly how many tokens.")
@policy_options
@cache_option
@config_option
@json_option
@quiet_option
def run(
    paths: tuple[str, ...],
    config_file: str | None,
    as_json: bool,
    quiet: bool,
    fresh: bool,
    dry_run: bool,
    **options: Any,
) -> ExitCode:
    """Run the loop: review, revise, review again, until it passes or needs a person.

    With --prd and no PATH, or with --feature and a PRD of that name, the author first writes the feature's specs in
    specs/NAME, and then its tasks.

    Exit codes: 0 passed, 1 needs revision and there is no author, or rejected, 4 blocked or waiting for a person, 5 no
    reviewer could be heard.
    """
    request = target_request(paths, options)
    overrides = overrides_of(options)

    async def work(project: Project) -> ExitCode:
        from reviewloop.app.feature import FeatureRun, prd_for, tasks_name
        from reviewloop.app.sessions import start
        from reviewloop.cli.diff import show_changes
        from reviewloop.cli.output import progress
        from reviewloop.cli.results import show_feature, show_session

        if prd := prd_for(project, request):
            if dry_run:
                raise UsageError("--dry-run needs documents, and a feature from a PRD has none yet", hint="name a file")
            again = (prd.feature, tasks_name(prd.feature)) if fresh else ()
            with progress(quiet=quiet) as observers:
                feature = FeatureRun(project=project, observers=observers, overrides=overrides, fresh=again)
                reports = await feature.run(prd)
            return show_feature(project, reports, as_json=as_json)
        target = project.resolver.resolve(request, has_author=project.has_author(overrides))
        if dry_run:
            return _dry_run(project, target, overrides, as_json=as_json)
        with progress(quiet=quiet) as observers:
            state = await start(project, target.source, overrides, observers, fresh=fresh)
        code = show_session(project, state, as_json=as_json)
        if not as_json:
            await show_changes(project, state.id)
        return code

    return with_project(work, config_file, near=paths)


def _dry_run(project: Project, target: Target, overrides: dict[str, Any], *, as_json: bool) -> ExitCode:
    from dataclasses import asdict

    from reviewloop.app.sessions import preview
    from reviewloop.cli.output import console, print_json
    from reviewloop.reports.estimate import print_estimate

    found = preview(project, target, overrides)
    if as_json:
        print_json(asdict(found))
    else:
        print_estimate(found, console())
    return ExitCode.PASSED
