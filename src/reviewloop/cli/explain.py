"""`reviewloop explain`."""

from __future__ import annotations

import click

from reviewloop.errors import ExitCode, UsageError


@click.command()
@click.argument("rule")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def explain(rule: str, as_json: bool) -> ExitCode:
    """Show a rule's page: what it checks, why, known problems, an example and what to write instead."""
    from reviewloop.cli.output import print_json
    from reviewloop.rules import all_rules, get
    from reviewloop.text import did_you_mean

    found = get(rule)
    if found is None:
        near = did_you_mean(rule, [name for one in all_rules() for name in (one.id, one.name)])
        hint = f"did you mean {near}?" if near else "list them with `reviewloop rules`"
        raise UsageError(f"there is no rule `{rule}`", hint=hint)
    if as_json:
        print_json({"id": found.id, "name": found.name, "severity": str(found.severity), "page": found.page})
        return ExitCode.PASSED
    click.echo(f"{found.id} {found.name} ({found.severity}, {'on' if found.default else 'off'} by default)\n")
    click.echo(found.page)
    return ExitCode.PASSED
