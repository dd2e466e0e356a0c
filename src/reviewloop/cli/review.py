"""`reviewloop review`."""

from __future__ import annotations

from typing import Any

import click

from reviewloop.cli.options import config_option, kind_option, look_options
from reviewloop.errors import ExitCode
from reviewloop.reports import FORMATS


@click.command()
@click.argument("paths", nargs=-1, metavar="PATH...")
@kind_option
@click.option("--upstream", multiple=True, metavar="PATH", help="What the document builds on. May be repeated.")
@click.option("--prd", metavar="PATH", help="The PRD the document answers to.")
@click.option("--diff", "git_range", metavar="RANGE", help="Review a change: a git range such as main...HEAD.")
@click.option("--task", metavar="TASK", help="With --diff: the task it was made for, such as tasks.md#1.2.")
@click.option("--agents", is_flag=True, help="Ask the configured reviewers, not only the offline rules.")
@look_options
@click.option("--select", multiple=True, metavar="RULE", help="Also run this rule, or all with this prefix.")
@click.option("--ignore", multiple=True, metavar="RULE", help="Leave out this rule, or all with this prefix.")
@click.option(
    "--baseline", metavar="FILE", help="Leave out what this file lists; .reviewloop/baseline.json if it is there."
)
@click.option(
    "--write-baseline", is_flag=True, help="List everything found in the baseline, so that only new things count."
)
@click.option("--format", "form", type=click.Choice(list(FORMATS)), default="terminal", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("-o", "--output", metavar="FILE", help="Write the report to a file.")
@click.option(
    "--fail-on", type=click.Choice(["critical", "important", "minor", "never"]), help="Fail from this severity on."
)
@click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever is found.")
@click.option("--watch", is_flag=True, help="Review again whenever a file changes, until interrupted.")
@config_option
def review(paths: tuple[str, ...], watch: bool, as_json: bool, form: str, **asked: Any) -> ExitCode:
    """Review documents once; nothing is edited. Offline unless --agents is given.

    PATH is a file, a folder, a pattern, or - for standard input. Exit codes: 0 passed, 1 needs revision, 5 nobody could
    read or judge all of it; with --fail-on, 1 from that severity on.
    """
    from reviewloop.app.review_files import Reviewing

    if as_json and form not in ("json", "terminal"):
        raise click.UsageError(f"--json and --format {form} exclude each other")
    reviewing = Reviewing(paths=paths, form="json" if as_json else form, asked=asked)
    return reviewing.watch() if watch else reviewing.once()
