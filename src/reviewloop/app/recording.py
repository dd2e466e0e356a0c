"""Makes a replay from recorded sessions: a transcript for kind `replay`, with secrets removed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from reviewloop.agents.kinds.replay import MARKER
from reviewloop.app.project import Project
from reviewloop.core.session.events import (
    Answered,
    Authored,
    AuthorFailed,
    MalformedAnswer,
    Payload,
    Ruled,
    Settled,
    Unanswered,
)
from reviewloop.core.types.calls import Call, FileChange
from reviewloop.core.types.review import Failure
from reviewloop.errors import LedgerError
from reviewloop.ports import Role
from reviewloop.redaction import redact

OFFLINE = "static"
"""The name of the offline reviewer. A transcript leaves it out, because the rules repeat its answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """What every agent of some sessions answered, without secrets, as the agent kind `replay` reads it."""

    sessions: tuple[str, ...]
    entries: list[Any]


async def record_sessions(project: Project, names: Sequence[str]) -> Recording:
    """Record the newest session of each name. If there are several, their entries say to which they belong."""
    heads = [await project.catalog.find(name) for name in names]
    entries: list[dict[str, Any]] = []
    for head in heads:
        events = await project.ledger.read(head.session)
        found = await transcript((event.payload for event in events), project.ledger)
        entries += [{"feature": head.feature} | entry for entry in found] if len(heads) > 1 else found
    return Recording(sessions=tuple(head.session for head in heads), entries=entries)


class BlobStore(Protocol):
    """Returns the text of an author's file by its digest."""

    async def blob(self, digest: str) -> bytes | None: ...


async def transcript(payloads: Iterable[Payload], blobs: BlobStore) -> list[dict[str, Any]]:
    """Return the entries that repeat the recorded answers, in their order."""
    entries: list[dict[str, Any]] = []
    for payload in payloads:
        match payload:
            case Answered() | MalformedAnswer() | Unanswered() | Settled() | Ruled():
                entries.append(_entry(Role.REVIEW, payload) | _answer(payload))
            case AuthorFailed():
                entries.append(_entry(Role.AUTHOR, payload) | _error(payload.failure))
            case Authored():
                text = _clean(payload.text, payload.call)
                edits = await _edits(payload.changes, blobs)
                entries.append(_entry(Role.AUTHOR, payload) | {"text": text, "edits": edits})
            case _:
                pass
    return [entry for entry in entries if entry["agent"] != OFFLINE]


_Reviewed = Answered | MalformedAnswer | Unanswered | Settled | Ruled


def _answer(payload: _Reviewed) -> dict[str, Any]:
    match payload:
        case Unanswered(failure=failure) | Settled(failure=Failure() as failure) | Ruled(failure=Failure() as failure):
            return _error(failure)
        case MalformedAnswer(raw_output=text) | Answered(text=text) | Settled(text=text) | Ruled(text=text):
            return {"text": _clean(text, payload.call)}


def _entry(role: Role, payload: _Reviewed | Authored | AuthorFailed) -> dict[str, Any]:
    call, usage = payload.call, payload.usage
    fields = {
        "role": str(role),
        "agent": call.agent,
        "stage": None if call.stage is None else str(call.stage),
        "call": call.key,
        # An arbiter may be asked in a later iteration than the one that raised the finding.
        "iteration": None if isinstance(payload, Ruled) else payload.iteration,
        "attempt": call.attempt,
        "model": getattr(payload, "model", None),
        "answered_by": getattr(payload, "answered_by", None),
    }
    spent = {name: getattr(usage, name) for name in ("input_tokens", "output_tokens", "cost_usd", "seconds")}
    usage_fields = {name: value for name, value in spent.items() if value is not None}
    return {name: value for name, value in fields.items() if value is not None} | {"usage": usage_fields}


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
