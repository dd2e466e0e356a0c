"""A workflow: tasks with dependencies, each with an agent and, if wanted, the review overlay."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from reviewloop.core.types.rubric import Rubric
from reviewloop.core.types.verification import Verify


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlay:
    """A coder and a reviewer who never switch roles, and when their loop is over.

    `panel` are several reviewers instead of the one, the strongest last.
    """

    coder: str
    reviewer: str
    panel: tuple[str, ...] = ()
    max_iterations: int | None = None
    exit_conditions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a task of a spec stands, and when its spec's work is to be reviewed, in the user's words."""

    folder: str
    file: str
    number: str
    when: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commission:
    """What a session is asked to produce before anybody reviews it.

    Without `outputs` the author may change the whole project, and what it changed is what is reviewed. `written_in` is
    the session that did the work, if it is only to be looked at again; `is_there` says that somebody else did it.
    `goal` is the user's own word for it. `feature` is whose specs or tasks these are, if they come from a PRD.
    `verify`, `reviews` and `origin` are the task's. `wanted` are the tasks that the user asked for with this one.
    `plan_row` is the row of the living plan that is about it, if its name does not say so.
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
        """Whether the work was done elsewhere, and only has to be reviewed."""
        return bool(self.written_in or self.reviews or self.is_there)

    @property
    def files(self) -> tuple[str, ...]:
        """The outputs as files: of a folder for specs, the one to begin with."""
        return tuple(f"{one}/spec.md" if self.feature and not one.endswith(".md") else one for one in self.outputs)

    @property
    def told(self) -> str:
        """What reviewers, and authors of a revision, are told about it."""
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
    """The tasks so that everything comes after what it depends on, otherwise as they were written."""
    left = {task.id: task for task in tasks}
    done: dict[str, Task] = {}
    while left:
        ready = [task for task in left.values() if not any(one in left for one in task.depends_on)]
        if not ready:
            raise ValueError("the tasks depend on each other in a circle")
        done[ready[0].id] = left.pop(ready[0].id)
    return tuple(done.values())


def circle(depends_on: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Tasks that depend on each other in a circle, the first one again at the end; empty if there is none."""
    try:
        TopologicalSorter(depends_on).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return tuple(reversed(found))
    return ()


def with_dependencies(tasks: Sequence[Task], wanted: Collection[str]) -> tuple[Task, ...]:
    """The wanted tasks and everything they build on, in order."""
    by_id = {task.id: task for task in tasks}
    needed: set[str] = set()
    more = list(wanted)
    while more:
        name = more.pop()
        if name not in needed:
            needed.add(name)
            more += by_id[name].depends_on
    return tuple(task for task in in_order(tasks) if task.id in needed)
