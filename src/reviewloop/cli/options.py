"""Options that several commands share, and how a command gets its app."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from reviewloop.cli.output import message
from reviewloop.errors import UsageError

if TYPE_CHECKING:
    from reviewloop.app.project import Project

Value = TypeVar("Value")
Function = TypeVar("Function", bound=Callable[..., Any])

_TASKS_SHOWN = 12
KINDS = ("prd", "spec", "research", "requirements", "design", "tasks", "change")

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
config_option = click.option("--config", "config_file", metavar="FILE", help="Read this configuration file.")
cache_option = click.option(
    "--no-cache", "cache", flag_value=False, type=bool, default=None, help="Send reviewers the whole text every time."
)
quiet_option = click.option("-q", "--quiet", is_flag=True, help="No progress.")
kind_option = click.option("--kind", type=click.Choice(KINDS), help="What the artifact is; guessed unless given.")


_PROFILE = click.option(
    "--profile", type=click.Choice(["spec-gate", "phases", "panel", "overlay"]), help="Use this profile."
)
_REVIEWER = click.option("--reviewer", metavar="AGENT", help="Who reviews.")
_AUTHOR = click.option("--author", metavar="AGENT", help="Who revises.")
_MAX_ITERATIONS = click.option("--max-iterations", type=int, metavar="N", help="At most N reviews.")
_TIMEOUT = click.option("--timeout", type=float, metavar="SECONDS", help="At most this long for one answer.")


def policy_options(function: Function) -> Function:
    """The settings that can be given for one run."""
    return _PROFILE(_REVIEWER(_AUTHOR(_MAX_ITERATIONS(_TIMEOUT(function)))))


def look_options(function: Function) -> Function:
    """Those of them that mean something where there is one review and nobody revises."""
    return _PROFILE(_REVIEWER(_TIMEOUT(function)))


def refuse_half_a_change(paths: Sequence[str], git_range: str | None, task: str | None) -> None:
    """What would be left aside without a word is not asked for."""
    if git_range and paths:
        raise UsageError("--diff says what to review, and so does a path", hint="leave one of them out")
    if task and not git_range:
        raise UsageError("--task is for a change", hint="add --diff with a git range, such as --diff main...HEAD")


def refuse_unknown_task(file: str, number: str, there: Sequence[str]) -> None:
    """A change is held against its task; held against nothing, it would pass."""
    if number not in there:
        shown = ", ".join(there[:_TASKS_SHOWN]) + (", ..." if len(there) > _TASKS_SHOWN else "")
        raise UsageError(f"{file} has no task {number}", hint=f"it has {shown}" if there else "it has no tasks")


def with_project(work: Callable[[Project], Awaitable[Value]], config_file: str | None) -> Value:
    """Open the app, do the work, close the app."""
    import asyncio

    from reviewloop.app.project import open_project

    async def main() -> Value:
        project = open_project(config_file, warn=lambda text: message(f"warning: {text}"))
        try:
            return await work(project)
        finally:
            await project.close()

    return asyncio.run(main())
