"""`reviewloop review-changed`: what the pre-commit hook and the GitHub Action run."""

from __future__ import annotations

import click

from reviewloop.cli.options import config_option
from reviewloop.cli.review import review
from reviewloop.errors import ExitCode
from reviewloop.reports import FORMATS


# A hook hands over file names as they are, and one may begin with a dash. So there are no short options, and what is no
# option is a file.
@click.command("review-changed", context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]})
@click.argument("paths", nargs=-1, type=click.UNPROCESSED, metavar="[PATH...]")
@click.option("--since", metavar="REV", help="Review what differs from this commit.")
@click.option("--format", "form", type=click.Choice(list(FORMATS)), default="concise", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON; the same as --format json.")
@click.option("--output", metavar="FILE", help="Write the report to FILE.")
@click.option(
    "--fail-on",
    type=click.Choice(["critical", "important", "minor", "never"]),
    default="important",
    show_default=True,
    help="Fail from this severity on.",
)
@config_option
@click.pass_context
def review_changed(
    context: click.Context,
    paths: tuple[str, ...],
    since: str | None,
    form: str,
    as_json: bool,
    output: str | None,
    fail_on: str,
    config_file: str | None,
) -> ExitCode:
    """Review changed documents of a known kind, for hooks and CI.

    PATH is a changed file; with --since, a file, folder or pattern to look for changes in. Files of no known kind and
    files that the configuration excludes are skipped. Exit codes: 0 nothing to stop for, 1 a finding of that severity,
    5 a document could not be read.
    """
    import os
    from pathlib import Path

    from reviewloop.app.changed_documents import changed_documents
    from reviewloop.cli.output import message
    from reviewloop.text import count

    form = "json" if as_json else form
    found = changed_documents(Path.cwd(), os.environ, paths, since=since, config_file=config_file)
    if found.skipped:
        message(f"skipped {count(len(found.skipped), 'file')}: not a document of a known kind, or excluded")
    if found.paths:
        settings = {"output": output, "fail_on": fail_on, "config_file": config_file}
        return context.invoke(review, paths=found.paths, form=form, **settings)
    message("no changed documents to review")
    if output is None and form != "terminal":
        _print_nothing(form)
    return ExitCode.PASSED


def _print_nothing(form: str) -> None:
    """An empty report, so that programs which read it can."""
    from reviewloop import __version__
    from reviewloop.reports import render
    from reviewloop.reports.report import ReviewReport

    click.echo(render(ReviewReport(artifacts=(), reviewers=("rules",), tool_version=__version__), form), nl=False)
