"""Events as stored: payloads as JSON and back, times as RFC 3339 in UTC.

Any text survives. Unpaired surrogates (from file names that are not UTF-8, or cut-off escapes in an answer) are written
as JSON escapes; two halves that stand side by side come back as the one character they spell. Only in the keys of
mappings (names of criteria and settings) they are replaced by U+FFFD.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Any

from reviewloop.core.session.events import PAYLOADS, Draft, Event, Payload, Started
from reviewloop.errors import DamagedRecord, LedgerError, NewerRecord

if TYPE_CHECKING:
    from pydantic import TypeAdapter

# Unique, not secret: asking the system for each would let go of the interpreter. Our own, because programs seed the
# common one, and anew after a fork.
_IDS = Random()  # noqa: S311
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_IDS.seed)


def encode(payload: Payload) -> str:
    """The payload as JSON, every field spelled out, so that later defaults do not change the past."""
    try:
        return _adapter(payload.type).serializer.to_json(payload, warnings="error").decode()
    except ValueError:
        return _encode_carefully(payload)


def decode(kind: str, text: str, *, where: str = "a stored event") -> Payload:
    """The payload of an event type. Fields we do not know are ignored, fields with defaults may be missing.

    Raises:
        DamagedRecord: The type is unknown or the JSON is no such payload; the message starts with `where`.
    """
    if kind not in PAYLOADS:
        raise NewerRecord(f"{where} has the unknown type {kind}")
    try:
        return _parse(kind, text)
    except ValueError as error:
        raise DamagedRecord(f"{where} ({kind}) cannot be read: {_first_problem(error)}") from error


def restore(identity: str, session: str, seq: int, time: str, kind: str, payload: str) -> Event:
    """An event from its stored columns."""
    where = f"event {seq} of session {session}"
    try:
        when = parse_time(time)
    except (TypeError, ValueError) as error:
        raise DamagedRecord(f"{where} ({kind}) cannot be read: its time is {time!r}") from error
    return Event(id=identity, session=session, seq=seq, time=when, payload=decode(kind, payload, where=where))


def number(session: str, expected: int, drafts: Sequence[Draft]) -> list[Event]:
    """The drafts as events that follow the `expected` ones a session has."""
    return [
        Event(
            id=f"{_IDS.getrandbits(128):032x}",
            session=session,
            seq=expected + n + 1,
            time=draft.time if draft.time.tzinfo is UTC else draft.time.astimezone(UTC),
            payload=draft.payload,
        )
        for n, draft in enumerate(drafts)
    ]


def feature_of(events: Sequence[Event]) -> str | None:
    """What the events say the session is about, if they do."""
    for event in reversed(events):
        if isinstance(event.payload, Started) and event.payload.feature:
            return event.payload.feature
    return None


def envelope(event: Event) -> dict[str, Any]:
    """The event as other tools read it, ready for `json.dumps`."""
    return {
        "id": event.id,
        "session": event.session,
        "seq": event.seq,
        "time": format_time(event.time),
        "type": event.type,
        "payload": json.loads(encode(event.payload)),
    }


def format_time(time: datetime) -> str:
    """RFC 3339 in UTC, always with microseconds, so that text sorts as time does."""
    in_utc = time if time.tzinfo is UTC else time.astimezone(UTC)
    return in_utc.isoformat(timespec="microseconds")[: -len("+00:00")] + "Z"


def parse_time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def check_name(name: str) -> str:
    """The name of a session or lease, if people and files can carry it."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raise LedgerError(
            f"{name!a} cannot name a session: it is not valid Unicode",
            hint="give the session a name with `--name`",
        ) from None
    return name


@cache
def _adapter(kind: str) -> TypeAdapter[Any]:
    from pydantic import ConfigDict, TypeAdapter

    # A dataclass by itself takes no configuration, a union with one does. Without it, infinity is written as null.
    optional: Any = PAYLOADS[kind] | None
    return TypeAdapter[Any](optional, config=ConfigDict(ser_json_inf_nan="strings"))


def _encode_carefully(payload: Payload) -> str:
    """For what the fast way refuses or doubts: it is written only if it can be read back."""
    try:
        text = json.dumps(_adapter(payload.type).dump_python(payload, mode="json", warnings=False))
        _parse(payload.type, text)
    except ValueError as error:
        raise LedgerError(f"a {payload.type} event cannot be recorded: {_first_problem(error)}") from error
    return text


def _parse(kind: str, text: str) -> Payload:
    adapter = _adapter(kind)
    try:
        payload = adapter.validate_json(text)
    except ValueError:
        if "\\ud" not in text:
            raise
        # Only Python's own parser takes unpaired surrogates.
        payload = adapter.validate_python(json.loads(text))
    if payload is None:
        raise ValueError("it is null")
    return payload


def _first_problem(error: ValueError) -> str:
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):
        return str(error)
    problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part) for part in problem["loc"])
    return f"{place}: {problem['msg']}" if place else problem["msg"]
