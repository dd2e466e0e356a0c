"""`reviewloop doctor`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from reviewloop.cli.options import config_option, json_option, with_project
from reviewloop.errors import ExitCode

if TYPE_CHECKING:
    from reviewloop.app.project import Project


@click.command()
@click.option("--call", is_flag=True, help="Also make one small call to every agent, which may cost money.")
@config_option
@json_option
def doctor(call: bool, config_file: str | None, as_json: bool) -> ExitCode:
    """Say which agents, files and records are there and work. Exit code 2 if something configured does not."""

    async def work(project: Project) -> ExitCode:
        from reviewloop.app.doctor import examine
        from reviewloop.cli.output import console, print_json

        checks = await examine(project, call=call)
        if as_json:
            print_json([asdict(one) for one in checks])
        else:
            out = console()
            for one in checks:
                out.print(f"{'ok' if one.ok else 'no':<4}", style="green" if one.ok else "bold red", end="")
                out.print(f"{one.what:<20}{one.about}")
                if one.hint:
                    out.print(f"{'':<24}hint: {one.hint}", style="dim")
        return ExitCode.PASSED if all(one.ok for one in checks) else ExitCode.USAGE

    return with_project(work, config_file)
