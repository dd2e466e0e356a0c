"""Features from their PRDs: specs written and reviewed, then tasks, each a session of its own."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from typing import Any

from reviewloop.app.catalog import SessionState
from reviewloop.app.drift import has_drifted
from reviewloop.app.project import Project
from reviewloop.app.sessions import resume, session_context
from reviewloop.app.targets.request import TargetRequest
from reviewloop.app.tasks import ReviewTerms, TaskRunner, TaskSet, exclusive, newest_session, terms_under
from reviewloop.core.session.feature_status import FeatureStatus
from reviewloop.core.session.history import History
from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.outcome import PASSING, Answer, Outcome
from reviewloop.core.types.task import Commission, Overlay, Task
from reviewloop.documents.prd_header import Prd
from reviewloop.engine.context import Observer
from reviewloop.engine.human_answer import PersonAnswer
from reviewloop.engine.scheduler import Report
from reviewloop.errors import UsageError
from reviewloop.workspace.prds import find_prd, load_prd
from reviewloop.workspace.source import Source, Upstream, files_of

SPECS = """\
Write the specs of the feature in the PRD, as Markdown in this folder: one `spec.md`, or one file per unit that can be
built by itself. Each spec says what to build (Overview; Requirements with ids, each traced to the PRD), how (Design:
types, interfaces and names that follow the existing code) and how to tell that it works (Validation: commands to run).
Cover everything the PRD asks for, and nothing else."""

TASKS = """\
Break the specs into tasks that one agent can do in sequence, as a numbered list of check boxes. Each task has Do,
Files, Done when, Verify (a command) and Commit, and names the requirements it serves. End with a task that verifies
everything. Replace an older list if there is one."""


@dataclass(frozen=True, kw_only=True)
class FeatureRun:
    """Brings a feature from its PRD to reviewed specs and tasks. `overrides` are settings for this run."""

    project: Project
    observers: Sequence[Observer] = ()
    fresh: Collection[str] = ()
    overrides: Mapping[str, Any] = field(default_factory=dict[str, Any])

    async def run(self, prd: Prd) -> list[Report]:
        """Continue a feature from where it stands: its specs first, then its tasks."""
        async with self._exclusive(prd.feature):
            await self._check(prd)
            return await self.continue_from(prd)

    async def resume(self, name: str, answer: PersonAnswer) -> list[Report]:
        """Give a person's answer to the part of a feature that waits, and continue from there."""
        named = await self.project.catalog.named(name)
        commission = named.history.started.commission
        assert commission is not None
        async with self._exclusive(commission.feature):
            target = await self._target(named, commission.feature, answer)
            if answer.action.waives:
                await self._check_is_written(target, answer)
            prd = load_prd(self.project.root, named.history.started.prd_path)
            await resume(self.project, target.id, answer, self.observers, self.overrides)
            as_begun = replace(self, project=self.project.under(target.history.started.config_file))
            return await as_begun.continue_from(replace(prd, feature=commission.feature))

    def _exclusive(self, feature: str) -> AbstractAsyncContextManager[None]:
        return exclusive(self.project, f"reviewloop feature {feature}", f"the feature {feature}")

    async def continue_from(self, prd: Prd) -> list[Report]:
        tasks = TaskSet(
            terms=self._terms,
            source=self._source,
            known=lambda task: self._newest(task.id),
            prepare=self._prepare,
        )
        runner = TaskRunner(project=self.project, tasks=tasks, observers=self.observers, fresh=self.fresh)
        return await runner.run([self._specs(prd), self._tasks(prd)])

    async def _prepare(self, task: Task) -> Task:
        return replace(task, commission=replace(task.commission, is_there=await self._is_there(task)))

    async def _newest(self, task: str) -> SessionState | None:
        """The newest session. Tasks that are older than the specs they come from do not count."""
        found = await newest_session(self.project, task)
        commission = found.history.started.commission if found else None
        if found and commission and commission.feature not in ("", task):
            specs = await newest_session(self.project, commission.feature)
            return None if specs and specs.history.updated_at > found.history.updated_at else found
        return found

    def _source(self, commission: Commission) -> Source:
        prd = Upstream(kind=Kind.PRD, path=commission.inputs[0], given=True)
        if commission.task == commission.feature:
            return Source(
                kind=Kind.SPEC,
                name=commission.task,
                paths=commission.outputs,
                upstream=(prd,),
                without=(_tasks_of(commission.outputs[0]),),
                as_kind=Kind.SPEC,
            )
        specs = files_of(self.project.root, commission.inputs[1:], commission.outputs)
        upstream = (prd, *(Upstream(kind=Kind.SPEC, path=path, given=True) for path in specs))
        return Source(
            kind=Kind.TASKS, name=commission.task, paths=commission.outputs, upstream=upstream, as_kind=Kind.TASKS
        )

    def _terms(self, task: Task, source: Source) -> ReviewTerms:
        return terms_under(self.project, "spec-gate", source, {"author": task.agent} | dict(self.overrides))

    async def _check(self, prd: Prd) -> None:
        """Whether the feature is one to begin or to go on with."""
        if prd.feature in self.fresh:
            return
        known = await newest_session(self.project, prd.feature)
        again = f"to write its specs again: {shlex.join(['reviewloop', 'run', '--prd', prd.path, '--fresh'])}"
        ended_here = known and prd.status in (FeatureStatus.SPECS_COMMITTED, FeatureStatus.FAILED)
        if not prd.status.is_ours and not ended_here:
            raise UsageError(f"{prd.path}: the feature {prd.feature} is already {prd.status}", hint=again)
        folder = _specs_of(prd.feature)
        if known and _passed(known.history) and not self._exists(folder):
            raise UsageError(f"the specs in {folder} passed but no longer exist", hint=again)

    async def _target(self, asked: SessionState, feature: str, answer: PersonAnswer) -> SessionState:
        """The session an answer is meant for: the one that was named, or the tasks' if the specs are done."""
        specs = await newest_session(self.project, feature)
        if answer.action is Answer.FROM_TASKS and specs:
            return specs
        if specs is None or asked.id != specs.id or not _passed(specs.history):
            return asked
        tasks = await self._newest(tasks_name(feature))
        overrules = answer.action in (Answer.RETRY, Answer.REJECT)
        return asked if tasks is None or (overrules and _passed(tasks.history)) else tasks

    async def _check_is_written(self, target: SessionState, answer: PersonAnswer) -> None:
        """Check that the work exists before a person's answer about it is recorded."""
        started = target.history.started
        assert started.commission is not None
        if self._exists(started.commission.outputs[0]):
            await session_context(self.project, Source.from_json(started.source)).workspace.read()
        elif answer.action.takes_what_is_there:
            raise UsageError(
                f"there is nothing in {started.commission.outputs[0]} to go on with",
                hint=f"write it, or let the author do it: reviewloop resume {shlex.quote(started.commission.task)}",
            )

    async def _is_there(self, task: Task) -> bool:
        """Whether the work exists and the author did not write it as it is: then it is only reviewed."""
        specs = await newest_session(self.project, task.commission.feature)
        opened = specs.history.window.opened if specs else None
        asked_for = task.id in self.fresh or (opened and opened.action is Answer.FROM_TASKS)
        if asked_for or not self._exists(task.commission.outputs[0]):
            return False
        known = await newest_session(self.project, task.id)
        if known is None or known.history.outcome is Outcome.UNDONE:
            return True
        return task.id != task.commission.feature and await has_drifted(self.project, known, with_boxes=True)

    def _exists(self, output: str) -> bool:
        if output.endswith(".md"):
            return (self.project.root / output).is_file()
        folder = self.project.root / output
        return folder.is_dir() and bool(files_of(self.project.root, (output,), (_tasks_of(output),)))

    def _specs(self, prd: Prd) -> Task:
        return self._task(prd, prd.feature, self.project.config.review.author, SPECS, _specs_of(prd.feature))

    def _tasks(self, prd: Prd) -> Task:
        agent = self.project.config.phases.get("tasks") or self.project.config.review.author
        folder = _specs_of(prd.feature)
        task = self._task(prd, tasks_name(prd.feature), agent, TASKS, _tasks_of(folder))
        commission = replace(task.commission, inputs=(prd.path, folder))
        return replace(task, commission=commission, depends_on=(prd.feature,))

    def _task(self, prd: Prd, name: str, agent: str | None, instructions: str, output: str) -> Task:
        agent = self.overrides.get("author") or agent
        if agent is None:
            raise UsageError(
                f"no agent is configured to write {output}",
                hint="name one: `review.author` in reviewloop.yml, or --author",
            )
        commission = Commission(
            task=name,
            agent=agent,
            instructions=instructions,
            inputs=(prd.path,),
            outputs=(output,),
            goal=prd.title,
            feature=prd.feature,
        )
        return Task(
            commission=commission,
            overlay=Overlay(coder=agent, reviewer=self.project.config.review.reviewer or "static"),
        )


