"""Converts events to their stored form and back: payloads as JSON, times as RFC 3339 in UTC.

Any text survives. Unpaired surrogates (from file names that are not UTF-8, or cut-off escapes in an answer) are written
as JSON escapes; two halves of a pair that follow each other are read as one character. In the keys of mappings (names
of criteria and settings), unpaired surrogates are replaced with U+FFFD.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Any

from reviewloop.core.session.events import SESSION_PAYLOADS, Draft, Event, Payload, Started
from reviewloop.dataclass_decoder import DecodeError, decode_dataclass
from reviewloop.errors import DamagedRecord, LedgerError, NewerRecord

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from reviewloop.core.session.events.memory import MemoryPayload

# Ids are unique, not secret: asking the system for each would release the interpreter lock. Programs may seed the
# module's shared generator, so this is a separate one, seeded again after a fork.
_IDS = Random()  # noqa: S311
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_IDS.seed)


def encode(payload: Payload) -> str:
    """Convert a payload to JSON. Every field is written out, so that later defaults do not change old events."""
    try:
        return _adapter(type(payload)).serializer.to_json(payload, warnings="error").decode()
    except ValueError:
        return _encode_unusual(payload)


def decode(kind: str, text: str, *, where: str = "a stored event") -> Payload:
    """Read the payload of an event type. Unknown fields are ignored, fields with defaults may be missing.

    Raises:
        DamagedRecord: The type is unknown or the JSON does not fit it. The message starts with `where`.
    """
    payload_class = SESSION_PAYLOADS.get(kind) or _memory_payload(kind)
    if payload_class is None:
        raise NewerRecord(f"{where} has the unknown type {kind}")
    try:
        return _parse(payload_class, text)
    except ValueError as error:
        raise DamagedRecord(f"{where} ({kind}) cannot be read: {error}") from error


def restore(identity: str, session: str, seq: int, time: str, kind: str, payload: str) -> Event:
    """Build an event from its stored columns."""
    where = f"event {seq} of session {session}"
    try:
        when = parse_time(time)
    except (TypeError, ValueError) as error:
        raise DamagedRecord(f"{where} ({kind}) cannot be read: its time {time!r} is invalid") from error
    return Event(id=identity, session=session, seq=seq, time=when, payload=decode(kind, payload, where=where))


def number(session: str, expected: int, drafts: Sequence[Draft]) -> list[Event]:
    """Turn drafts into events, numbered after the `expected` events that the session has."""
    return [
        Event(
            id=f"{_IDS.getrandbits(128):032x}",
            session=session,
            seq=seq,
            time=draft.time if draft.time.tzinfo is UTC else draft.time.astimezone(UTC),
            payload=draft.payload,
        )
        for seq, draft in enumerate(drafts, expected + 1)
    ]


def feature_of(events: Sequence[Event]) -> str | None:
    """Return the feature that the events name last, or None."""
    for event in reversed(events):
        if isinstance(event.payload, Started) and event.payload.feature:
            return event.payload.feature
    return None


def envelope(event: Event) -> dict[str, Any]:
    """Convert an event to the JSON object that other tools read."""
    return {
        "id": event.id,
        "session": event.session,
        "seq": event.seq,
        "time": format_time(event.time),
        "type": event.type,
        "payload": json.loads(encode(event.payload)),
    }


def format_time(time: datetime) -> str:
    """Format a time as RFC 3339 in UTC, always with microseconds, so that the texts sort by time."""
    in_utc = time if time.tzinfo is UTC else time.astimezone(UTC)
    return in_utc.isoformat(timespec="microseconds")[: -len("+00:00")] + "Z"


def parse_time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def check_name(name: str) -> str:
    """Return the name of a session or lease, or raise if it is not valid Unicode."""
    try:
        name.encode()
    except UnicodeEncodeError:
        message = f"the session name {name!a} is not valid Unicode"
        raise LedgerError(message, hint="choose another name with `--name`") from None
    return name


@cache
def _adapter(payload_class: type[Payload]) -> TypeAdapter[Any]:
    """The encoder of a payload. Only commands that record events pay for its import."""
    from pydantic import ConfigDict, TypeAdapter

    # A plain dataclass takes no configuration, but a union with it does. Without one, infinity is written as null.
    optional: Any = payload_class | None
    return TypeAdapter[Any](optional, config=ConfigDict(ser_json_inf_nan="strings"))


def _encode_unusual(payload: Payload) -> str:
    """Encode a payload that the fast encoder rejects. It is written only if it can be read back."""
    try:
        text = json.dumps(_adapter(type(payload)).dump_python(payload, mode="json", warnings=False))
        _parse(type(payload), text)
    except ValueError as error:
        raise LedgerError(f"a {payload.type} event cannot be recorded: {error}") from error
    return text


def _memory_payload(kind: str) -> type[MemoryPayload] | None:
    """The class of an event of the memory. Only commands that read its record pay for its import."""
    from reviewloop.core.session.events.memory import MEMORY_PAYLOADS

    return MEMORY_PAYLOADS.get(kind)


def _parse(payload_class: type[Payload], text: str) -> Payload:
    try:
        value = json.loads(text)
    except RecursionError:
        raise DecodeError("the JSON is nested too deeply") from None
    except ValueError as error:
        raise DecodeError(f"invalid JSON: {error}") from error
    return decode_dataclass(payload_class, value)
