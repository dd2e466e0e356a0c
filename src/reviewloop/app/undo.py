"""`undo`: the files as they were before a session's authors first edited them, all of them or none."""

from __future__ import annotations

import getpass
import shlex
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from reviewloop.app.project import Project
from reviewloop.app.sessions import take_back
from reviewloop.app.spec_files import SpecFiles
from reviewloop.app.workflow import LEASE
from reviewloop.core.session.events import UndoBegun
from reviewloop.core.session.fold import fold
from reviewloop.core.session.history import History
from reviewloop.core.session.revisions import FileEdits, Revision, edits_of, revisions
from reviewloop.core.session.session_head import SessionHead
from reviewloop.core.types.artifact import digest_of
from reviewloop.core.types.calls import FileChange
from reviewloop.core.types.outcome import PASSING
from reviewloop.core.types.task import Commission
from reviewloop.errors import SessionHeld, UsageError
from reviewloop.workspace.replace import ChangedMeanwhile, current
from reviewloop.workspace.safe_folders import Content
from reviewloop.workspace.spec_folder import Spec, reopen_spec


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoredFile:
    """A file that was restored: the digest it had, and the one it has now; None where there is no file."""

    path: str
    before: str | None
    after: str | None
    executable: bool

    @property
    def is_deleted(self) -> bool:
        return self.after is None


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoReport:
    """What an undo did, or would do. `already_restored` are files that somebody had restored before.

    `nothing` says why there is nothing to undo, if so; `earlier` is an earlier session of the name that can be undone.
    """

    session: str
    feature: str
    files: tuple[RestoredFile, ...] = ()
    already_restored: tuple[str, ...] = ()
    unticked: str = ""
    nothing: str = ""
    earlier: str = ""
    is_undone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """What restores the files of a session, with the texts that are not in the ledger yet."""

    undo: UndoBegun
    already_restored: tuple[str, ...] = ()
    blobs: Mapping[str, bytes] = field(default_factory=dict[str, bytes])


async def undo(project: Project, name: str, *, dry_run: bool = False) -> UndoReport:
    """Restore what was there before the first edit of a session's authors; its pass no longer counts.

    Raises:
        UsageError: Somebody works on the session, changed one of the files since, or edited it in a later session.
    """
    head = await project.catalog.find(name)
    started = await project.catalog.started_of(head)
    project = project.under(started.config_file)
    if dry_run:
        await _refuse_held(project, head.feature, started.commission)
        return await _undo(project, head, dry_run=True)
    async with _alone(project, head.feature, started.commission):
        return await _undo(project, head, dry_run=False)


async def _undo(project: Project, head: SessionHead, *, dry_run: bool) -> UndoReport:
    events = await project.ledger.read(head.session)
    history = fold(events)
    assert history is not None
    works = [work for work in revisions(events) if not work.by_person]
    if history.undo:  # a killed undo is on record, and only has to be finished
        plan = _Plan(undo=history.undo)
    elif nothing := _nothing(history, works):
        earlier = await _earlier(project, head)
        is_undone = history.undone is not None
        return UndoReport(
            session=head.session, feature=head.feature, nothing=nothing, earlier=earlier, is_undone=is_undone
        )
    else:
        plan = await _plan(project, head, history, works)
    if not dry_run:
        await _carry_out(project, head, history, plan)
    return UndoReport(
        session=head.session,
        feature=head.feature,
        files=tuple(
            RestoredFile(path=change.path, before=change.before, after=change.after, executable=change.executable)
            for change in plan.undo.changes
            if change.path != plan.undo.unticked
        ),
        already_restored=plan.already_restored,
        unticked=plan.undo.unticked,
        is_undone=not dry_run,
    )


def _nothing(history: History, works: Sequence[Revision]) -> str:
    if history.undone:
        return f"session {history.feature} is already undone"
    if not any(work.changes for work in works):
        return f"no author has changed a file in session {history.feature}"
    return ""


async def _earlier(project: Project, head: SessionHead) -> str:
    """The session of the same name before this one whose authors' work can be undone, if there is one."""
    for other in await project.ledger.heads(head.feature):
        if other.started < head.started and any(
            work.changes for work in revisions(await project.ledger.read(other.session))
        ):
            return other.session
    return ""


async def _plan(project: Project, head: SessionHead, history: History, works: Sequence[Revision]) -> _Plan:
    edits = edits_of(works)
    await _refuse_later_sessions(project, head, edits, works)
    there = _there(project, edits)
    pending = {change.path for work in works if not work.delivered for change in work.changes}
    changed = [path for path, file in edits.items() if _is_foreign(file, there[path], pending=path in pending)]
    if changed:
        raise UsageError(
            f"nothing was undone: {', '.join(changed)} changed since the author's edit",
            hint=f"put your changes aside first; `{_command('diff', head.feature)}` shows what the author changed",
        )
    changes = [change for path, file in edits.items() if (change := _restoring(file, there[path]))]
    await _refuse_lost_texts(project, changes)
    box = await _unticked(project, head, history)
    begun = UndoBegun(
        # The box comes first: if the undo is cut short, `work` never takes the task for done with half its files gone.
        changes=(*([box.change] if box else []), *changes),
        unticked=box.change.path if box else "",
        outcome=history.outcome,
        by=_who(),
    )
    restored = {change.path for change in changes}
    return _Plan(
        undo=begun,
        already_restored=tuple(path for path in edits if path not in restored),
        blobs=box.blobs if box else {},
    )


