"""What a session's authors changed, from the ledger alone: before the first edit against after the last."""

from __future__ import annotations

from dataclasses import dataclass

from reviewloop.app.project import Project
from reviewloop.core.session.events import Undone
from reviewloop.core.session.revisions import FileEdits, edits_of, revisions
from reviewloop.workspace.diff import file_diff


@dataclass(frozen=True, slots=True, kw_only=True)
class FileDiff:
    """One file: digests before and after (None where there is no file), whether it could be run, and the diff."""

    path: str
    before: str | None
    after: str | None
    executable_before: bool | None
    executable_after: bool | None
    diff: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionDiff:
    """What the authors of a session changed, file by file. `undone`: it was taken back since."""

    session: str
    feature: str
    files: tuple[FileDiff, ...] = ()
    undone: bool = False

    @property
    def text(self) -> str:
        return "".join(file.diff for file in self.files)


async def revision_diff(project: Project, name: str) -> RevisionDiff:
    """The diff of the newest session of that name, or of the session with that id."""
    head = await project.catalog.find(name)
    events = await project.ledger.read(head.session)
    before_undo = [event for event in events if not isinstance(event.payload, Undone)]
    delivered = [work for work in revisions(before_undo) if work.delivered]
    found = [await _file(project, file) for file in edits_of(delivered).values()]
    return RevisionDiff(
        session=head.session,
        feature=head.feature,
        files=tuple(file for file in found if file.diff),
        undone=len(before_undo) < len(events),
    )


async def _file(project: Project, file: FileEdits) -> FileDiff:
    mode, last = file.edits[0].mode_before, file.edits[-1]
    was_run = None if mode is None else bool(mode & 0o100)
    runs = last.executable if file.after is not None else None
    texts = {digest: await project.ledger.blob(digest) for digest in (file.before, file.after) if digest is not None}
    if None in texts.values():
        diff = f"The ledger does not have the text of {file.path}.\n"
    else:
        before, after = texts.get(file.before or ""), texts.get(file.after or "")
        diff = file_diff(file.path, before, after, was_executable=was_run, executable=runs)
    return FileDiff(
        path=file.path,
        before=file.before,
        after=file.after,
        executable_before=was_run,
        executable_after=runs,
        diff=diff,
    )
