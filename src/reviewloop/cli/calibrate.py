"""`reviewloop calibrate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from reviewloop.cli.options import config_option, json_option, with_project
from reviewloop.errors import ExitCode

if TYPE_CHECKING:
    from reviewloop.app.project import Project
    from reviewloop.core.statistics.calibration_backtest import Effect, Line


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
        from reviewloop.cli.damage import tell_damage
        from reviewloop.cli.output import message, print_json
        from reviewloop.config.resolve import resolve
        from reviewloop.core.panel.calibration import answers, decisions
        from reviewloop.core.statistics.calibration_backtest import effects, sums, table
        from reviewloop.core.statistics.stated_confidence import buckets, claims
        from reviewloop.core.types.artifact import Kind
        from reviewloop.reports.calibration import (
            bucket_object,
            effect_object,
            effect_tables,
            line_object,
            lines_table,
            stated_table,
        )
        from reviewloop.reports.tables import as_text

        recent = await project.catalog.recent()
        sessions = recent.found
        past = [decision for one in sessions for decision in decisions(one.session, one.payloads)]
        stated = buckets([claim for one in sessions for claim in claims(one.payloads)])
        lines = table(answers(past))
        least = resolve(project.config, Kind.SPEC, {}).auto_confidence if auto_confidence is None else auto_confidence
        found = effects(past, least)
        if as_json or form == "json":
            shown: dict[str, Any] = {
                "sessions": len(sessions),
                "auto_confidence": least,
                "decisions": [line_object(one) for one in lines],
                "stated": [bucket_object(one) for one in stated],
                "effects": [effect_object(one) for one in found],
                "different": sum(one.differs for one in found),
            }
            print_json(shown)
            return tell_damage(recent.damaged)
        tables = [lines_table(lines), stated_table(stated), *effect_tables(sums(found), found, least)]
        if any(table.rows for table in tables):
            click.echo(as_text(tables), nl=False)
        message(_verdict(len(sessions), lines, found, least))
        return tell_damage(recent.damaged)

    return with_project(work, config_file)


def _verdict(sessions: int, lines: tuple[Line, ...], found: tuple[Effect, ...], least: float) -> str:
    """What all that comes to, in a sentence or two."""
    from reviewloop.core.panel.calibration import ENOUGH
    from reviewloop.text import count

    asked = sum(one.observed.tries for one in lines)
    over = f"in {count(sessions, 'session')}"
    if not asked:
        return f"no panel's decision was answered by a person {over}: there is nothing to calibrate with"
    known = f"{count(asked, 'answer')} {over}"
    if all(one.observed.tries < ENOUGH for one in lines):
        return f"{known}: too few to act on; a kind of decision needs {ENOUGH}"
    different = sum(one.differs for one in found)
    if not different:
        return f"{known}: nothing would have come out differently at {least:g}"
    return (
        f"{known}: {count(different, 'decision')} would have been kept for a person at {least:g}\n"
        f"next: `review.auto_confidence: {least:g}` in the configuration acts on it, 0 never does"
    )
