"""Takes back what a session's authors did: on record first, then in the user's tree, as with an author's work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from reviewloop.core.loop.steps import Restore
from reviewloop.core.session.events import UndoBegun, Undone, UndoStopped
from reviewloop.core.types.calls import FileChange
from reviewloop.core.types.outcome import PASSING
from reviewloop.engine.context import SessionContext
from reviewloop.engine.session import Session
from reviewloop.errors import UsageError, WorkspaceError
from reviewloop.text import count


async def begin_undo(session: Session, undo: UndoBegun, blobs: Mapping[str, bytes]) -> None:
    """Put on record what restores the files. From here on the undo is finished by whoever opens the session next."""
    session.keep(blobs)
    session.record(undo)
    await session.flush()


async def restore(session: Session, step: Restore, context: SessionContext) -> None:
    """Restore the files, all or none. After a crash this runs again and comes to the same.

    Raises:
        UsageError: Somebody changed one of the files since the undo was begun. The undo is off, which is on record.
    """
    undo = step.undo
    foreign = await context.workspace.restore(undo.changes, await _texts(undo.changes, session))
    if foreign:
        await _take_back(undo.changes, foreign, session, context)
        session.record(UndoStopped(paths=foreign))
        await session.flush()
        raise UsageError(
            f"nothing was undone: {', '.join(foreign)} changed meanwhile",
            hint="put your changes aside, then undo again",
        )
    paths = tuple(change.path for change in undo.changes)
    session.record(Undone(feature=session.history.feature, paths=paths, because=_because(undo), by=undo.by))
    await session.flush()


def _because(undo: UndoBegun) -> str:
    restored = sum(change.path != undo.unticked for change in undo.changes)
    parts = [f"undone by {undo.by or 'a person'}", f"{count(restored, 'file')} restored"]
    if undo.unticked:
        parts.append(f"the task's box in {undo.unticked} unticked")
    if undo.outcome in PASSING:
        parts.append("the pass no longer counts")
    return ", ".join(parts)


async def _take_back(
    changes: Sequence[FileChange], foreign: Sequence[str], session: Session, context: SessionContext
) -> None:
    """Bring the authors' versions back where an earlier run, which was killed, had restored the file already."""
    back = [
        replace(
            change,
            before=change.after,
            after=change.before,
            executable=bool((change.mode_before or 0) & 0o100),
            mode_before=None,
            mode_after=change.mode_before,
        )
        for change in changes
        if change.path not in foreign
    ]
    await context.workspace.restore(back, await _texts(back, session))


async def _texts(changes: Sequence[FileChange], session: Session) -> dict[str, bytes]:
    texts: dict[str, bytes] = {}
    for digest in {change.after for change in changes if change.after is not None}:
        data = await session.text(digest)
        if data is None:
            raise WorkspaceError(f"the ledger has lost the text {digest[:12]}", hint="restore the ledger from a backup")
        texts[digest] = data
    return texts
