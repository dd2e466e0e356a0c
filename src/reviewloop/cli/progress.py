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
    """Show the living plan, what waits for a person, and a summary of all reviews."""

    async def work(project: Project) -> ExitCode:
        from reviewloop.app.figures import progress_figures
        from reviewloop.cli.output import message, print_json, report_damage
        from reviewloop.reports.tables import as_text

        found = await progress_figures(project)
        plans, waiting, advice = list(found.plans), list(found.waiting), list(found.advice)
        if as_json:
            print_json({"plan": _rows(plans), "waiting": waiting, "summary": found.summary, "advice": advice})
        elif not found.sessions and not plans and not found.damaged:
            message("no sessions yet; start one: reviewloop run spec.md")
        else:
            tables = _tables(waiting, found.summary, advice) if found.sessions else []
            click.echo(as_text([*map(_plan, plans), *tables]), nl=False)
        return report_damage(found.damaged)

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
            rows=tuple((entry["name"], entry["outcome"], entry["because"]) for entry in waiting),
        ),
        Table(
            title="reviews",
            columns=("figure", "value"),
            rows=tuple((name.replace("_", " "), str(summed[name])) for name in numbers),
        ),
        Table(
            title="models",
            columns=("model", "right", "wrong", "missed"),
            rows=tuple((name, *(str(number) for number in entry.values())) for name, entry in accuracy.items()),
        ),
        Table(
            title="services",
            columns=("service", "reviews", "common issues"),
            rows=tuple(
                (name, str(entry["reviews"]), "; ".join(entry["common_issues"])) for name, entry in services.items()
            ),
        ),
        Table(title="advice", columns=("recommendation",), rows=tuple((line,) for line in advice)),
    ]
