"""`reviewloop undo`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reviewloop.cli.completion import sessions
from reviewloop.cli.options import config_option, json_option, with_project
from reviewloop.errors import ExitCode

if TYPE_CHECKING:
    from reviewloop.app.project import Project
    from reviewloop.app.undo import RestoredFile, UndoReport


@click.command()
@click.argument("name", shell_complete=sessions)
@click.option("--dry-run", is_flag=True, help="Print what would be restored; change nothing.")
@config_option
@json_option
def undo(name: str, dry_run: bool, config_file: str | None, as_json: bool) -> ExitCode:
    """Restore the files as they were before a session's authors first edited them: all of them or none.

    The session's pass no longer counts, and a spec task's box is unticked. Nothing is undone while the session is being
    worked on, if one of the files changed since, or if a later session edited one of them.
    """
    from reviewloop.app.undo import undo as take_back
    from reviewloop.cli.output import print_json

    async def work(project: Project) -> ExitCode:
        report = await take_back(project, name, dry_run=dry_run)
        if as_json:
            print_json(_object(report, dry_run=dry_run))
        else:
            _describe(report, dry_run=dry_run)
        return ExitCode.PASSED

    return with_project(work, config_file)


def _describe(report: UndoReport, *, dry_run: bool) -> None:
    import shlex

    from reviewloop.cli.output import message
    from reviewloop.reports.phrases import plural
    from reviewloop.reports.safe_text import one_line

    if report.nothing:
        message(f"nothing to undo: {report.nothing}")
        if report.earlier:
            message(f"hint: undo the session before it: {shlex.join(['reviewloop', 'undo', report.earlier])}")
        return
    lines = [f"{_verb(file, dry_run=dry_run)} {one_line(file.path)}" for file in report.files]
    lines += [f"{one_line(path)} is already as it was" for path in report.already_restored]
    if report.unticked:
        lines.append(f"{'would untick' if dry_run else 'unticked'} the task's box in {one_line(report.unticked)}")
    what = "would be undone" if dry_run else "undone"
    click.echo(f"{report.feature}: {what}, {plural(len(report.files), 'file')}")
    for line in lines:
        click.echo(f"  {line}")


def _verb(file: RestoredFile, *, dry_run: bool) -> str:
    """What is done to a file: deleted if the author created it, written again if the author deleted it."""
    if file.is_deleted:
        return "would delete" if dry_run else "deleted"
    return "would restore" if dry_run else "restored"


def _object(report: UndoReport, *, dry_run: bool) -> dict[str, object]:
    from dataclasses import asdict

    return {
        "feature": report.feature,
        "session": report.session,
        "dry_run": dry_run,
        "undone": report.is_undone,
        "nothing_to_undo": report.nothing or None,
        "earlier_session": report.earlier or None,
        "files": [asdict(file) for file in report.files],
        "already_restored": list(report.already_restored),
        "unticked": report.unticked or None,
    }