def tasks_name(feature: str) -> str:
    return f"{feature}-tasks"


def _specs_of(feature: str) -> str:
    return f"specs/{feature}"


def _tasks_of(folder: str) -> str:
    return f"{folder}/tasks.md"


def _passed(history: History) -> bool:
    return history.outcome in PASSING


def prd_for(project: Project, request: TargetRequest) -> Prd | None:
    """The PRD that a feature begins with; None if the request points at something that is there to be reviewed.

    Raises:
        UsageError: The request says something about documents that are yet to be written.
    """
    if request.paths or request.is_change:
        return None
    if request.prd:
        prd = load_prd(project.root, project.cwd / request.prd).called(request.name or request.feature)
    else:
        prd = find_prd(project.root, request.feature) if request.feature else None
    options = {
        "--kind": request.kind,
        "--upstream": request.upstream,
        "--task": request.task,
        "--stdin-filename": request.stdin_filename,
    }
    if prd and (given := [option for option, value in options.items() if value]):
        raise UsageError(f"{given[0]} is not for a feature from a PRD", hint="leave it out, or name files to review")
    return prd


async def is_feature(project: Project, name: str) -> bool:
    """Whether a session belongs to a feature from a PRD."""
    commission = (await project.catalog.named(name)).history.started.commission
    return commission is not None and bool(commission.feature)
