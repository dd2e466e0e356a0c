"""`reviewloop init`."""

from __future__ import annotations

from pathlib import Path

import click

from reviewloop.errors import ExitCode, UsageError


@click.command()
@click.option("--profile", type=click.Choice(["spec-gate", "phases", "panel", "overlay"]), default="spec-gate")
@click.option("--force", is_flag=True, help="Replace a configuration that is there.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def init(profile: str, force: bool, as_json: bool) -> ExitCode:
    """Write a commented reviewloop.yml into this directory."""
    import shutil

    from reviewloop.cli.output import message, print_json
    from reviewloop.config.template import template

    path = Path("reviewloop.yml")
    if path.exists() and not force:
        raise UsageError("reviewloop.yml is there already", hint="edit it, or replace it with --force")
    try:
        path.write_text(template(profile, with_claude=shutil.which("claude") is not None), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"reviewloop.yml cannot be written: {error.strerror}") from error
    if as_json:
        print_json({"config": str(path), "profile": profile})
    else:
        message(f"wrote {path} (profile {profile})\nnext: reviewloop doctor, then reviewloop run spec.md")
    return ExitCode.PASSED
