"""`reviewloop review`."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reviewloop.cli.completion import rules
from reviewloop.cli.options import config_option, overrides_of, review_options, target_options, target_request
from reviewloop.cli.output import message, warn
from reviewloop.errors import ArtifactError, ExitCode, UsageError
from reviewloop.reports import FORMATS

if TYPE_CHECKING:
    from reviewloop.app.review_files import FilesReview, ReviewRequest
    from reviewloop.reports.report import ReviewReport

POLL = 0.5
_WITH_WARNINGS = ("terminal", "json", "sarif", "markdown")
"""The formats that have a place for warnings about the run itself."""

_WITH_LEFT_OUT = (*_WITH_WARNINGS, "github", "junit")
"""The formats that have a place for files that could not be read."""


@click.command()
@click.argument("paths", nargs=-1, metavar="PATH...")
@target_options
@click.option("--agents", is_flag=True, help="Ask the configured reviewers too, not only the offline rules.")
@click.option("-y", "--yes", is_flag=True, help="With --agents, do not ask before many calls.")
@review_options
@click.option(
    "--select", multiple=True, metavar="RULE", shell_complete=rules, help="Also run this rule, or all with this prefix."
)
@click.option(
    "--ignore", multiple=True, metavar="RULE", shell_complete=rules, help="Skip this rule, or all with this prefix."
)
@click.option("--baseline", metavar="FILE", help="Ignore the findings in FILE; default: .reviewloop/baseline.json.")
@click.option("--write-baseline", is_flag=True, help="Write all findings to the baseline, so that only new ones count.")
@click.option("--format", "form", type=click.Choice(list(FORMATS)), default="terminal", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON; the same as --format json.")
@click.option("-o", "--output", metavar="FILE", help="Write the report to FILE.")
@click.option(
    "--fail-on", type=click.Choice(["critical", "important", "minor", "never"]), help="Fail from this severity on."
)
@click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever is found.")
@click.option("--watch", is_flag=True, help="Review again whenever a file changes.")
@config_option
def review(paths: tuple[str, ...], watch: bool, as_json: bool, form: str, **options: Any) -> ExitCode:
    """Review documents or a change once. Nothing is edited; offline unless --agents is given.

    PATH is a file, a folder, a pattern, or - for standard input. Exit codes: 0 passed, 1 needs revision, 5 something
    could not be read or judged; with --fail-on, 1 from that severity on.
    """
    if as_json and form not in ("json", "terminal"):
        raise click.UsageError(f"--json and --format {form} exclude each other")
    if options["yes"] and not options["agents"]:
        raise UsageError("--yes is for agents", hint="add --agents, or leave it out")
    form = "json" if as_json else form
    return _watch(paths, form, options) if watch else _once(paths, form, options)


def _request(paths: tuple[str, ...], options: dict[str, Any]) -> ReviewRequest:
    from reviewloop.app.review_files import ReviewRequest

    return ReviewRequest(
        target=target_request(paths, options, read_stdin=not options["agents"]),
        config_file=options["config_file"],
        agents=options["agents"],
        overrides=overrides_of(options),
        select=options["select"],
        ignore=options["ignore"],
        baseline=Path(options["baseline"]) if options["baseline"] and not options["write_baseline"] else None,
        without_baseline=options["write_baseline"],
    )


def _once(paths: tuple[str, ...], form: str, options: dict[str, Any]) -> ExitCode:
    from reviewloop.app.review_files import FilesReview

    files = FilesReview(_request(paths, options))
    output = options["output"]
    if output and Path(output).resolve() in files.paths:
        raise UsageError(f"{output} is under review", hint="write the report to another file")
    report = _by_agents(files, yes=options["yes"]) if options["agents"] else files.by_rules()
    if report is None:
        return ExitCode.INTERRUPTED
    if options["write_baseline"]:
        return _write_baseline(files, report, options)
    _print(report, form, output)
    return _exit_code(report, options)


def _by_agents(files: FilesReview, *, yes: bool) -> ReviewReport | None:
    from reviewloop.cli.output import progress

    def confirm(calls: int) -> bool:
        if yes:
            return True
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            message(f"this review makes {calls} calls to agents")
            return True
        return click.confirm(f"This review makes {calls} calls to agents. Continue?", err=True)

    with progress(quiet=False) as observers:
        return files.by_agents(observers, warn, confirm)


def _write_baseline(files: FilesReview, report: ReviewReport, options: dict[str, Any]) -> ExitCode:
    from reviewloop.app.baseline import write_baseline
    from reviewloop.reports.phrases import left_out
    from reviewloop.text import count

    path = write_baseline(files.root, report.findings, Path(options["baseline"]) if options["baseline"] else None)
    for text in (*map(left_out, report.left_out), *report.warnings):
        warn(text)
    message(f"wrote {path}: {count(len(report.findings), 'finding')} will be ignored from now on")
    return ExitCode.INCONCLUSIVE if report.is_incomplete and not options["exit_zero"] else ExitCode.PASSED


def _print(report: ReviewReport, form: str, output: str | None) -> None:
    from reviewloop.reports import render
    from reviewloop.reports.phrases import left_out
    from reviewloop.reports.screen import Screen

    screen = Screen.of(sys.stdout, os.environ) if output is None else Screen()
    text = render(report, form, screen=screen)
    if output or form not in _WITH_LEFT_OUT:
        for unread in report.left_out:
            warn(left_out(unread))
    if output or form not in _WITH_WARNINGS:
        for warning in report.warnings:
            warn(warning)
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        Path(output).write_text(text, encoding="utf-8")
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise UsageError(
            f"{output} cannot be written: {why}", hint="name a file in a folder you may write to"
        ) from error
    message(f"wrote {output}")


def _exit_code(report: ReviewReport, options: dict[str, Any]) -> ExitCode:
    from reviewloop.app.review_files import BY_VERDICT
    from reviewloop.reports.fail_on import FailOn, fail_on

    if options["exit_zero"]:
        return ExitCode.PASSED
    if not options["fail_on"]:
        return BY_VERDICT[report.verdict]
    threshold = FailOn(options["fail_on"])
    if fail_on(report.findings, threshold):
        return ExitCode.NEEDS_REVISION
    if threshold is not FailOn.NEVER and report.is_incomplete:
        return ExitCode.INCONCLUSIVE  # what could not be read may hold anything
    return ExitCode.PASSED


def _watch(paths: tuple[str, ...], form: str, options: dict[str, Any]) -> ExitCode:
    if options["diff"] or options["staged"] or options["uncommitted"] or paths == ("-",):
        raise UsageError("--watch is for files and folders", hint="leave it out, or name what to watch")
    try:
        _review_changes(paths, form, options)
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED  # Ctrl-C is how watching ends
    return ExitCode.PASSED


def _review_changes(paths: tuple[str, ...], form: str, options: dict[str, Any]) -> None:
    from reviewloop.cli.streams import nobody_reads

    seen: dict[str, int] | None = None
    while not nobody_reads():
        now = _modified(paths, options)
        if now != seen:
            seen = now
            if sys.stdout.isatty():
                click.clear()
            try:
                _once(paths, form, options)
            except ArtifactError as error:  # a file may be gone for a moment while it is saved
                message(error.text)
            message("watching for changes; press Ctrl-C to stop")
        time.sleep(POLL)


def _modified(paths: tuple[str, ...], options: dict[str, Any]) -> dict[str, int]:
    """When each file was last changed."""
    from reviewloop.app.review_files import FilesReview

    stamps: dict[str, int] = {}
    with suppress(ArtifactError):
        request = _request(paths, options)
        for file in FilesReview(replace(request, without_baseline=True)).paths:
            with suppress(OSError):
                stamps[str(file)] = file.stat().st_mtime_ns
    return stamps