async def _carry_out(project: Project, head: SessionHead, history: History, plan: _Plan) -> None:
    started = history.started
    await take_back(project, head.session, started, plan.undo, plan.blobs)
    if spec := _spec_of(project, started.commission):
        SpecFiles(project=project, spec=spec).advance()


async def _refuse_later_sessions(
    project: Project, head: SessionHead, edits: Mapping[str, FileEdits], works: Sequence[Revision]
) -> None:
    since = works[0].time
    for other in await project.ledger.heads():
        if other.session == head.session or other.updated < since:
            continue
        later = [work for work in revisions(await project.ledger.read(other.session)) if work.time >= since]
        if both := sorted(edits.keys() & edits_of(later).keys()):
            raise UsageError(
                f"nothing was undone: session {other.feature} ({other.session}) edited {', '.join(both)} later",
                hint=f"undo that session first: {_command('undo', other.session)}",
            )


def _there(project: Project, edits: Mapping[str, FileEdits]) -> dict[str, Content | ChangedMeanwhile | None]:
    """What is in the place of each file now; `ChangedMeanwhile` if that is no regular file."""
    there: dict[str, Content | ChangedMeanwhile | None] = {}
    for path in edits:
        try:
            there[path] = current(project.root, path)
        except ChangedMeanwhile as error:
            there[path] = error
    return there


def _is_foreign(file: FileEdits, there: Content | ChangedMeanwhile | None, *, pending: bool) -> bool:
    """Whether the file is not as the author left it. One that somebody has restored already may stay as it is."""
    if isinstance(there, ChangedMeanwhile):
        return True
    if _restoring(file, there) is None:
        return False
    digest = digest_of(there.data) if there else None
    last = file.edits[-1]
    if file.is_broken or digest not in ((file.after, last.before) if pending else (file.after,)):
        return True
    return there is not None and digest == file.after and not pending and there.executable != last.executable


def _restoring(file: FileEdits, there: Content | ChangedMeanwhile | None) -> FileChange | None:
    """What restores a file; None if it is as it was."""
    assert not isinstance(there, ChangedMeanwhile)
    digest = digest_of(there.data) if there else None
    mode = file.edits[0].mode_before
    runs = bool(mode & 0o100) if mode is not None else bool(there and there.executable)
    flipped = there is not None and there.executable != runs
    if digest == file.before and (file.before is None or not flipped):
        return None
    return FileChange(
        path=file.path,
        before=digest,
        after=file.before,
        executable=runs and file.before is not None,
        mode_before=there.mode if there else None,
        mode_after=mode if file.before is not None and (flipped or file.was_gone) else None,
    )


async def _refuse_lost_texts(project: Project, changes: Sequence[FileChange]) -> None:
    lost = [change.path for change in changes if change.after and await project.ledger.blob(change.after) is None]
    if lost:
        raise UsageError(
            f"nothing was undone: the ledger does not have the earlier text of {', '.join(lost)}",
            hint="restore the files from git or a backup",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Box:
    """A task's file with the box unticked, as one more file to change."""

    change: FileChange
    blobs: Mapping[str, bytes]


async def _unticked(project: Project, head: SessionHead, history: History) -> _Box | None:
    """The box that this session ticked: not that of a review of several tasks, nor one that a newer session ticked."""
    commission = history.started.commission
    spec = _spec_of(project, commission)
    if spec is None or commission is None or commission.reviews or history.outcome not in PASSING:
        return None
    for other in await project.ledger.heads(head.feature):
        if other.started > head.started and (await project.catalog.history(other.session)).outcome in PASSING:
            return None
    found = SpecFiles(project=project, spec=spec).reopened(history)
    if found is None:
        return None
    there = current(project.root, found.path)
    texts = {digest_of(data): data for data in (found.before.encode(), found.after.encode())}
    change = FileChange(
        path=found.path,
        before=digest_of(found.before),
        after=digest_of(found.after),
        executable=there is not None and there.executable,
        mode_before=there.mode if there else None,
    )
    return _Box(change=change, blobs=texts)


def _spec_of(project: Project, commission: Commission | None) -> Spec | None:
    origin = commission.origin if commission else None
    if origin is None or not (project.root / origin.file).is_file():
        return None
    return reopen_spec(project.root, origin.folder, origin.file)


def _leases(feature: str, commission: Commission | None) -> list[str]:
    """The leases that a process may hold while it works on the session or its workflow."""
    if commission is None:
        return [feature]
    if commission.origin:
        return [f"{LEASE} {commission.origin.folder}", feature]
    if commission.feature:
        return [f"reviewloop feature {commission.feature}", feature]
    plan = [f"reviewloop plan {PurePosixPath(path).parent.name}" for path in commission.outputs[:1]]
    return [LEASE, *plan, feature]


async def _refuse_held(project: Project, feature: str, commission: Commission | None) -> None:
    for lease in _leases(feature, commission):
        if holder := await project.ledger.holder(lease):
            raise _held(feature, holder.owner)


@asynccontextmanager
async def _alone(project: Project, feature: str, commission: Commission | None) -> AsyncGenerator[None]:
    async with AsyncExitStack() as held:
        try:
            for lease in _leases(feature, commission):
                await held.enter_async_context(project.ledger.hold(lease))
        except SessionHeld as error:
            raise _held(feature, error.owner) from error
        yield


def _held(feature: str, owner: str) -> UsageError:
    return UsageError(
        f"nothing was undone: session {feature} is being worked on by {owner}",
        hint="wait for it, or stop that process, then undo again",
    )


def _command(command: str, name: str) -> str:
    return shlex.join(["reviewloop", command, name])


def _who() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""
