"""`reviewloop memory`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import click

from reviewloop.cli.options import config_option, json_option, with_project
from reviewloop.errors import ExitCode

if TYPE_CHECKING:
    from reviewloop.app.memory import OpenMemory
    from reviewloop.app.project import Project


@click.group(invoke_without_command=True)
@config_option
@json_option
@click.pass_context
def memory(ctx: click.Context, config_file: str | None, as_json: bool) -> ExitCode:
    """List, show and correct what reviewers have learned about each service."""
    return ExitCode.PASSED if ctx.invoked_subcommand else _list(config_file, as_json=as_json)


@memory.command("list")
@config_option
@json_option
def list_services(config_file: str | None, as_json: bool) -> ExitCode:
    """List the services and how much is known about each."""
    return _list(config_file, as_json=as_json)


def _list(config_file: str | None, *, as_json: bool) -> ExitCode:
    async def work(opened: OpenMemory) -> None:
        from reviewloop.cli.output import message, print_json
        from reviewloop.reports.memory import services_object, services_table
        from reviewloop.reports.tables import as_text

        if as_json:
            print_json(services_object(opened.memories, opened.today))
        elif not opened.memories:
            message("nothing learned yet; reviewers learn from dismissed and added findings")
        else:
            click.echo(as_text([services_table(opened.memories, opened.today)]), nl=False)

    return _with_memory(work, config_file)


@memory.command()
@click.argument("service")
@config_option
@json_option
def show(service: str, config_file: str | None, as_json: bool) -> ExitCode:
    """Show what is known about SERVICE, and what its reviewers are told, word for word."""

    async def work(opened: OpenMemory) -> None:
        from reviewloop.cli.output import print_json
        from reviewloop.reports.memory import service_object, service_tables, told_text
        from reviewloop.reports.tables import as_text

        found, told = opened.of_service(service), opened.told(service)
        if as_json:
            print_json(service_object(found, told, opened.today))
        else:
            click.echo(as_text(service_tables(service, found, opened.today)))
            click.echo(told_text(told), nl=False)

    return _with_memory(work, config_file, service)


@memory.command()
@click.argument("service")
@click.argument("text")
@click.option("--stage", type=click.Choice(["spec", "quality"]), default="spec", help="Choose the reviewers' stage.")
@click.option("--severity", type=click.Choice(["critical", "important", "minor"]), default="important")
@click.option("--rule", is_flag=True, help="Add a rule of the service instead of an issue.")
@config_option
def add(service: str, text: str, stage: str, severity: str, rule: bool, config_file: str | None) -> ExitCode:
    """Tell the reviewers of SERVICE about an issue to look for, or a rule."""

    async def work(opened: OpenMemory) -> None:
        from reviewloop.cli.output import message

        if rule:
            await opened.add_rule(service, text, stage)
        else:
            await opened.add_pattern(service, text, stage, severity)
        message(f"reviewers of {service} are told from now on")

    return _with_memory(work, config_file, service)


@memory.command()
@click.argument("service")
@click.argument("pattern")
@click.option("--why", required=True, help="Say why it is no issue.")
@click.option("--by", default="", help="Say who dismisses it.")
@config_option
def dismiss(service: str, pattern: str, why: str, by: str, config_file: str | None) -> ExitCode:
    """Record that PATTERN is no issue in SERVICE.

    It stops blocking once three people have said so, or one person on three days.
    """

    async def work(opened: OpenMemory) -> None:
        from reviewloop.cli.output import message

        await opened.dismiss(service, pattern, why, by)
        message(f"recorded: {pattern} is no issue in {service}")

    return _with_memory(work, config_file, service)


@memory.command()
@click.argument("service")
@click.argument("pattern")
@config_option
def restore(service: str, pattern: str, config_file: str | None) -> ExitCode:
    """Record that PATTERN is an issue in SERVICE after all."""

    async def work(opened: OpenMemory) -> None:
        from reviewloop.cli.output import message

        await opened.restore(service, pattern)
        message(f"{pattern} is an issue in {service} again")

    return _with_memory(work, config_file, service)


@memory.command()
@config_option
@json_option
def prune(config_file: str | None, as_json: bool) -> ExitCode:
    """Forget archived patterns: those not seen for 30 days."""

    async def work(opened: OpenMemory) -> None:
        from reviewloop.cli.output import message, print_json
        from reviewloop.text import count

        forgotten = await opened.prune()
        if as_json:
            print_json({"forgotten": forgotten})
        else:
            message(f"{count(forgotten, 'pattern')} forgotten")

    return _with_memory(work, config_file)


@memory.command()
@config_option
def export(config_file: str | None) -> ExitCode:
    """Print everything that was learned, as JSON that `import` takes."""

    async def work(opened: OpenMemory) -> None:
        from reviewloop.cli.output import print_json

        print_json({"memory": opened.export()})

    return _with_memory(work, config_file)


@memory.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@config_option
def import_memory(file: str, config_file: str | None) -> ExitCode:
    """Take over what `export` printed, replacing what is known of the same services."""

    async def work(opened: OpenMemory) -> None:
        await opened.import_from(file)

    return _with_memory(work, config_file)


def _with_memory(
    work: Callable[[OpenMemory], Awaitable[None]], config_file: str | None, service: str | None = None
) -> ExitCode:
    async def main(project: Project) -> ExitCode:
        from reviewloop.app.memory import opened_memory

        async with opened_memory(project, service) as opened:
            await work(opened)
        return ExitCode.PASSED

    return with_project(main, config_file)
