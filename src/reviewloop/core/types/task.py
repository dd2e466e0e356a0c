"""Workflow tasks: their dependencies, agents and review overlays."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from reviewloop.core.types.rubric import Rubric
from reviewloop.core.types.verification import Verify


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlay:
    """A task's review: the coder, the reviewer, and the exit conditions.

    `panel` replaces the one reviewer with several, the strongest last.
    """

    coder: str
    reviewer: str
    panel: tuple[str, ...] = ()
    max_iterations: int | None = None
    exit_conditions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The place of a task in a spec, and the review cadence of that spec, as the user wrote it."""

    folder: str
    file: str
    number: str
    when: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commission:
    """The work that a session asks an author for, before any review.

    Without `outputs` the author may change the whole project, and its changes are reviewed. `written_in` is the session
    that did the work already; `is_there` means that the files exist already. `goal` is the user's own wording, and
    `feature` the PRD feature of these specs or tasks. `verify`, `reviews` and `origin` come from the task. `wanted` are
    the tasks that the user asked for with this one. `plan_row` is its row in the living plan, if its name differs.
    """

    task: str
    agent: str
    instructions: str = ""
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    acceptance_criteria: tuple[str, ...] = ()
    is_reviewed: bool = True
    written_in: str = ""
    is_there: bool = False
    goal: str = ""
    feature: str = ""
    plan_row: str = ""
    verify: Verify | None = None
    reviews: tuple[str, ...] = ()
    origin: Origin | None = None
    wanted: tuple[str, ...] = ()

    @property
    def is_written(self) -> bool:
        """Whether the work exists already and only needs a review."""
        return bool(self.written_in or self.reviews or self.is_there)

    @property
    def needs_change(self) -> bool:
        """Whether a change is the only sign that the work was done: no check runs, and there is nothing to review."""
        return self.verify is None and not (self.is_reviewed and self.outputs)

    @property
    def files(self) -> tuple[str, ...]:
        """The output files. For a folder of specs, its `spec.md`."""
        return tuple(f"{path}/spec.md" if self.feature and not path.endswith(".md") else path for path in self.outputs)

    @property
    def description(self) -> str:
        """The task as reviewers and authors of a fix see it."""
        return "\n\n".join(part for part in (self.goal, self.instructions) if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A commission with its place in a workflow. Without an overlay, its work is not reviewed."""

    commission: Commission
    depends_on: tuple[str, ...] = ()
    rubric: Rubric | None = None
    overlay: Overlay | None = None

    @property
    def id(self) -> str:
        return self.commission.task

    @property
    def agent(self) -> str:
        return self.commission.agent


def in_order(tasks: Iterable[Task]) -> tuple[Task, ...]:
    """The tasks in dependency order, otherwise in the order they were written."""
    left = {task.id: task for task in tasks}
    done: dict[str, Task] = {}
    while left:
        ready = [task for task in left.values() if not any(name in left for name in task.depends_on)]
        if not ready:
            raise ValueError("the tasks depend on each other in a cycle")
        done[ready[0].id] = left.pop(ready[0].id)
    return tuple(done.values())


def circle(depends_on: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Tasks that depend on each other in a cycle, with the first repeated at the end; empty without a cycle."""
    try:
        TopologicalSorter(depends_on).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return tuple(reversed(found))
    return ()


def with_dependencies(tasks: Sequence[Task], wanted: Collection[str]) -> tuple[Task, ...]:
    """The wanted tasks and all their dependencies, in order."""
    by_id = {task.id: task for task in tasks}
    needed: set[str] = set()
    more = list(wanted)
    while more:
        name = more.pop()
        if name not in needed:
            needed.add(name)
            more += by_id[name].depends_on
    return tuple(task for task in in_order(tasks) if task.id in needed)
