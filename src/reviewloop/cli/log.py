"""`reviewloop log`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reviewloop.cli.options import config_option, json_option, with_app
from reviewloop.errors import ExitCode

if TYPE_CHECKING:
    from reviewloop.app import App
    from reviewloop.review.history import History, Iteration, Writing


@click.command()
@click.argument("name")
@click.option("--full", is_flag=True, help="Also what the agents said, word for word.")
@config_option
@json_option
def log(name: str, full: bool, config_file: str | None, as_json: bool) -> ExitCode:
    """Show what happened in a session: every iteration, decision, finding and attempt."""
    from reviewloop.cli.output import print_json
    from reviewloop.views.review_log import entry, rendered

    async def work(app: App) -> ExitCode:
        ran = await app.records.named(name)
        if as_json:
            lines = [entry(ran.id, ran.history, one) for one in ran.history.iterations if one.conclusion]
            print_json(rendered(ran.id, ran.history, lines))
        else:
            _tell(ran.id, ran.history, full=full)
        return ExitCode.PASSED

    return with_app(work, config_file)


def _tell(session: str, history: History, *, full: bool) -> None:
    from reviewloop.cli.output import console
    from reviewloop.reports.safe import one_line

    out = console()
    out.print(f"{history.feature}  {session}  started {history.started_at.astimezone():%Y-%m-%d %H:%M}", style="bold")
    for window in history.windows:
        if window.opened:
            note = f": {one_line(window.opened.note)}" if window.opened.note else ""
            out.print(f"\n{window.opened.by or 'a person'} said {window.opened.action}{note}", style="magenta")
        for writing in history.writings:
            if writing.window == window.number:
                _tell_writing(writing)
        for iteration in history.iterations:
            if iteration.window == window.number:
                _tell_iteration(iteration, full=full)
    if history.outcome:
        out.print(f"\n{str(history.outcome).replace('_', ' ')}: {one_line(history.because)}", style="bold")


def _tell_writing(writing: Writing) -> None:
    from reviewloop.cli.output import console
    from reviewloop.reports.safe import one_line

    out = console()
    out.print("\nfirst version")
    for failed in writing.failures:
        out.print(f"  {failed.call.agent} failed: {one_line(failed.failure.message)}")
    if writing.authored:
        wrote = ", ".join(change.path for change in writing.authored.changes) or "nothing"
        out.print(f"  {writing.authored.call.agent} ({writing.authored.usage.seconds:.1f} s): wrote {wrote}")


def _tell_iteration(iteration: Iteration, *, full: bool) -> None:
    from reviewloop.cli.output import console
    from reviewloop.reports.safe import one_line, printable
    from reviewloop.review.judge import count
    from reviewloop.review.review import Malformed, Review

    out = console()
    checked = iteration.checked
    facts = count(len(checked.facts), "rule finding")
    out.print(f"\niteration {iteration.number}  {checked.digest[:12]}  {checked.size} characters, {facts}")
    for ended in iteration.ended:
        match ended.result:
            case Review(verdict=verdict, summary=summary):
                said = f"{verdict}{f': {one_line(summary)}' if summary else ''}"
            case Malformed() as problem:
                said = f"malformed answer: {problem}"
            case failure:
                said = f"no answer: {one_line(failure.message)}"
        spared = (
            f", {ended.call.sent.saved_tokens:,} tokens spared" if ended.call.sent and not ended.call.sent.whole else ""
        )
        out.print(f"  {ended.call.agent} (attempt {ended.call.attempt}, {ended.usage.seconds:.1f} s{spared}): {said}")
        if full and ended.text:
            out.print("\n".join(f"    {printable(line)}" for line in ended.text.splitlines()), style="dim")
    if iteration.conclusion:
        heading = f", {iteration.conclusion.convergence}" if iteration.conclusion.convergence else ""
        out.print(f"  → {iteration.conclusion.verdict}{heading}: {one_line(iteration.conclusion.because)}")
        for finding in iteration.conclusion.findings:
            standing = f", {finding.standing}" if finding.standing else ""
            where = one_line(str(finding.place))
            out.print(f"    {finding.id} {finding.severity}{standing} · {where}: {one_line(finding.issue)}")
    for contest in iteration.contested:
        out.print(f"  {contest.by} contests {contest.finding.id}: {one_line(contest.reason)}")
    for ruled in iteration.ruled:
        out.print(
            f"  {ruled.call.agent} on {ruled.finding.id}: {ruled.ruling or 'no ruling'}: {one_line(ruled.reason)}"
        )
    for failed in iteration.author_failures:
        out.print(f"  {failed.call.agent} failed: {one_line(failed.failure.message)}")
    for work in iteration.works:
        changed = ", ".join(change.path for change in work.changes) or "nothing"
        out.print(f"  {work.call.agent} changed {changed}")
        if full and work.text:
            lines = work.text.splitlines()
            out.print("\n".join(f"    {printable(line)}" for line in lines), style="dim")
