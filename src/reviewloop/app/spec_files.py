"""What is written down when a task of a spec is done: its box, what is left to fix, and how far the spec is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from reviewloop.app.catalog import SessionState
from reviewloop.app.project import Project
from reviewloop.core.session.events import Booked, Draft
from reviewloop.core.session.fold import fold
from reviewloop.core.session.history import History
from reviewloop.core.types.finding import Finding, Severity
from reviewloop.core.types.outcome import PASSING, Answer, Outcome
from reviewloop.core.types.review import Verdict
from reviewloop.core.types.task import Origin
from reviewloop.documents import parse
from reviewloop.documents.model import Document, Task
from reviewloop.documents.spec_tasks import Entry
from reviewloop.documents.task_edits import (
    Fix,
    has_box,
    mark_done,
    mark_open,
    with_all_parents,
    with_fix,
    with_parents,
)
from reviewloop.engine.clock import SystemClock
from reviewloop.views.progress_file import suggest
from reviewloop.views.progress_folder import progress_of
from reviewloop.views.ralph_state import advance
from reviewloop.workspace.spec_folder import Spec


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """What a review left open: for a task that fixes it, and for people to decide."""

    to_fix: tuple[Finding, ...] = ()
    suggested: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reopened:
    """A list of tasks before and after a box in it was unticked."""

    path: str
    before: str
    after: str


@dataclass(frozen=True, kw_only=True)
class SpecFiles:
    """Keeps a spec's files in step with what was done. Each step may be repeated after a crash."""

    project: Project
    spec: Spec

    def close(self, entry: Entry, state: SessionState) -> None:
        """Note that a task is done, and what its last review still found."""
        left = self._left(entry, state.history)
        self._suggest(entry.number, state.id, left.suggested)
        self._mark(entry, left.to_fix)
        self.advance()

    async def close_reviews(self) -> None:
        """Note what reviews of several tasks left open, once for each that is over.

        Of a task's own review, the ticked box says that it is noted. Of these the ledger has to say it: a crash may
        come in between, and what somebody took out of the list since must not come back.
        """
        for state in await self._unclosed():
            await self.project.outputs.catch_up(state)
            entry = self._last_task(state.history)
            left = self._left(entry, state.history)
            self._suggest(_origin(state.history).number, state.id, left.suggested)
            if entry is None or not left.to_fix or self._mark(entry, left.to_fix):
                self.advance()
                await self._record(state, left)

    async def _unclosed(self) -> list[SessionState]:
        """The reviews of several tasks that are over and not noted, oldest first."""
        found: list[SessionState] = []
        for head in await self.project.ledger.heads():
            if not head.feature.startswith(f"{self.spec.name}-review-"):
                continue
            events = await self.project.ledger.read(head.session)
            history = fold(events)
            noted = any(isinstance(event.payload, Booked) for event in events)
            if history and not noted and _is_joint(history, self.spec) and history.outcome in PASSING:
                found.append(SessionState(id=head.session, history=history))
        return sorted(found, key=lambda state: state.history.started_at)

    def _last_task(self, history: History) -> Entry | None:
        """The last of the tasks that were reviewed together, if it is there as it was and still done."""
        commission, entry = history.started.commission, self.spec.board().named(_origin(history).number)
        same = entry and commission and entry.text in commission.instructions
        return entry if entry and same and entry.task.checked else None

    async def _record(self, state: SessionState, left: Left) -> None:
        booked = Booked(
            feature=state.history.feature,
            to_fix=tuple(finding.id for finding in left.to_fix),
            suggested=tuple(finding.id for finding in left.suggested),
        )
        now = max(SystemClock().now(), state.history.updated_at)
        await self.project.ledger.append(state.id, state.history.seq, [Draft(time=now, payload=booked)])

    def reopened(self, history: History) -> Reopened | None:
        """The file of a task with its box open again; None if the box is not ticked, or the task is another since."""
        origin = _origin(history)
        entry = self.spec.board().named(origin.number)
        commission = history.started.commission
        if entry is None or commission is None or entry.text != commission.instructions or not entry.task.checked:
            return None
        text = self.spec.text(entry.file)
        document = parse(entry.file, text)
        task = _same(entry, document)
        if task is None:
            return None
        new = mark_open(text, document, with_all_parents(document.tasks, task))
        return Reopened(path=entry.file, before=text, after=new) if new != text else None

    def reopen(self, history: History) -> None:
        """Open the box of a task again, because a person overruled its pass. It is ticked again once it passes."""
        if found := self.reopened(history):
            self.spec.edit(found.path, lambda text: found.after if text == found.before else text)
            self.advance()

    def _left(self, entry: Entry | None, history: History) -> Left:
        left = still_open(history)
        can_be_fixed = entry and entry.fixes is None and not entry.task.implied and has_box(entry.document, entry.task)
        if not can_be_fixed or not self.spec.board().sequential:
            return Left(suggested=tuple(left))
        to_fix = [finding for finding in left if _is_severe(finding, self.spec)]
        return Left(to_fix=tuple(to_fix), suggested=tuple(one for one in left if one not in to_fix))

    def _mark(self, entry: Entry, to_fix: Sequence[Finding]) -> bool:
        """Tick the box and put the fix behind it, in one step: a box that is not ticked has no fix yet."""

        def change(text: str) -> str:
            document = parse(entry.file, text)
            task = _same(entry, document)
            if task is None:
                self.project.warn(f"{entry.file}: task {entry.number} no longer exists, so it was not marked as done")
                return text
            if not has_box(document, task):
                self.project.warn(
                    f"{entry.file}:{task.line}: task {entry.number} has no check box; the ledger has it as done"
                )
                return text
            if not to_fix:
                return mark_done(text, document, with_parents(document.tasks, task))
            if not any(f"[FIX {task.id}]" in other.title for other in document.tasks):
                text = with_fix(text, document, self._fix(entry, task, to_fix))
                self.project.warn(f"{entry.file}:{task.line}: a task to fix {task.id} was put behind it")
            return mark_done(text, document, [task])

        if self.spec.edit(entry.file, change):
            return True
        self.project.warn(f"{entry.file} keeps changing; task {entry.number} was not marked as done in it")
        return False

    def _fix(self, entry: Entry, task: Task, findings: Sequence[Finding]) -> Fix:
        files, verify = task.field("files"), task.field("verify")
        return Fix(
            of=task,
            findings=tuple(map(_told, findings)),
            topic=self.spec.name,
            files=files.text if files and "\n" not in files.text else "",
            verify=verify.text if verify and "\n" not in verify.text and entry.script else "",
        )

    def _suggest(self, number: str, session: str, findings: Sequence[Finding]) -> None:
        if not findings:
            return
        where = progress_of(self.project.root, self.project.config.paths.progress, PurePosixPath(self.spec.folder))
        if where is None:
            for finding in findings:
                self.project.warn(f"still open in {number}: {_told(finding)}")
            return
        try:
            suggest(where, session, number, tuple(map(_told, findings)))
            self.project.warn(f"{number}: open findings of its review are noted in {where.path}/{where.progress.name}")
        except OSError as error:
            self.project.warn(f"the review's suggestions could not be written: {error}; the ledger has them")

    def advance(self) -> None:
        """Say in the spec's state file, if it has one, how far the tasks are."""
        where = progress_of(self.project.root, self.project.config.paths.progress, PurePosixPath(self.spec.folder))
        if where is None:
            return
        states = [entry.task.checked for entry in self.spec.board().entries]
        try:
            advance(where, index=states.index(False) if False in states else len(states), total=len(states))
        except OSError as error:
            self.project.warn(str(error))


