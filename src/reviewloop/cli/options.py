"""Options that several commands share, and how a command opens its project."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from reviewloop.cli.completion import agents
from reviewloop.cli.output import warn

if TYPE_CHECKING:
    from reviewloop.app.answers import PersonAnswer
    from reviewloop.app.project import Project
    from reviewloop.app.targets.request import TargetRequest

Value = TypeVar("Value")
Function = TypeVar("Function", bound=Callable[..., Any])

KINDS = ("prd", "spec", "research", "requirements", "design", "tasks", "change", "document")

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
config_option = click.option("--config", "config_file", metavar="FILE", help="Use this configuration file.")
cache_option = click.option(
    "--no-cache", "cache", flag_value=False, type=bool, default=None, help="Send reviewers the whole text every time."
)
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Show no progress.")

_TARGET = (
    click.option("--kind", type=click.Choice(KINDS), help="Set the kind of document instead of detecting it."),
    click.option("--upstream", multiple=True, metavar="PATH", help="Name a document it builds on. Repeatable."),
    click.option("--prd", metavar="PATH", help="Name the PRD it answers to."),
    click.option("--diff", metavar="RANGE", help="Review a change: a git range such as main...HEAD."),
    click.option("--staged", is_flag=True, help="Review the staged change."),
    click.option("--uncommitted", is_flag=True, help="Review everything that differs from HEAD."),
    click.option("--task", metavar="FILE#ID", help="Name the task a change was made for, such as tasks.md#1.2."),
    click.option("--stdin-filename", metavar="PATH", help="Treat standard input as this file."),
)
_PROFILE = click.option(
    "--profile", type=click.Choice(["spec-gate", "phases", "panel", "overlay"]), help="Use this profile."
)
_REVIEWER = click.option("--reviewer", metavar="AGENT", shell_complete=agents, help="Choose the reviewer.")
_AUTHOR = click.option("--author", metavar="AGENT", shell_complete=agents, help="Choose the author.")
_MAX_ITERATIONS = click.option("--max-iterations", type=int, metavar="N", help="Review at most N times.")
_TIMEOUT = click.option("--timeout", type=float, metavar="SECONDS", help="Limit the time for one answer.")

_ANSWER = (
    click.option("--note", default="", metavar="TEXT", help="Tell the author and the reviewers something."),
    click.option("--dismiss", multiple=True, metavar="FINDING", help="Dismiss a false positive. Repeatable."),
    click.option("--why", default="", metavar="TEXT", help="Say why the dismissed finding is wrong."),
    click.option("--add", multiple=True, metavar="TEXT", help="Add a finding that every reviewer missed. Repeatable."),
    click.option("--anyway", is_flag=True, help="Accept the text although it changed since its review."),
    click.option("--by", default="", metavar="WHO", help="Say who answers; default: your user name."),
    click.option("--role", default="", metavar="ROLE", help="Say in which role; default: owner."),
)

_POLICY = ("profile", "reviewer", "author", "max_iterations", "timeout", "cache")


def target_options(function: Function) -> Function:
    """Everything that says what is reviewed, the same in every command."""
    for option in reversed(_TARGET):
        function = option(function)
    return function


def answer_options(function: Function) -> Function:
    """Everything that a person can say about a session, besides what to do with it."""
    for option in reversed(_ANSWER):
        function = option(function)
    return function


def person_answer(action: str | None, options: Mapping[str, Any]) -> PersonAnswer:
    """A person's answer from the options of a command. An addition sends the work back; a dismissal decides nothing."""
    from reviewloop.app.answers import Answer, PersonAnswer

    said = PersonAnswer(
        action=Answer(action or ("retry" if options["add"] else "continue")),
        channel="cli",
        **{name: options[name] for name in ("note", "dismiss", "why", "add", "anyway", "by", "role")},
    )
    if said.dismiss and not said.why.strip():
        raise click.UsageError('--dismiss needs --why "...": say why the finding is wrong')
    if said.why and not said.dismiss:
        raise click.UsageError("--why goes with --dismiss")
    if said.dismiss and said.note and action is None and not said.add:
        raise click.UsageError("a dismissal decides nothing: add --retry, --accept or --reject to the note")
    if said.anyway and said.action is not Answer.ACCEPT:
        raise click.UsageError("--anyway goes with --accept")
    return said


def policy_options(function: Function) -> Function:
    """The settings that can be given for one run."""
    return _PROFILE(_REVIEWER(_AUTHOR(_MAX_ITERATIONS(_TIMEOUT(function)))))


def review_options(function: Function) -> Function:
    """The settings that can be given for one review without an author."""
    return _PROFILE(_REVIEWER(_TIMEOUT(function)))


def target_request(paths: Sequence[str], options: Mapping[str, Any], *, read_stdin: bool = False) -> TargetRequest:
    """What the user pointed at. Only a command that edits nothing reads standard input."""
    import sys

    from reviewloop.app.targets.request import STDIN, TargetRequest, kind_named

    return TargetRequest(
        paths=tuple(paths),
        feature=options.get("feature"),
        name=options.get("name"),
        kind=kind_named(options.get("kind")),
        upstream=tuple(options["upstream"]),
        prd=options["prd"],
        diff=options["diff"],
        staged=options["staged"],
        uncommitted=options["uncommitted"],
        task=options["task"],
        stdin=sys.stdin.buffer.read() if read_stdin and tuple(paths) == (STDIN,) else None,
        stdin_filename=options["stdin_filename"],
    )


def overrides_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that were given on the command line."""
    return {key: options[key] for key in _POLICY if options.get(key) is not None}


def with_project(
    work: Callable[[Project], Awaitable[Value]], config_file: str | None, near: Sequence[str] = ()
) -> Value:
    """Open the project, do the work, close the project."""
    import asyncio

    from reviewloop.app.project import open_project

    async def main() -> Value:
        project = open_project(config_file, warn, near=near)
        try:
            return await work(project)
        finally:
            await project.close()

    return asyncio.run(main())
