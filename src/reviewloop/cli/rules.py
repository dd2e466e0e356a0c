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
    from reviewloop.cli.output import print_json, print_table

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
    rows = ((rule.id, str(rule.severity), "yes" if rule.default else "no", rule.summary) for rule in found)
    print_table(("rule", "severity", "on", "what it finds"), rows)
    return ExitCode.PASSED
