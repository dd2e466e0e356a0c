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
@click.option("--call", is_flag=True, help="Also call every agent once, which may cost money.")
@config_option
@json_option
def doctor(call: bool, config_file: str | None, as_json: bool) -> ExitCode:
    """Check agents, configuration and ledger. Exit code 2 if a check fails."""

    async def work(project: Project) -> ExitCode:
        from reviewloop.app.doctor import examine
        from reviewloop.cli.output import console, print_json

        checks = await examine(project, call=call)
        if as_json:
            print_json([asdict(check) for check in checks])
        else:
            out = console()
            for check in checks:
                out.print(f"{'ok' if check.ok else 'no':<4}", style="green" if check.ok else "bold red", end="")
                out.print(f"{check.what:<20}{check.about}")
                if check.hint:
                    out.print(f"{'':<24}hint: {check.hint}", style="dim")
        return ExitCode.PASSED if all(check.ok for check in checks) else ExitCode.USAGE

    return with_project(work, config_file)