def still_open(history: History) -> list[Finding]:
    """What the last review found, if the work went on although it failed. What a person accepted is not open."""
    last = history.iterations[-1].conclusion if history.iterations else None
    if (
        last is None
        or last.verdict is not Verdict.NEEDS_REVISION
        or history.outcome is not Outcome.PASSED_WITH_WARNINGS
    ):
        return []
    if history.window.opened and history.window.opened.action is Answer.ACCEPT:
        return []
    counted = [one for one in last.findings if not one.is_late and not one.suppressed]
    return [one for one in counted if one.severity > Severity.INFO]


def _is_joint(history: History, spec: Spec) -> bool:
    """Whether tasks of this spec were reviewed together. If nobody looked at anything, there is nothing to note."""
    commission = history.started.commission
    if commission is None or commission.origin is None or not commission.reviews:
        return False
    return commission.origin.folder == spec.folder and bool(history.iterations)


def _origin(history: History) -> Origin:
    commission = history.started.commission
    assert commission
    assert commission.origin
    return commission.origin


def _is_severe(finding: Finding, spec: Spec) -> bool:
    """Whether it is for an agent to fix. What is wrong in the spec's own documents is for their owner."""
    in_spec = finding.place.file is not None and PurePosixPath(finding.place.file).is_relative_to(spec.folder)
    return finding.severity >= Severity.IMPORTANT and not in_spec


def _same(entry: Entry, document: Document) -> Task | None:
    """The task in the document as it is now: the same number, and the same one of those that have it."""
    alike = [task for task in document.tasks if task.id == entry.number]
    before = [task for task in entry.document.tasks if task.id == entry.number]
    at = before.index(entry.task)
    return alike[at] if at < len(alike) and alike[at].title == entry.task.title else None


def _told(finding: Finding) -> str:
    more = finding.suggestion if finding.suggestion and finding.suggestion != finding.issue else ""
    where = f"{finding.place}: " if finding.place.file else ""
    return f"{where}{finding.issue}" + (f" ({more})" if more else "")
