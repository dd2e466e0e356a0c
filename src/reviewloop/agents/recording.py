"""Makes a transcript for kind `replay` from what is on record, without secrets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from reviewloop.agents.kinds.replay import MARKER
from reviewloop.agents.redaction import redact
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
"""The agent whose answers need no recording: the rules give them again."""


class Texts(Protocol):
    """Where the texts of an author's files are."""

    async def blob(self, digest: str) -> bytes | None: ...


async def transcript(payloads: Iterable[Payload], texts: Texts) -> list[dict[str, Any]]:
    """The entries that give the same answers again, in the order they were given."""
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
                said = {"text": _clean(payload.text, payload.call), "edits": await _edits(payload.changes, texts)}
                entries.append(entry | said)
            case _:
                pass
    return [entry for entry in entries if entry["agent"] != OFFLINE]


def _entry(role: Role, iteration: int, call: Call, usage: Usage, model: str | None = None) -> dict[str, Any]:
    known = {
        "role": str(role),
        "agent": call.agent,
        "stage": None if call.stage is None else str(call.stage),
        "iteration": iteration,
        "attempt": call.attempt,
        "model": model,
    }
    spent = {name: getattr(usage, name) for name in ("input_tokens", "output_tokens", "cost_usd", "seconds")}
    usage_known = {"usage": {name: value for name, value in spent.items() if value is not None}}
    return {name: value for name, value in known.items() if value is not None} | usage_known


def _error(failure: Failure | None) -> dict[str, Any]:
    assert failure is not None
    # A replay cannot tamper with files; that there was no usable answer is what counts.
    cause = "failed" if failure.cause == "tampered" else failure.cause
    hint = {"hint": redact(failure.hint)} if failure.hint else {}
    return {"error": {"cause": cause, "message": redact(failure.message), **hint}}


def _clean(text: str, call: Call) -> str:
    """The text as it can be said again: without secrets, and with a receipt that holds for any call."""
    return redact(text.replace(call.marker, MARKER) if call.marker else text)


async def _edits(changes: Iterable[FileChange], texts: Texts) -> dict[str, str | None]:
    return {change.path: change.after and redact(await _text(change.after, texts)) for change in changes}


async def _text(digest: str, texts: Texts) -> str:
    data = await texts.blob(digest)
    if data is None:
        raise LedgerError(f"the ledger has lost the author's text {digest[:12]}")
    return data.decode("utf-8", "replace")
