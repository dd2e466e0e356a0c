"""Whether what passed is still what is there."""

from __future__ import annotations

from reviewloop.app import App
from reviewloop.errors import ReviewloopError
from reviewloop.records import Ran
from reviewloop.review.artifact import Kind
from reviewloop.views.plan_table import without_cells
from reviewloop.workspace.files import as_text
from reviewloop.workspace.folders import content_of
from reviewloop.workspace.source import Source


async def has_drifted(app: App, ran: Ran) -> bool:
    """Whether somebody changed what passed. An author's later work is on record itself, and does not count."""
    source = Source.from_json(ran.history.started.source)
    if not ran.history.digest or not source.editable:
        return False
    try:
        now = await app.desk(source, (), ran.history.started.commission, ran.id).workspace.read()
    except ReviewloopError:
        return True
    if now.digest == ran.history.digest:
        return False
    is_diff = source.kind is Kind.CHANGE  # then the first file is no file of the project
    was = {state.path: state.digest for state in ran.history.iterations[-1].checked.files[is_diff:]}
    new = {file.path: file.digest for file in now.files[is_diff:]}
    moved = {(path, new.get(path)) for path in was.keys() | new.keys() if was.get(path) != new.get(path)}
    ours = {(path, digest) for path, digest in moved if await _is_kept_plan(app, path, was.get(path))}
    return not moved or not moved - ours <= await _written_since(app, ran)


async def _is_kept_plan(app: App, path: str, before: str | None) -> bool:
    """Whether a file is the living plan, and only what Reviewloop keeps up to date in it has changed."""
    if before is None or path not in app.keeping.plans:
        return False
    blob, now = await app.ledger.blob(before), content_of(app.root, path)
    if blob is None or now is None:
        return False
    texts = [as_text(data) or "" for data in (blob, now.data)]
    return without_cells(texts[0]) == without_cells(texts[1])


async def _written_since(app: App, ran: Ran) -> set[tuple[str, str | None]]:
    """What authors wrote after a session ended: paths, and the digests of their texts."""
    heads = [head for head in await app.ledger.heads() if head.updated >= ran.history.updated_at]
    later = [head.session for head in heads if head.session != ran.id]
    return {(change.path, change.after) for session in later for change in await app.records.changes(session)}
