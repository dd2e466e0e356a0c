"""`reviewloop calibrate`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reviewloop.cli.options import config_option, json_option, with_project
from reviewloop.errors import ExitCode

if TYPE_CHECKING:
    from reviewloop.app.project import Project


@click.command()
@click.option(
    "--auto-confidence",
    type=click.FloatRange(0, 1),
    metavar="RATE",
    help="Show the effect of this setting; as configured unless given.",
)
@click.option("--format", "form", type=click.Choice(["terminal", "json"]), default="terminal", help="How to print it.")
@config_option
@json_option
def calibrate(auto_confidence: float | None, form: str, config_file: str | None, as_json: bool) -> ExitCode:
    """Show how often decisions were right by what people answered, and what acting on that would change.

    Nothing is changed: `review.auto_confidence` in the configuration is the switch.
    """

    async def work(project: Project) -> ExitCode:
        from reviewloop.app.figures import calibration_figures
        from reviewloop.cli.output import message, print_json, report_damage
        from reviewloop.reports.calibration import calibration_object, calibration_tables, calibration_verdict
        from reviewloop.reports.tables import as_text

        read = await calibration_figures(project, auto_confidence)
        found = read.calibration
        if as_json or form == "json":
            print_json(calibration_object(found))
            return report_damage(read.damaged)
        tables = calibration_tables(found)
        if any(table.rows for table in tables):
            click.echo(as_text(tables), nl=False)
        message(calibration_verdict(found))
        return report_damage(read.damaged)

    return with_project(work, config_file)
