"""Makes a replay from a recorded session: a transcript for kind `replay`, with secrets removed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from reviewloop.agents.kinds.replay import MARKER
from reviewloop.agents.redaction import redact
from reviewloop.app.project import Project
from reviewloop.core.session.events import (
    Answered,
    Authored,
    AuthorFailed,
    MalformedAnswer,
    Payload,
    Settled,
    Unanswered,
)
from reviewloop.core.types.calls import Call, FileChange
from reviewloop.core.types.review import Failure, Usage
from reviewloop.errors import LedgerError
from reviewloop.ports import Role

OFFLINE = "static"
"""The name of the offline reviewer. A transcript leaves it out, because the rules repeat its answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """What every agent of a session answered, without secrets, as the agent kind `replay` reads it."""

    session: str
    entries: list[Any]


async def record_session(project: Project, name: str) -> Recording:
    head = await project.catalog.find(name)
    events = await project.ledger.read(head.session)
    entries = await transcript((event.payload for event in events), project.ledger)
    return Recording(session=head.session, entries=entries)


class BlobStore(Protocol):
    """Returns the text of an author's file by its digest."""

    async def blob(self, digest: str) -> bytes | None: ...


async def transcript(payloads: Iterable[Payload], blobs: BlobStore) -> list[dict[str, Any]]:
    """Return the entries that repeat the recorded answers, in their order."""
    entries: list[dict[str, Any]] = []
    for payload in payloads:
        match payload:
            case Answered() | Settled(failure=None):
                entry = _entry(Role.REVIEW, payload.iteration, payload.call, payload.usage, payload.model)
                entries.append(entry | {"text": _clean(payload.text, payload.call)})
            case MalformedAnswer():
                entry = _entry(Role.REVIEW, payload.iteration, payload.call, payload.usage)
                entries.append(entry | {"text": _clean(payload.raw_output, payload.call)})
            case Unanswered() | Settled(failure=Failure()):
                entry = _entry(Role.REVIEW, payload.iteration, payload.call, payload.usage)
                entries.append(entry | _error(payload.failure))
            case AuthorFailed():
                entry = _entry(Role.AUTHOR, payload.iteration, payload.call, payload.usage)
                entries.append(entry | _error(payload.failure))
            case Authored():
                entry = _entry(Role.AUTHOR, payload.iteration, payload.call, payload.usage, payload.model)
                edits = await _edits(payload.changes, blobs)
                entries.append(entry | {"text": _clean(payload.text, payload.call), "edits": edits})
            case _:
                pass
    return [entry for entry in entries if entry["agent"] != OFFLINE]


def _entry(role: Role, iteration: int, call: Call, usage: Usage, model: str | None = None) -> dict[str, Any]:
    call_fields = {
        "role": str(role),
        "agent": call.agent,
        "stage": None if call.stage is None else str(call.stage),
        "iteration": iteration,
        "attempt": call.attempt,
        "model": model,
    }
    spent = {name: getattr(usage, name) for name in ("input_tokens", "output_tokens", "cost_usd", "seconds")}
    usage_fields = {name: value for name, value in spent.items() if value is not None}
    return {name: value for name, value in call_fields.items() if value is not None} | {"usage": usage_fields}


def _error(failure: Failure | None) -> dict[str, Any]:
    assert failure is not None
    # A replay cannot tamper with files, so the entry only repeats that there was no usable answer.
    cause = "failed" if failure.cause == "tampered" else failure.cause
    hint = {"hint": redact(failure.hint)} if failure.hint else {}
    return {"error": {"cause": cause, "message": redact(failure.message), **hint}}


def _clean(text: str, call: Call) -> str:
    """Remove secrets, and make the receipt valid for any call."""
    return redact(text.replace(call.marker, MARKER) if call.marker else text)


async def _edits(changes: Iterable[FileChange], blobs: BlobStore) -> dict[str, str | None]:
    return {change.path: change.after and redact(await _text(change.after, blobs)) for change in changes}


async def _text(digest: str, blobs: BlobStore) -> str:
    data = await blobs.blob(digest)
    if data is None:
        raise LedgerError(f"the ledger does not contain the author's text {digest[:12]}")
    return data.decode("utf-8", "replace")
