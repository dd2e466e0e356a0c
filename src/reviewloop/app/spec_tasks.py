"""A spec's tasks, done one after the other: the agent's work, the task's own check, the review, the box."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from reviewloop.app.catalog import SessionState
from reviewloop.app.plan import review_changed_documents
from reviewloop.app.project import Project
from reviewloop.app.spec_files import SpecFiles
from reviewloop.app.tasks import ReviewTerms, TaskRunner, TaskSet, exclusive, terms_under
from reviewloop.core.session.history import History
from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.outcome import PASSING
from reviewloop.core.types.review_cadence import Cadence
from reviewloop.core.types.task import Commission, Origin, Overlay, Task
from reviewloop.core.types.verification import Verify
from reviewloop.documents.spec_tasks import Board, Entry
from reviewloop.engine.context import Observer
from reviewloop.engine.scheduler import Report, State, work
from reviewloop.errors import UsageError
from reviewloop.text import did_you_mean
from reviewloop.workspace.source import Source, Upstream
from reviewloop.workspace.spec_folder import Spec, find_spec

TOGETHER = """\
The tasks below were done one after the other, and what they changed is reviewed together.

"""


@dataclass(frozen=True, kw_only=True)
class SpecTasks:
    """The tasks of a spec, and how often their work is reviewed."""

    project: Project
    spec: Spec
    cadence: Cadence = field(default_factory=Cadence)

    def check(self, board: Board, asked: Sequence[str]) -> None:
        file = self.spec.files[0]
        names = [entry.name for entry in board.entries]
        if not names:
            raise UsageError(f"{file} has no tasks", hint="a task is a check box with a number: - [ ] 1.1 Title")
        for name in asked:
            if name not in names:
                near = did_you_mean(name, names)
                hint = f"did you mean {near}?" if near else f"there are {', '.join(names[:20])}"
                raise UsageError(f"{file} has no task {name} that can be done", hint=hint)
            if f"{name}~2" in names:
                raise UsageError(
                    f"{file} has more than one task {name}", hint=f"ask for {name}~2, or give one another number"
                )

    def session_name(self, name: str) -> str:
        return f"{self.spec.name}-{name}"

    @property
    def agent(self) -> str:
        config = self.project.config
        agent = config.execution.agent or config.review.author
        if agent is None:
            raise UsageError(
                "no agent is configured to do the tasks",
                hint="name one: `execution: {agent: NAME}`, or `review.author`",
            )
        return agent

    async def known(self, task: Task) -> SessionState | None:
        """The session that did this very task: a task of the same number with another text is another task."""
        origin = task.commission.origin
        mine = task.commission
        return await self._known(task.id, origin.file, mine.instructions, mine.reviews) if origin else None

    async def session_of(self, entry: Entry) -> SessionState | None:
        """The session that did the task of an entry."""
        return await self._known(self.session_name(entry.name), entry.file, entry.text)

    async def _known(
        self, name: str, file: str, instructions: str, reviews: tuple[str, ...] = ()
    ) -> SessionState | None:
        for head in await self.project.ledger.heads(name):
            history = await self.project.catalog.history(head.session)
            commission = history.started.commission
            if commission and commission.origin and commission.origin.file == file:
                same = (commission.instructions, commission.reviews) == (instructions, reviews)
                return SessionState(id=head.session, history=history) if same else None
        return None

    def task_of(self, entry: Entry) -> Task:
        """A task of the list, as a piece of work."""
        overlay = self._overlay() if self.cadence.is_each else None
        commission = Commission(
            task=self.session_name(entry.name),
            agent=self.agent,
            instructions=entry.text,
            inputs=tuple(dict.fromkeys((*(above.path for above in self.spec.builds_on(entry.file)), entry.file))),
            acceptance_criteria=entry.criteria,
            is_reviewed=overlay is not None,
            verify=self._verify([entry.script]),
            origin=Origin(folder=self.spec.folder, file=entry.file, number=entry.name, when=str(self.cadence)),
        )
        return Task(commission=commission, overlay=overlay)

    def review_of(self, entries: Sequence[Entry], sessions: Sequence[str]) -> Task:
        """A joint review of several finished tasks."""
        last = entries[-1]
        commission = replace(
            self.task_of(last).commission,
            task=self.session_name(f"review-{last.name}"),
            instructions=TOGETHER + "\n\n".join(entry.text for entry in entries),
            acceptance_criteria=tuple(dict.fromkeys(text for entry in entries for text in entry.criteria)),
            is_reviewed=True,
            verify=self._verify([entry.script for entry in entries]),
            reviews=tuple(sessions),
        )
        return Task(commission=commission, overlay=self._overlay())

    def _overlay(self) -> Overlay:
        return Overlay(coder=self.agent, reviewer=self.project.config.review.reviewer or "static")

    def _verify(self, scripts: Sequence[str]) -> Verify | None:
        found = list(dict.fromkeys(script for script in scripts if script))
        if not found:
            return None
        command = found[0] if len(found) == 1 else " && ".join(f"{{\n{script}\n}}" for script in found)
        return Verify(command=command, timeout=self.project.config.execution.verify_timeout * len(found))

    def source(self, commission: Commission) -> Source:
        """The change, judged by the spec's documents. Its own task is named, so that the rules know its Files."""
        origin = commission.origin
        assert origin
        named = "" if commission.reviews else f"{origin.file}#{origin.number}"
        above = [
            Upstream(kind=above_file.kind, path=above_file.path) for above_file in self.spec.builds_on(origin.file)
        ]
        return Source(
            kind=Kind.CHANGE,
            name=commission.task,
            upstream=(*above, Upstream(kind=Kind.TASKS, path=origin.file, name=named)),
        )

    def terms(self, task: Task, source: Source) -> ReviewTerms:
        return terms_under(self.project, "phases", source, {"author": task.agent})


