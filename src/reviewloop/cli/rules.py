"""`reviewloop rules`."""

from __future__ import annotations

import click

from reviewloop.cli.options import KINDS
from reviewloop.errors import ExitCode


@click.command()
@click.option("--kind", type=click.Choice(KINDS), help="Only the rules for this kind of artifact.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array instead.")
def rules(kind: str | None, as_json: bool) -> ExitCode:
    """List the offline rules."""
    from reviewloop.app.rule_catalog import list_rules
    from reviewloop.cli.output import console, print_json

    found = list_rules(kind)
    if as_json:
        print_json(
            [
                {
                    "id": rule.id,
                    "name": rule.name,
                    "severity": str(rule.severity),
                    "default": rule.default,
                    "kinds": sorted(rule.kinds),
                    "summary": rule.summary,
                }
                for rule in found
            ]
        )
        return ExitCode.PASSED
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for title in ("rule", "severity", "on", "what it finds"):
        table.add_column(title, overflow="fold")
    for rule in found:
        table.add_row(rule.id, str(rule.severity), "yes" if rule.default else "no", rule.summary)
    console().print(table)
    return ExitCode.PASSED
