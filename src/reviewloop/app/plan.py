"""From a goal to a spec folder: research, requirements, design and tasks, each written, reviewed and approved."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from reviewloop.app.tasks import Workshop
from reviewloop.config.schema import PHASES
from reviewloop.core.session.events import Started
from reviewloop.core.types.task import Commission, Overlay, Task
from reviewloop.engine.scheduler import Report, work
from reviewloop.errors import UsageError
from reviewloop.workspace.source import Source

FOLDERS = ("specs", ".kiro/specs")
"""Where spec folders are; a new one is made in the first."""

INSTRUCTIONS: Mapping[str, str] = {
    "research": """\
Find out what the goal takes, before anybody decides anything: what is there already, what others do, what could fail.
Sections: Executive Summary, Codebase Analysis, Feasibility Assessment. Every claim names a file of the project or an
address. Leave out what the goal does not need.""",
    "requirements": """\
Say what has to be true when the goal is reached. User stories with acceptance criteria that a program could check;
functional requirements with a priority, each of them traced to a story; what is out of scope.""",
    "design": """\
Say how the requirements will be met, in the manner of the code that is there. Sections: Architecture, Components,
Data Flow, Technical Decisions with their reasons, File Structure, Error Handling. Name the requirements that each part
serves.""",
    "tasks": """\
Break the design into tasks that one agent can do one after the other, as a list of check boxes with numbers. Each has
Do, Files, Done when, Verify (a command) and Commit, and names the requirements and the part of the design it serves.
Begin with what proves the idea, and put a task that verifies everything at the end of each phase.""",
}


@dataclass(frozen=True, kw_only=True)
class Planner(Workshop):
    """Plans a feature. Unless it has to be `quick`, a person approves every document before the next one is begun."""

    quick: bool = False

    async def plan(self, name: str, goal: str) -> list[Report]:
        """Go on with a feature from where it stands."""
        async with self.alone(f"reviewloop plan {name}", f"the plan {name}"):
            folder = self._folder(name)
            goal = goal or await self._known_goal(name)
            left = await self._left(name, folder)
            return await work([self._task(name, folder, phase, goal, left) for phase in left], self.do)

    def started(self, task: Task, commission: Commission, source: Source) -> Started:
        overrides = {"profile": "phases", "author": task.agent}
        policy = replace(self.project.policy(source, overrides), approval=not self.quick)
        return self.project.started(source, policy, overrides, commission)

    def _folder(self, name: str) -> str:
        there = (folder for folder in FOLDERS if (self.project.root / folder / name).is_dir())
        return f"{next(there, FOLDERS[0])}/{name}"

    async def _known_goal(self, name: str) -> str:
        for phase in reversed(PHASES):
            known = await self.newest(session_name(name, phase))
            if known and known.history.started.commission:
                return known.history.started.commission.goal
        raise UsageError(f"what is {name} for?", hint=f'say so: reviewloop plan "GOAL" --name {name}')

    async def _left(self, name: str, folder: str) -> list[str]:
        """The phases that are ours: all from the first we began, or after the last document somebody else wrote."""
        begun = [phase for phase in PHASES if await self.newest(session_name(name, phase))]
        if begun:
            return list(PHASES[PHASES.index(begun[0]) :])
        written = [phase for phase in PHASES if (self.project.root / folder / f"{phase}.md").is_file()]
        return list(PHASES[PHASES.index(written[-1]) + 1 :]) if written else list(PHASES)

    def _task(self, name: str, folder: str, phase: str, goal: str, left: Sequence[str]) -> Task:
        agent = self.project.config.phases.get(phase) or self.project.config.review.author
        if agent is None:
            raise UsageError(
                f"nobody writes the {phase}", hint="name an agent: `phases: {research: NAME, ...}`, or `review.author`"
            )
        before = PHASES[: PHASES.index(phase)]
        documents = {one: f"{folder}/{one}.md" for one in before}
        return Task(
            id=session_name(name, phase),
            agent=agent,
            instructions=INSTRUCTIONS[phase],
            inputs=tuple(
                path for one, path in documents.items() if one in left or (self.project.root / path).is_file()
            ),
            outputs=(f"{folder}/{phase}.md",),
            depends_on=tuple(session_name(name, one) for one in before[-1:] if one in left),
            overlay=Overlay(coder=agent, reviewer=self.project.config.review.reviewer or "static"),
            goal=goal,
        )


def session_name(name: str, phase: str) -> str:
    return f"{name}-{phase}"


def slug(goal: str) -> str:
    """A folder's name from a goal: its first words."""
    words = re.findall(r"[a-z0-9]+", goal.lower())
    return "-".join(words[:5])[:48].strip("-") or "feature"
