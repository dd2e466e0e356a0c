"""`reviewloop stability`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from reviewloop.cli.completion import agents
from reviewloop.cli.options import (
    config_option,
    json_option,
    quiet_option,
    target_options,
    target_request,
    with_project,
)
from reviewloop.errors import ExitCode

if TYPE_CHECKING:
    from reviewloop.app.project import Project
    from reviewloop.core.statistics.stability import Stability


@click.command()
@click.argument("paths", nargs=-1, metavar="PATH...")
@target_options
@click.option(
    "--reviewer", metavar="AGENT", shell_complete=agents, help="Choose the reviewer; default: the configured one."
)
@click.option("--times", type=click.IntRange(2, 50), default=2, show_default=True, help="Ask this often.")
@config_option
@json_option
@quiet_option
def stability(
    paths: tuple[str, ...],
    reviewer: str | None,
    times: int,
    config_file: str | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> ExitCode:
    """Ask a reviewer the same question several times, and show how often it changes its mind.

    Every answer is paid for, and nothing is recorded. Exit codes: 0, or 5 if the reviewer gave fewer than two answers.
    """
    request = target_request(paths, options)

    async def work(project: Project) -> ExitCode:
        from reviewloop.app.stability import measure_stability
        from reviewloop.cli.output import print_json, progress

        with progress(quiet=quiet) as observers:
            found = await measure_stability(project, request, reviewer=reviewer, times=times, observers=observers)
        if as_json:
            print_json([_object(seat) for seat in found])
        else:
            for seat in found:
                _tell(seat)
        return ExitCode.PASSED if all(len(seat.verdicts) > 1 for seat in found) else ExitCode.INCONCLUSIVE

    return with_project(work, config_file, near=paths)


def _object(one: Stability) -> dict[str, Any]:
    from dataclasses import asdict

    recurring = [{"answers": same.answers, **asdict(same.finding)} for same in one.findings]
    return asdict(one) | {"findings": recurring, "recurring": _recurring(one)}


def _recurring(one: Stability) -> int:
    return sum(same.answers > 1 for same in one.findings)


def _tell(one: Stability) -> None:
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
