"""`reviewloop status`."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from reviewloop.cli.options import config_option, json_option, with_project
from reviewloop.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from reviewloop.app.catalog import SessionState
    from reviewloop.app.project import Project
    from reviewloop.core.session.history import History
    from reviewloop.core.types.task import Commission
    from reviewloop.ports import Hold


@click.command()
@click.argument("name", required=False)
@click.option(
    "--format",
    "form",
    type=click.Choice(["terminal", "markdown", "json"]),
    default="terminal",
    show_default=True,
    help="How to show it. Markdown is a panel's report, for a session of the profile panel.",
)
@config_option
@json_option
def status(name: str | None, form: str, config_file: str | None, as_json: bool) -> ExitCode:
    """Show where sessions stand: all of them, or one. With NAME the exit code is the session's."""
    form = "json" if as_json else form
    if form == "markdown" and not name:
        raise click.UsageError("--format markdown is about one session: give its NAME")

    async def work(project: Project) -> ExitCode:
        return await (_one(project, name, form) if name else _all(project, as_json=form == "json"))

    return with_project(work, config_file)


async def _one(project: Project, name: str, form: str) -> ExitCode:
    from reviewloop.app.drift import has_drifted
    from reviewloop.cli.output import print_json
    from reviewloop.cli.session_text import describe, exit_code
    from reviewloop.views.session_object import session_object

    state = await project.catalog.named(name)
    history = state.history
    if form == "markdown":
        _print_markdown(history)
    elif form == "json":
        print_json(session_object(state.id, history) | await _now(project, state))
    else:
        holder = await project.ledger.holder(history.feature)
        describe(state.id, history, log=project.log_of(history), under_way=holder is not None)
        if history.outcome is None:
            click.echo(f"\n{_at_work(holder, history.feature)}")
        elif await has_drifted(project, state):
            click.echo(f"\nit was changed after it passed; review it again with: {_again(history)}")
    return exit_code(history)


def _again(history: History) -> str:
    """The command that opens a new review of the same thing."""
    started = history.started
    if started.commission:
        return shlex.join(["reviewloop", *_again_as_task(history, started.commission)])
    span = started.source.get("range")
    what = ["--diff", span["asked"]] if span else list(started.paths)
    return shlex.join(["reviewloop", "run", *what, "--name", history.feature])


def _again_as_task(history: History, commission: Commission) -> list[str]:
    from pathlib import PurePosixPath

    if commission.feature:
        return ["run", "--prd", history.started.prd_path, "--feature", commission.feature]
    if commission.origin:
        return ["work", "--spec", PurePosixPath(commission.origin.folder).name, "--fresh", commission.origin.number]
    if history.policy.profile == "phases":
        return ["plan", "--name", PurePosixPath(commission.outputs[0]).parent.name]
    return ["work", history.feature]


def _print_markdown(history: History) -> None:
    from reviewloop.core.panel.panel_report import panel_report
    from reviewloop.reports.panel import markdown
    from reviewloop.reports.safe_text import well_formed

    report = panel_report(history)
    if report is None:
        raise UsageError(
            f"session {history.feature} has no panel's report",
            hint=f"see it with `reviewloop status {history.feature}` or `reviewloop log {history.feature}`",
        )
    click.echo(well_formed(markdown(report)), nl=False)


def _at_work(holder: Hold | None, name: str) -> str:
    if holder:
        return f"{holder.owner} is working on it"
    return f"nobody is working on it; go on with: {shlex.join(['reviewloop', 'resume', name])}"


async def _now(project: Project, state: SessionState) -> dict[str, bool]:
    """What the record does not know: whether what passed was changed, and whether somebody is at work."""
    from reviewloop.app.drift import has_drifted

    at_work = await project.ledger.holder(state.history.feature)
    return {"drifted": await has_drifted(project, state), "under_way": at_work is not None}


async def _all(project: Project, *, as_json: bool) -> ExitCode:
    from reviewloop.app.drift import has_drifted
    from reviewloop.cli.damage import tell_damage
    from reviewloop.cli.output import console, message, print_json
    from reviewloop.views.session_object import session_object

    latest = await project.catalog.latest()
    if as_json:
        print_json([session_object(one.id, one.history) | await _now(project, one) for one in latest.found])
        return tell_damage(latest.damaged)
    if not latest.found and not latest.damaged:
        message("no sessions yet; start one with `reviewloop run spec.md`")
        return ExitCode.PASSED
    from rich.table import Table

    from reviewloop.reports.safe_text import one_line

    table = Table(box=None, pad_edge=False)
    for title in ("name", "outcome", "iterations", "why", "last change"):
        table.add_column(title, overflow="fold")
    for one in latest.found:
        history = one.history
        outcome = str(history.outcome).replace("_", " ") if history.outcome else "running"
        if history.outcome is None and await project.ledger.holder(history.feature) is None:
            outcome = "cut short"
        elif await has_drifted(project, one):
            outcome += ", changed since"
        when = history.updated_at.astimezone().strftime("%Y-%m-%d %H:%M")
        table.add_row(history.feature, outcome, str(len(history.iterations)), one_line(history.because), when)
    if latest.found:
        console().print(table)
    return tell_damage(latest.damaged)
