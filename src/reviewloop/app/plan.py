"""From a goal to a spec folder: research, requirements, design and tasks, each written, reviewed and approved."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from reviewloop.app.drift import has_drifted
from reviewloop.app.project import Project
from reviewloop.app.tasks import ReviewTerms, TaskRunner, TaskSet, exclusive, newest_session, terms_under
from reviewloop.config.schema import PHASES
from reviewloop.core.types.outcome import PASSING, Outcome
from reviewloop.core.types.task import Commission, Overlay, Task
from reviewloop.engine.context import Observer
from reviewloop.engine.scheduler import Report
from reviewloop.errors import UsageError
from reviewloop.workspace.source import Source

FOLDERS = ("specs", ".kiro/specs")
"""Where spec folders are; a new one is made in the first."""

INSTRUCTIONS: Mapping[str, str] = {
    "research": """\
Find out what the goal takes before any decision is made: what already exists, how others solve it, what could fail.
Sections: Executive Summary, Codebase Analysis, Feasibility Assessment. Back every claim with a file of the project or a
URL. Leave out everything the goal does not need.""",
    "requirements": """\
State what must be true when the goal is reached: user stories with acceptance criteria that a program could check,
functional requirements with priorities, each traced to a story, and what is out of scope.""",
    "design": """\
Describe how to meet the requirements, following the patterns of the existing code. Sections: Architecture, Components,
Data Flow, Technical Decisions with their reasons, File Structure, Error Handling. Name the requirements that each part
serves.""",
    "tasks": """\
Break the design into tasks that one agent can do in sequence, as a numbered list of check boxes. Each task has Do,
Files, Done when, Verify (a command) and Commit, and names the requirements and the part of the design it serves. Start
with a proof of concept, and end each phase with a task that verifies everything.""",
}


async def run_plan(
    project: Project,
    name: str,
    goal: str,
    observers: Sequence[Observer] = (),
    *,
    quick: bool = False,
    fresh: bool = False,
) -> list[Report]:
    """Continue a plan from where it stands. Unless `quick`, a person approves each document before the next.

    `fresh` writes the rejected document and those after it again; all of them, if none was rejected.
    """
    async with exclusive(project, f"reviewloop plan {name}", f"the plan {name}"):
        folder = _folder(project, name)
        goal = goal or await _known_goal(project, name)
        left = await _phases_left(project, name, folder)
        again = await _again(project, name, left) if fresh else ()
        tasks = _task_set(project, quick=quick)
        runner = TaskRunner(project=project, tasks=tasks, observers=observers, fresh=again)
        return await runner.run([_task(project, name, folder, phase, goal, left) for phase in left])


async def review_changed_documents(
    project: Project, name: str, folder: str, observers: Sequence[Observer] = ()
) -> list[Report]:
    """Review the documents of a plan again that were changed after they passed. No document is written again."""
    reports: list[Report] = []
    for phase in PHASES:
        known = await newest_session(project, session_name(name, phase))
        commission = known.history.started.commission if known else None
        path = f"{folder}/{phase}.md"
        if known is None or commission is None or commission.outputs != (path,):
            continue
        if not known.history.outcome or known.history.outcome.waits or not (project.root / path).is_file():
            continue
        if known.history.outcome in PASSING and await has_drifted(project, known):
            task = _task(project, name, folder, phase, commission.goal, (phase,))
            tasks = _task_set(project, quick=not known.history.policy.approval)
            reports += await TaskRunner(project=project, tasks=tasks, observers=observers).run([task])
    return reports


def _task_set(project: Project, *, quick: bool) -> TaskSet:
    async def prepare(task: Task) -> Task:
        """A document that is there, and that no session on record wrote or reviewed, is only reviewed."""
        known = await newest_session(project, task.id)
        is_new = known is None or known.history.outcome is Outcome.UNDONE
        is_there = is_new and (project.root / task.commission.outputs[0]).is_file()
        return replace(task, commission=replace(task.commission, is_there=is_there))

    return TaskSet(terms=lambda task, source: _terms(project, task, source, quick=quick), prepare=prepare)


def _terms(project: Project, task: Task, source: Source, *, quick: bool) -> ReviewTerms:
    terms = terms_under(project, "phases", source, {"author": task.agent})
    return replace(terms, policy=replace(terms.policy, approval=not quick))


def _folder(project: Project, name: str) -> str:
    there = (folder for folder in FOLDERS if (project.root / folder / name).is_dir())
    return f"{next(there, FOLDERS[0])}/{name}"


async def _known_goal(project: Project, name: str) -> str:
    for phase in reversed(PHASES):
        known = await newest_session(project, session_name(name, phase))
        if known and known.history.started.commission:
            return known.history.started.commission.goal
    raise UsageError(f"the plan {name} has no goal yet", hint=f'say it: reviewloop plan "GOAL" --name {name}')


async def _phases_left(project: Project, name: str, folder: str) -> list[str]:
    """The phases to run. A document that is missing before the first one that was begun, or that is there, is left out.

    A document that is there counts as done only if the ledger says so: otherwise it is reviewed.
    """
    begun = [phase for phase in PHASES if await newest_session(project, session_name(name, phase))]
    written = [phase for phase in PHASES if (project.root / folder / f"{phase}.md").is_file()]
    needed = PHASES.index(begun[0]) if begun else PHASES.index(written[-1]) + 1 if written else 0
    return [phase for number, phase in enumerate(PHASES) if number >= needed or phase in written]


async def _again(project: Project, name: str, phases: Sequence[str]) -> tuple[str, ...]:
    """The sessions of the first rejected phase and of those after it; of all phases if none was rejected."""
    names = [session_name(name, phase) for phase in phases]
    known = [await newest_session(project, session) for session in names]
    rejected = [state is not None and state.history.outcome is Outcome.REJECTED for state in known]
    return tuple(names[rejected.index(True) if any(rejected) else 0 :])


def _task(project: Project, name: str, folder: str, phase: str, goal: str, left: Sequence[str]) -> Task:
    agent = project.config.phases.get(phase) or project.config.review.author
    if agent is None:
        raise UsageError(
            f"no agent is configured to write the {phase}",
            hint="name one: `phases: {research: NAME, ...}`, or `review.author`",
        )
    before = PHASES[: PHASES.index(phase)]
    documents = {earlier: f"{folder}/{earlier}.md" for earlier in before}
    commission = Commission(
        task=session_name(name, phase),
        agent=agent,
        instructions=INSTRUCTIONS[phase],
        inputs=tuple(path for earlier, path in documents.items() if earlier in left or (project.root / path).is_file()),
        outputs=(f"{folder}/{phase}.md",),
        goal=goal,
    )
    return Task(
        commission=commission,
        depends_on=tuple(session_name(name, earlier) for earlier in before[-1:] if earlier in left),
        overlay=Overlay(coder=agent, reviewer=project.config.review.reviewer or "static"),
    )


def session_name(name: str, phase: str) -> str:
    return f"{name}-{phase}"


def slug(goal: str) -> str:
    """A folder's name from a goal: its first words."""
    words = re.findall(r"[a-z0-9]+", goal.lower())
    return "-".join(words[:5])[:48].strip("-") or "feature"
