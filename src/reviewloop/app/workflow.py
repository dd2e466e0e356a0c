"""The workflow of the configuration: its tasks in dependency order, and what is left of it after an answer."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from reviewloop.app.project import Project
from reviewloop.app.tasks import ReviewTerms, TaskRunner, TaskSet, exclusive
from reviewloop.config.resolve import weighted
from reviewloop.config.schema import ReviewSettings
from reviewloop.config.workflow import workflow_of
from reviewloop.core.judging.condition_language import asks_for_scores, names_in, parse
from reviewloop.core.panel.stages import is_staged, with_quality
from reviewloop.core.types.policy import Policy
from reviewloop.core.types.rubric import FOUR_CRITERIA
from reviewloop.core.types.task import Overlay, Task, with_dependencies
from reviewloop.engine.context import Observer
from reviewloop.engine.scheduler import Report
from reviewloop.errors import UsageError
from reviewloop.text import did_you_mean
from reviewloop.workspace.source import Source

LEASE = "reviewloop work"
"""The name under which one process at a time works on the workflow."""


async def run_workflow(
    project: Project,
    wanted: Sequence[str] = (),
    observers: Sequence[Observer] = (),
    *,
    jobs: int = 1,
    fresh: Collection[str] = (),
) -> list[Report]:
    """Do the wanted tasks and what they build on; all tasks if none is named."""
    tasks = workflow_of(project.config)
    known = [task.id for task in tasks]
    if not tasks:
        raise UsageError("there are no tasks", hint="write them under `tasks` in reviewloop.yml")
    for name in (*wanted, *fresh):
        if name not in known:
            near = did_you_mean(name, known)
            hint = f"did you mean {near}?" if near else f"the tasks are {', '.join(known)}"
            raise UsageError(f"there is no task `{name}`", hint=hint)
    runner = TaskRunner(
        project=project,
        tasks=TaskSet(terms=lambda task, source: _terms(project, task, source)),
        observers=observers,
        jobs=jobs,
        fresh=fresh,
        wanted=tuple(wanted),
    )
    async with exclusive(project, LEASE, "the workflow"):
        return await runner.run(with_dependencies(tasks, wanted or known))


def _terms(project: Project, task: Task, source: Source) -> ReviewTerms:
    overlay = task.overlay
    overrides = {
        "author": task.agent,
        "max_iterations": overlay.max_iterations if overlay else None,
        **_reviewers(overlay),
    }
    policy = project.policy(source, overrides, for_task=True)
    return ReviewTerms(overrides=overrides, policy=with_exits(policy, task, project.config.review))


def _reviewers(overlay: Overlay | None) -> dict[str, Any]:
    """Who reviews, as settings: one reviewer, or a panel."""
    if overlay and overlay.panel:
        return {"profile": "panel", "strategy": "parallel", "parallel_models": list(overlay.panel)}
    return {"profile": "overlay", "reviewer": overlay.reviewer if overlay else None}


def with_exits(policy: Policy, task: Task, review: ReviewSettings) -> Policy:
    """The policy with the task's rubric and exit conditions. Conditions on scores need a reviewer who gives scores."""
    conditions = task.overlay.exit_conditions if task.overlay else ()
    policy = replace(policy, exit_conditions=conditions)
    names = frozenset[str]().union(*(names_in(parse(text)) for text in conditions))
    if asks_for_scores(names):
        return replace(policy, rubric=weighted(task.rubric or FOUR_CRITERIA, review), dialect="scored")
    if task.rubric is None:
        return policy
    rubric = weighted(task.rubric, review)
    return with_quality(policy, rubric) if is_staged(policy) else replace(policy, rubric=rubric)
