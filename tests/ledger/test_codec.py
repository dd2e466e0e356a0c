import dataclasses
import enum
import functools
import json
import os
import random
import types
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ConfigDict, TypeAdapter

from example_counts import examples
from reviewloop.core.session.events import SESSION_PAYLOADS, Draft, Event, Passed, Resumed, Unanswered, Warned
from reviewloop.core.session.events.memory import MEMORY_PAYLOADS
from reviewloop.core.types.calls import Call
from reviewloop.core.types.outcome import Answer
from reviewloop.core.types.policy import Policy
from reviewloop.core.types.review import Failure, Usage
from reviewloop.errors import DamagedRecord, LedgerError
from reviewloop.ledger.codec import decode, encode, envelope, number, restore
from reviewloop.testing.ledger import NOON, started

PAYLOADS = {**SESSION_PAYLOADS, **MEMORY_PAYLOADS}


def joined(text):
    """Halves of a character that stand side by side are that character."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


TEXT = st.text(st.characters() | st.characters(categories=["Cs"]) | st.sampled_from("\0\x1b\u2028\\"), max_size=8).map(
    joined
)
NAME = st.text(max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAME, inner, max_size=2),
    max_leaves=4,
)
PLAIN = {
    str: TEXT,
    int: st.integers(),
    bool: st.booleans(),
    float: st.floats(allow_nan=False),
    datetime: st.datetimes(timezones=st.just(UTC), min_value=datetime(1970, 1, 1)),  # noqa: DTZ001 - the strategy adds it
    date: st.dates(),
    Any: JSON,
    type(None): st.none(),
}


@functools.cache
def values(hint):
    """Any value a field of that type may have."""
    if hint in PLAIN:
        return PLAIN[hint]
    if dataclasses.is_dataclass(hint):
        hints = get_type_hints(hint)
        return st.builds(hint, **{field.name: values(hints[field.name]) for field in dataclasses.fields(hint)})
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return st.sampled_from(hint)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin in (Union, types.UnionType):
        return st.one_of(*map(values, arguments))
    if origin is tuple:
        return st.lists(values(arguments[0]), max_size=2).map(tuple)
    assert origin is Mapping
    return st.dictionaries(NAME, values(arguments[1]), max_size=2)


@pytest.mark.parametrize("kind", PAYLOADS)
@settings(
    max_examples=examples(10), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(data=st.data())
def test_every_payload_comes_back_as_it_was(kind, data):
    payload = data.draw(values(PAYLOADS[kind]))

    stored = encode(payload)

    assert payload == decode(kind, stored)
    assert b"\0" not in stored.encode()


def test_two_halves_of_a_character_side_by_side_come_back_as_the_character():
    stored = encode(Warned(feature="export", iteration=1, warnings=("\ud83d\ude42 \ude42\ud83d",)))

    assert ("🙂 \ude42\ud83d",) == decode(Warned.type, stored).warnings


def test_half_a_character_in_the_name_of_a_setting_is_replaced():
    stored = encode(Resumed(action=Answer.CONTINUE, overrides={"caf\udce9": "caf\udce9"}))

    assert {"caf\ufffd\ufffd\ufffd": "caf\udce9"} == decode(Resumed.type, stored).overrides


def test_a_number_that_is_none_does_not_become_null():
    call = Call(key="export/1/a", agent="a", attempt=1)
    failure = Failure(cause="timed_out", message="no answer")
    stored = encode(Unanswered(iteration=1, call=call, failure=failure, usage=Usage(seconds=float("nan"))))

    assert '"seconds":"NaN"' in stored
    assert "nan" == str(decode(Unanswered.type, stored).usage.seconds)


def test_defaults_are_written_down_so_that_later_ones_do_not_change_the_past():
    stored = json.loads(encode(Resumed(action=Answer.CONTINUE, policy=Policy())))

    assert {field.name for field in dataclasses.fields(Policy)} == stored["policy"].keys()


def test_fields_of_a_newer_version_are_ignored_and_fields_an_older_one_did_not_have_get_defaults():
    stored = '{"feature": "export", "prd_path": "prd.md", "specs_path": "spec.md", "mood": "good"}'

    assert Passed(feature="export", prd_path="prd.md", specs_path="spec.md") == decode(Passed.type, stored)


def test_an_event_of_an_unknown_type_is_named_and_not_skipped():
    with pytest.raises(LedgerError) as error:
        restore("f00d", "export", 7, "2026-05-04T12:00:00.000000Z", "spec.review.sung", "{}")

    assert "event 7 of session export has the unknown type spec.review.sung" == error.value.message
    assert "a newer Reviewloop wrote it: upgrade Reviewloop" == error.value.hint


@pytest.mark.parametrize(
    ("stored", "problem"),
    [
        ("{}", "feature: the field is missing"),
        ("null", "expected an object, found null"),
        ("", "invalid JSON: Expecting value: line 1 column 1 (char 0)"),
        ('{"feature": "\\ud83d"', "invalid JSON: Expecting ',' delimiter: line 1 column 21 (char 20)"),
        ('{"feature": "f", "iteration": "x", "warnings": []}', "iteration: expected an integer, found text"),
    ],
)
def test_a_damaged_event_is_named_with_what_is_wrong(stored, problem):
    with pytest.raises(LedgerError) as error:
        restore("f00d", "export", 7, "2026-05-04T12:00:00.000000Z", Warned.type, stored)

    assert error.value.message.startswith("event 7 of session export (spec.review.warned) cannot be read: " + problem)
    assert error.value.hint


def test_what_could_not_be_read_back_is_not_written():
    draft = started("export")
    payload = dataclasses.replace(draft.payload, source={"handle": object()})

    with pytest.raises(LedgerError, match=r"a spec\.review\.started event cannot be recorded: Unable to serialize"):
        encode(payload)


def test_a_list_where_a_tuple_belongs_is_written_as_what_it_will_be_read_as():
    stored = encode(Warned(feature="export", iteration=1, warnings=["a"]))

    assert ("a",) == decode(Warned.type, stored).warnings


def test_the_envelope_is_json_with_the_time_in_utc():
    payload = Warned(feature="export", iteration=1, warnings=("late \ud83d",))
    event = Event(id="f00d", session="export", seq=3, time=NOON, payload=payload)

    expected = {
        "id": "f00d",
        "session": "export",
        "seq": 3,
        "time": "2026-05-04T12:00:00.250000Z",
        "type": "spec.review.warned",
        "payload": {"feature": "export", "iteration": 1, "warnings": ["late \ud83d"]},
    }
    assert expected == json.loads(json.dumps(envelope(event)))


def new_id() -> str:
    (event,) = number("export", 0, [Draft(time=NOON, payload=Warned(feature="export", iteration=1, warnings=()))])
    return event.id


def test_programs_that_seed_their_chances_alike_get_other_ids():
    random.seed(1)
    one = new_id()
    random.seed(1)
    assert one != new_id()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks here")
def test_a_forked_process_gets_other_ids():
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, new_id().encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert new_id() != os.read(reading, 100).decode()
    os.close(reading)
    os.close(writing)


@functools.cache
def pydantic_reader(kind):
    optional: Any = PAYLOADS[kind] | None
    return TypeAdapter[Any](optional, config=ConfigDict(ser_json_inf_nan="strings"))


def with_one_value_replaced(value, data):
    """The same JSON with a value somewhere in it that may not belong there, or with a field less."""
    if isinstance(value, dict) and value and data.draw(st.booleans()):
        key = data.draw(st.sampled_from(sorted(value)))
        rest = {name: inner for name, inner in value.items() if name != key}
        return rest if data.draw(st.booleans()) else rest | {key: with_one_value_replaced(value[key], data)}
    if isinstance(value, list) and value and data.draw(st.booleans()):
        return [with_one_value_replaced(value[0], data), *value[1:]]
    return data.draw(JSON)


@pytest.mark.parametrize("kind", PAYLOADS)
@settings(
    max_examples=examples(10), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(data=st.data())
def test_the_decoder_agrees_with_pydantic_on_intact_payloads_and_accepts_no_more_on_damaged_ones(kind, data):
    intact = json.loads(encode(data.draw(values(PAYLOADS[kind]))))
    reader = pydantic_reader(kind)

    assert reader.validate_python(intact) == decode(kind, json.dumps(intact))

    damaged = with_one_value_replaced(intact, data)
    try:
        found = decode(kind, json.dumps(damaged))
    except DamagedRecord:
        return
    assert reader.validate_python(damaged) == found