async def run_spec_tasks(
    project: Project,
    spec: Spec,
    wanted: Sequence[str] = (),
    observers: Sequence[Observer] = (),
    *,
    when: str | None = None,
    fresh: Collection[str] = (),
) -> list[Report]:
    """Do a spec's open tasks in their order; only the wanted ones, if any are named."""
    cadence = (Cadence.parse(when) if when else None) or project.config.execution.review
    tasks = SpecTasks(project=project, spec=spec, cadence=cadence)
    board = spec.board()
    tasks.check(board, (*wanted, *fresh))
    for problem in board.problems:
        project.warn(problem)
    runner = TaskRunner(
        project=project,
        tasks=TaskSet(terms=tasks.terms, source=tasks.source, known=tasks.known),
        observers=observers,
        fresh=frozenset(map(tasks.session_name, fresh)),
        wanted=tuple(wanted),
    )
    async with exclusive(project, f"reviewloop work {spec.folder}", f"the spec {spec.name}"):
        return await _Run(tasks=tasks, runner=runner, files=SpecFiles(project=project, spec=spec)).go()


async def run_named_spec(
    project: Project,
    name: str,
    wanted: Sequence[str] = (),
    observers: Sequence[Observer] = (),
    *,
    when: str | None = None,
    fresh: Collection[str] = (),
) -> list[Report]:
    """The same for a spec by its name, its folder or its task list."""
    spec = find_spec(project.root, project.cwd, name)
    return await run_spec_tasks(project, spec, wanted, observers, when=when, fresh=fresh)


def is_cadence(text: str) -> bool:
    return Cadence.parse(text) is not None


