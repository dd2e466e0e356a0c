"""`reviewloop replay-cases`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reviewloop.cli.completion import agents
from reviewloop.cli.options import config_option, json_option, quiet_option, with_project
from reviewloop.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from reviewloop.app.project import Project
    from reviewloop.app.replay_cases import Replayed


@click.command()
@click.option(
    "--agent",
    metavar="AGENT",
    shell_complete=agents,
    help="Whom to try out; the configured reviewer, of a panel the strongest.",
)
@click.option("--configured", is_flag=True, help="Try out the rubric and dialect of the configuration as it is now.")
@click.option(
    "--prompt", type=click.Path(exists=True, dir_okay=False), help="Try out this text instead of the Standards."
)
@click.option("--against", metavar="AGENT", help="Compare with this recorded reviewer; with all of them unless given.")
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="At most so many cases.")
@click.option("--max-usd", type=click.FloatRange(0), metavar="USD", help="Stop asking once this is spent.")
@click.option("--max-seconds", type=click.FloatRange(0), metavar="SECONDS", help="The same for the time answers take.")
@click.option("--fresh", is_flag=True, help="Ask again about cases that were answered before.")
@click.option("--format", "form", type=click.Choice(["terminal", "json"]), default="terminal", help="How to print it.")
@config_option
@json_option
@quiet_option
def replay_cases(form: str, config_file: str | None, as_json: bool, **asked: Any) -> ExitCode:
    """Ask a candidate about stored cases and compare it with what the reviewers said then.

    A case is the first review of a session, with what is known by now: which findings were right, and which were false
    alarms. Nothing is edited, and no session changes. Answers are kept: a case is paid for once.

    Exit codes: 0, 4 if the money or time was spent before all cases were tried, 5 if the candidate answered none.
    """
    prompt = Path(asked["prompt"]).read_text(encoding="utf-8", errors="replace") if asked["prompt"] else None

    async def work(project: Project) -> ExitCode:
        from reviewloop.app.replay_cases import Budget, Candidate, cases, chosen_agent, comparison, replay
        from reviewloop.cli.output import message, print_json, progress
        from reviewloop.reports.cases import replay_object, replay_tables
        from reviewloop.reports.tables import as_text

        candidate = Candidate(
            agent=chosen_agent(project, asked["agent"]), configured=asked["configured"], prompt=prompt
        )
        some = await cases(project, against=asked["against"], limit=asked["limit"])
        if not some:
            raise UsageError(_nothing(asked["against"]), hint="sessions that ended, or wait for a person, are cases")
        budget = Budget(usd=asked["max_usd"], seconds=asked["max_seconds"])
        with progress(quiet=asked["quiet"]) as observers:
            found = await replay(project, some, candidate, budget, observers, fresh=asked["fresh"])
        compared = comparison(found.tried)
        if as_json or form == "json":
            print_json(replay_object(candidate.agent, found.tried, compared) | {"left": found.left})
        else:
            click.echo(as_text(replay_tables(candidate.agent, found.tried, compared)), nl=False)
        message(_told(found))
        if found.stopped:
            return ExitCode.BLOCKED
        return ExitCode.PASSED if compared.heard else ExitCode.INCONCLUSIVE

    return with_project(work, config_file)


def _nothing(against: str | None) -> str:
    return "there are no cases on record" + (f" that {against} reviewed" if against else "")


def _told(found: Replayed) -> str:
    from reviewloop.text import count

    tried = (
        f"{count(len(found.tried), 'case')}, {found.asked} asked now, {len(found.tried) - found.asked} from the record"
    )
    return f"{tried}\n{found.stopped}: {count(found.left, 'case')} left" if found.stopped else tried
