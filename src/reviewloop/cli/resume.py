"""`reviewloop resume`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from reviewloop.cli.options import cache_option, config_option, json_option, policy_options, quiet_option, with_project
from reviewloop.errors import ExitCode

if TYPE_CHECKING:
    from reviewloop.app.project import Project


@click.command()
@click.argument("name")
@click.option("--accept", is_flag=True, help="Accept it as it is.")
@click.option("--retry", is_flag=True, help="Send it back: a new window of attempts.")
@click.option("--reject", is_flag=True, help="Turn it down for good.")
@click.option("--skip-review", is_flag=True, help="A feature: go on although nobody passed it.")
@click.option("--from-validation", is_flag=True, help="A feature: let only the rules check your edits.")
@click.option("--from-tasks", is_flag=True, help="A feature: take its specs, write its tasks again.")
@click.option("--note", default="", metavar="TEXT", help="What the author and the reviewers should know.")
@policy_options
@cache_option
@config_option
@json_option
@quiet_option
def resume(name: str, note: str, config_file: str | None, as_json: bool, quiet: bool, **asked: Any) -> ExitCode:
    """Go on with a session: after a crash where it was, after a block with a person's answer."""
    from reviewloop.app.answers import go_on
    from reviewloop.app.targets.sources import overrides_of
    from reviewloop.core.types.outcome import Answer
    from reviewloop.engine.human_answer import PersonAnswer

    chosen = [answer for answer in Answer if asked.get(answer)]
    if len(chosen) > 1:
        options = " and ".join(f"--{one.replace('_', '-')}" for one in chosen)
        raise click.UsageError(f"{options} exclude each other")
    said = PersonAnswer(action=chosen[0] if chosen else Answer.CONTINUE, note=note)

    async def work(project: Project) -> ExitCode:
        return await go_on(project, name, said, quiet=quiet, as_json=as_json, overrides=overrides_of(asked))

    return with_project(work, config_file)