@dataclass(frozen=True, kw_only=True)
class _Run:
    """One run over a spec, with the reports so far."""

    tasks: SpecTasks
    runner: TaskRunner
    files: SpecFiles
    reports: dict[str, Report] = field(default_factory=dict[str, Report])

    async def go(self) -> list[Report]:
        await self._review_documents()
        await self.files.close_reviews()
        board = self.tasks.spec.board()
        await self._report_unrecorded(board)
        while not await self._is_over(board):
            board = self.tasks.spec.board()
        self._pause(board)
        return list(self.reports.values())

    async def _is_over(self, board: Board) -> bool:
        """Do one thing, a review that is due or the next task; True if there is nothing left to do."""
        entry = self._next(board)
        if not self._stopped and await self._review(board, entry):
            return False
        if entry is None:
            return True
        report = await self._do(self.tasks.task_of(entry))
        if report.state is State.DONE and report.history:
            self.files.close(entry, SessionState(id=report.session, history=report.history))
        return False

    async def _review_documents(self) -> None:
        """Have the documents reviewed again that changed after their approval: the tasks build on them."""
        tasks, spec = self.tasks, self.tasks.spec
        changed = await review_changed_documents(tasks.project, spec.name, spec.folder, self.runner.observers)
        self.reports.update({report.task.id: report for report in changed})

    async def _report_unrecorded(self, board: Board) -> None:
        """Name the ticked boxes without a passed session: they are left alone, and nobody takes them for reviewed."""
        project, unknown = self.tasks.project, list[str]()
        for entry in (entry for entry in board.entries if entry.task.checked):
            known = await self.tasks.session_of(entry)
            if known is None:
                unknown.append(entry.name)
            elif (outcome := known.history.outcome) not in PASSING:
                said = outcome or "not finished"
                project.warn(f"{entry.file}: {entry.name} is ticked, but its session {known.history.feature} is {said}")
        if unknown:
            are = (
                "is ticked, but no passed session is" if len(unknown) == 1 else "are ticked, but no passed sessions are"
            )
            again = "to do one again: --fresh NUMBER"
            project.warn(f"{', '.join(unknown)} {are} on record: not reviewed here ({again})")

    @property
    def _stopped(self) -> list[str]:
        return [report.task.id for report in self.reports.values() if report.state is not State.DONE]

    @property
    def _unapproved(self) -> list[str]:
        """Documents that changed after their approval and do not pass now."""
        return [name for name in self._stopped if self.reports[name].task.commission.origin is None]

    async def _do(self, task: Task) -> Report:
        (report,) = await work([task], self.runner.do)
        self.reports[task.id] = report
        return report

    def _open(self, board: Board) -> list[Entry]:
        """What was asked for, is not done, and was not tried yet."""
        tasks, runner = self.tasks, self.runner
        asked = [entry for entry in board.entries if not runner.wanted or entry.name in runner.wanted]
        names = {entry.name: tasks.session_name(entry.name) for entry in asked}
        left = [entry for entry in asked if names[entry.name] not in self.reports]
        return [entry for entry in left if not entry.task.checked or names[entry.name] in runner.fresh]

    def _next(self, board: Board) -> Entry | None:
        if (board.sequential and self._stopped) or self._unapproved:
            return None
        return next((entry for entry in self._open(board) if not self._missing(entry, board)), None)

    def _missing(self, entry: Entry, board: Board) -> tuple[str, ...]:
        """What the entry needs and is not done."""
        needed = {need: board.named(need) for need in entry.needs}
        return tuple(need for need, other in needed.items() if other is None or not other.task.checked)

    def _pause(self, board: Board) -> None:
        for entry in self._open(board):
            task = self.tasks.task_of(entry)
            because = self._missing(entry, board) or tuple(self._stopped)
            why = f"it needs {', '.join(because)}"
            self.reports[task.id] = Report(task=task, state=State.PAUSED, because=why, paused_by=because)

    async def _review(self, board: Board, following: Entry | None) -> bool:
        """Have the work reviewed that has waited for it, if this is the moment; whether it was."""
        tasks = self.tasks
        waiting = {} if tasks.cadence.is_each else await self._unreviewed(board)
        entries = [entry for entry in board.entries if entry.name in waiting]
        phase, next_phase = entries[-1].task.phase if entries else "", following.task.phase if following else None
        if not tasks.cadence.is_due(len(entries), phase, next_phase):
            return False
        if not await tasks.project.catalog.changes(*waiting.values()):
            return False
        await self._do(tasks.review_of(entries, list(waiting.values())))
        await self.files.close_reviews()
        return True

    async def _unreviewed(self, board: Board) -> dict[str, str]:
        """The tasks that are done and were not reviewed, each with the session that did it, oldest first."""
        tasks = self.tasks
        ours = {tasks.session_name(entry.name): entry.name for entry in board.entries}
        newest: dict[str, SessionState] = {}
        looked_at: set[str] = set()
        for head in await tasks.project.ledger.heads():
            if head.feature.startswith(tasks.session_name("review-")):
                looked_at.update(_reviews(await tasks.project.catalog.history(head.session)))
            elif head.feature in ours and head.feature not in newest:
                newest[head.feature] = SessionState(
                    id=head.session, history=await tasks.project.catalog.history(head.session)
                )
        oldest_first = sorted(newest.items(), key=lambda above_file: above_file[1].history.started_at)
        return {
            ours[feature]: state.id
            for feature, state in oldest_first
            if state.id not in looked_at and _is_done_unseen(state.history, tasks.spec)
        }


def _reviews(history: History) -> tuple[str, ...]:
    """The sessions that a finished review was about. A review that is interrupted or waits has to continue first."""
    commission = history.started.commission
    return commission.reviews if commission and history.outcome in PASSING else ()


def _is_done_unseen(history: History, spec: Spec) -> bool:
    commission = history.started.commission
    if commission is None or commission.origin is None or commission.origin.folder != spec.folder:
        return False
    return not commission.is_reviewed and history.outcome in PASSING
