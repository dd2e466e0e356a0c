"""`reviewloop resume`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from reviewloop.cli.completion import sessions
from reviewloop.cli.options import (
    answer_options,
    cache_option,
    config_option,
    json_option,
    overrides_of,
    person_answer,
    policy_options,
    quiet_option,
    with_project,
)
from reviewloop.cli.output import progress
from reviewloop.errors import ExitCode

if TYPE_CHECKING:
    from reviewloop.app.project import Project


@click.command()
@click.argument("name", shell_complete=sessions)
@click.option("--accept", is_flag=True, help="Accept the work as it is.")
@click.option("--retry", is_flag=True, help="Send it back to the author, with new attempts.")
@click.option("--reject", is_flag=True, help="Reject the work for good.")
@click.option("--skip-review", is_flag=True, help="Feature: continue without a passed review.")
@click.option("--from-validation", is_flag=True, help="Feature: check your edits with the rules only.")
@click.option("--from-tasks", is_flag=True, help="Feature: keep the specs, write the tasks again.")
@answer_options
@policy_options
@cache_option
@config_option
@json_option
@quiet_option
def resume(name: str, config_file: str | None, as_json: bool, quiet: bool, **options: Any) -> ExitCode:
    """Continue a session after a crash, a block or a person's answer.

    A pass can be overruled: --retry sends it back to the author, --reject ends it. --add sends the work back with your
    finding; --dismiss alone only records, and --retry or --accept decides.
    """
    from reviewloop.app.answers import Answer, answer
    from reviewloop.cli.results import show_answer

    chosen = [action for action in Answer if options.get(action)]
    if len(chosen) > 1:
        names = " and ".join(f"--{action.replace('_', '-')}" for action in chosen)
        raise click.UsageError(f"{names} exclude each other")
    said = person_answer(chosen[0] if chosen else None, options)

    async def work(project: Project) -> ExitCode:
        with progress(quiet=quiet) as observers:
            answered = await answer(project, name, said, observers, overrides_of(options))
        return show_answer(project, answered, as_json=as_json)

    return with_project(work, config_file)
