"""`reviewloop stats`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reviewloop.cli.options import config_option, json_option, with_project
from reviewloop.errors import ExitCode

if TYPE_CHECKING:
    from datetime import datetime

    from reviewloop.app.project import Project

FORMATS = ("terminal", "json", "csv", "markdown", "html")


@click.command()
@click.option("--since", metavar="WHEN", help="Only sessions started since then: a date, or 7d, 4w, 12h.")
@click.option(
    "--by", type=click.Choice(["model", "service", "kind", "rule"]), help="Only the figures of each of these."
)
@click.option("--format", "form", type=click.Choice(FORMATS), default="terminal", help="How to print them.")
@config_option
@json_option
def stats(since: str | None, by: str | None, form: str, config_file: str | None, as_json: bool) -> ExitCode:
    """Show review quality and cost."""
    start = parse_since(since) if since else None

    async def work(project: Project) -> ExitCode:
        from reviewloop.app.figures import review_figures
        from reviewloop.cli.output import print_json, report_damage
        from reviewloop.reports.figures import figures_object, tables
        from reviewloop.reports.tables import as_csv, as_html, as_markdown, as_text

        read = await review_figures(project, start)
        found = read.figures
        if as_json or form == "json":
            whole = figures_object(found)
            print_json(whole if by is None else whole[f"{by}s"])
            return report_damage(read.damaged)
        chosen = tables(found, by)
        if form == "html":
            click.echo(as_html(chosen, "Reviews"), nl=False)
        else:
            render = {"csv": as_csv, "markdown": as_markdown, "terminal": as_text}[form]
            click.echo(render(chosen), nl=False)
        return report_damage(read.damaged)

    return with_project(work, config_file)


def parse_since(text: str) -> datetime:
    """A date or a time, or how long ago."""
    from datetime import UTC, datetime, timedelta

    units = {"h": "hours", "d": "days", "w": "weeks"}
    if text[:-1].isdecimal() and len(text) < 7 and text[-1] in units:
        return datetime.now(UTC) - timedelta(**{units[text[-1]]: int(text[:-1])})
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is neither a date nor like 7d", param_hint="--since") from None
    return when if when.tzinfo else when.astimezone()
