"""Starts an iteration: reads the artifact and runs the offline rules."""

from __future__ import annotations

from dataclasses import replace

from reviewloop.core.session.events import Checked
from reviewloop.core.types.artifact import Artifact, SourceFile
from reviewloop.core.types.calls import FileState
from reviewloop.core.types.sections import sections_of
from reviewloop.engine.context import SessionContext
from reviewloop.engine.session import Session


async def check(session: Session, number: int, context: SessionContext) -> None:
    """Begin an iteration with the current artifact, and record its text."""
    verified = (
        await context.verify() if context.verify else None
    )  # before the artifact is read, because the command may change files
    artifact = await context.workspace.read()
    checked = Checked(
        iteration=number,
        digest=artifact.digest,
        size=artifact.size,
        files=tuple(FileState(path=file.path, digest=file.digest, size=file.size) for file in artifact.files),
        facts=(*(verified.findings if verified else ()), *await context.rules(artifact)),
        sections=sections_of(artifact),
        verified=verified,
        unread=artifact.unread,
    )
    session.artifact = artifact
    session.keep({file.digest: file.text.encode("utf-8", "surrogatepass") for file in artifact.files})
    session.record(checked)


async def reviewed_artifact(session: Session, checked: Checked, context: SessionContext) -> Artifact:
    """Return the artifact that the iteration reviews, even if the user's file has changed since or after a crash."""
    if session.artifact is None or session.artifact.digest != checked.digest:
        now = await context.workspace.read()
        session.artifact = now if now.digest == checked.digest else await _as_recorded(now, checked, context)
    return session.artifact


async def _as_recorded(now: Artifact, checked: Checked, context: SessionContext) -> Artifact:
    files: list[SourceFile] = []
    for state in checked.files:
        data = await context.ledger.blob(state.digest)
        if data is None:
            return now
        known = now.file(state.path)
        text = data.decode("utf-8", "surrogatepass")
        files.append(SourceFile(path=state.path, text=text, kind=known.kind if known else None))
    return replace(now, files=tuple(files))
