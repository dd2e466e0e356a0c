"""`reviewloop progress`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reviewloop.cli.options import config_option, json_option, with_project
from reviewloop.errors import ExitCode

if TYPE_CHECKING:
    from typing import Any

    from reviewloop.app.project import Project
    from reviewloop.reports.tables import Table
    from reviewloop.views.plan_table import Plan


@click.command()
@config_option
@json_option
def progress(config_file: str | None, as_json: bool) -> ExitCode:
    """Show how far the work is: the living plan, what waits for a person, and the summary of all reviews."""

    async def work(project: Project) -> ExitCode:
        from reviewloop.cli.damage import tell_damage
        from reviewloop.cli.output import message, print_json
        from reviewloop.core.statistics.analytics import summary
        from reviewloop.core.statistics.stats import figures
        from reviewloop.reports.tables import as_text
        from reviewloop.views.living_plan import read_plans

        read = await project.catalog.told()
        told = read.found
        summed = summary(entry for one in told for entry in one.entries)
        advice = list(figures(told).advice)
        waiting = [
            {"name": one.history.feature, "outcome": str(one.history.outcome), "because": one.history.because}
            for one in (await project.catalog.latest()).found
            if one.history.outcome and one.history.outcome.waits
        ]
        plans = read_plans(project.root, project.config.paths.plan or "")
        if as_json:
            print_json({"plan": _rows(plans), "waiting": waiting, "summary": summed, "advice": advice})
        elif not told and not plans and not read.damaged:
            message("no sessions yet; start one with `reviewloop run spec.md`")
        else:
            tables = _tables(waiting, summed, advice) if told else []
            click.echo(as_text([*map(_plan, plans), *tables]), nl=False)
        return tell_damage(read.damaged)

    return with_project(work, config_file)


def _plan(plan: Plan) -> Table:
    from reviewloop.reports.tables import Table

    return Table(title=f"plan ({plan.path})", columns=plan.columns, rows=plan.rows)


def _rows(plans: list[Plan]) -> list[dict[str, str]]:
    return [{"path": plan.path} | dict(zip(plan.columns, row, strict=False)) for plan in plans for row in plan.rows]


def _tables(waiting: list[dict[str, str]], summed: dict[str, Any], advice: list[str]) -> list[Table]:
    from reviewloop.reports.tables import Table

    numbers = ("total_reviews", "auto_approved", "auto_rejected", "human_decided", "avg_fix_iterations")
    accuracy: dict[str, dict[str, int]] = summed["model_accuracy"]
    services: dict[str, dict[str, Any]] = summed["by_service"]
    return [
        Table(
            title="waiting for a person",
            columns=("name", "outcome", "why"),
            rows=tuple((one["name"], one["outcome"], one["because"]) for one in waiting),
        ),
        Table(
            title="reviews",
            columns=("figure", "value"),
            rows=tuple((name.replace("_", " "), str(summed[name])) for name in numbers),
        ),
        Table(
            title="models",
            columns=("model", "right", "wrong", "missed"),
            rows=tuple((name, *(str(number) for number in one.values())) for name, one in accuracy.items()),
        ),
        Table(
            title="services",
            columns=("service", "reviews", "common issues"),
            rows=tuple((name, str(one["reviews"]), "; ".join(one["common_issues"])) for name, one in services.items()),
        ),
        Table(title="advice", columns=("what the figures call for",), rows=tuple((line,) for line in advice)),
    ]
