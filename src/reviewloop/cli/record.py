"""`reviewloop record`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reviewloop.cli.completion import sessions
from reviewloop.cli.options import config_option, json_option, with_project
from reviewloop.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from reviewloop.app.project import Project


@click.command()
@click.argument("names", metavar="NAME...", nargs=-1, required=True, shell_complete=sessions)
@click.option("-o", "--output", metavar="FILE", help="Write it to FILE instead of standard output.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
@config_option
@json_option
def record(names: tuple[str, ...], output: str | None, force: bool, config_file: str | None, as_json: bool) -> ExitCode:
    """Make a replay from recorded sessions: what every agent answered, with keys, tokens and passwords removed.

    Name all sessions of a workflow or a plan to repeat it as a whole.
    """
    from reviewloop.app.recording import record_sessions
    from reviewloop.cli.output import message, print_json

    async def work(project: Project) -> ExitCode:
        recording = await record_sessions(project, names)
        entries = recording.entries
        if output is None:
            print_json(entries)
            return ExitCode.PASSED
        _write(Path(output), json.dumps(entries, indent=2) + "\n", force=force)
        if as_json:
            print_json({"sessions": list(recording.sessions), "transcript": output, "answers": len(entries)})
        else:
            message(
                f"wrote {output}, answers: {len(entries)}\nnext: {{kind: replay, transcript: {output}}} as an agent"
            )
        return ExitCode.PASSED

    return with_project(work, config_file)


def _write(file: Path, text: str, *, force: bool) -> None:
    if file.exists() and not force:
        raise UsageError(f"{file} already exists", hint="choose another name, or replace it with --force")
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}") from error
