"""`reviewloop stability`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from reviewloop.cli.options import config_option, json_option, kind_option, quiet_option, with_project
from reviewloop.errors import ExitCode

if TYPE_CHECKING:
    from reviewloop.app.project import Project
    from reviewloop.core.statistics.stability import Steadiness


@click.command()
@click.argument("path")
@click.option("--reviewer", metavar="AGENT", help="Whom to ask; the configured reviewer, of a panel the strongest.")
@click.option("--times", type=click.IntRange(2, 50), default=2, show_default=True, help="How often to ask.")
@kind_option
@config_option
@json_option
@quiet_option
def stability(
    path: str,
    reviewer: str | None,
    times: int,
    kind: str | None,
    config_file: str | None,
    as_json: bool,
    quiet: bool,
) -> ExitCode:
    """Ask a reviewer the same thing several times and say how often it changes its mind.

    Every time is paid for, and nothing goes on record. Exit codes: 0, or 5 if the reviewer gave no two answers.
    """
    from reviewloop.app.stability import ask_again
    from reviewloop.cli.output import print_json

    async def work(project: Project) -> ExitCode:
        found = await ask_again(project, path, reviewer=reviewer, times=times, kind=kind, quiet=quiet)
        if as_json:
            print_json([_object(one) for one in found])
        else:
            for one in found:
                _tell(one)
        return ExitCode.PASSED if all(len(one.verdicts) > 1 for one in found) else ExitCode.INCONCLUSIVE

    return with_project(work, config_file)


def _object(one: Steadiness) -> dict[str, Any]:
    from dataclasses import asdict

    recurring = [{"answers": same.answers, **asdict(same.finding)} for same in one.findings]
    return asdict(one) | {"findings": recurring, "recurring": _recurring(one)}


def _recurring(one: Steadiness) -> int:
    return sum(same.answers > 1 for same in one.findings)


def _tell(one: Steadiness) -> None:
    from reviewloop.cli.output import console
    from reviewloop.reports.safe_text import one_line
    from reviewloop.text import count

    out = console()
    verdicts = ", ".join(str(verdict).replace("_", " ") for verdict in one.verdicts) or "none"
    out.print(f"{one.seat}: asked {one.asked} times, verdicts: {verdicts}", style="bold")
    for reason in one.unheard:
        out.print(f"  no verdict: {one_line(reason)}", style="yellow")
    if one.flip_rate is not None:
        times = f"{one.flips} of {len(one.verdicts) - 1}"
        out.print(f"  flips: {times} ({one.flip_rate:.0%}; 95%: {one.interval.low:.0%} to {one.interval.high:.0%})")
    for spread in one.scores:
        apart = spread.highest - spread.lowest
        out.print(f"  {spread.criterion}: {spread.lowest:g} to {spread.highest:g}, {apart:g} apart")
    possibly = f", {count(one.possibly_same, 'pair')} possibly the same" if one.possibly_same else ""
    out.print(f"  findings: {len(one.findings)} different, {_recurring(one)} of them more than once{possibly}")
    for same in one.findings:
        finding = same.finding
        where = one_line(str(finding.place))
        out.print(f"    {same.answers}x {finding.severity} {where}: {one_line(finding.issue)}")
    usage = one.usage
    tokens = f", {usage.tokens:,} tokens" if usage.tokens else ""
    cost = f", ${usage.cost_usd:.4f}" if usage.cost_usd is not None else ""
    out.print(f"  cost: {usage.seconds:.1f} s{tokens}{cost}")
