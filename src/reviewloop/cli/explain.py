"""`reviewloop explain`."""

from __future__ import annotations

import click

from reviewloop.cli.completion import rules
from reviewloop.errors import ExitCode


@click.command()
@click.argument("rule", shell_complete=rules)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def explain(rule: str, as_json: bool) -> ExitCode:
    """Show a rule's page: what it checks, why, known problems, an example and what to write instead."""
    from reviewloop.app.rule_catalog import find_rule
    from reviewloop.cli.output import print_json

    found = find_rule(rule)
    if as_json:
        print_json({"id": found.id, "name": found.name, "severity": str(found.severity), "page": found.page})
        return ExitCode.PASSED
    click.echo(f"{found.id} {found.name} ({found.severity}, {'on' if found.default else 'off'} by default)\n")
    click.echo(found.page)
    return ExitCode.PASSED
