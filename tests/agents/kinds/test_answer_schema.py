"""Every dialect's schema can be sent to providers that take only a part of JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from reviewloop.agents.kinds.answer_schema import strict, without_nulls
from reviewloop.core.dialects import DIALECTS
from reviewloop.core.types.rubric import FOUR_CRITERIA

SCHEMAS = {name: schema for name, dialect in DIALECTS.items() if (schema := dialect.schema(FOUR_CRITERIA))}


def parts(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    for inner in [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]:
        yield from parts(inner)
    if "items" in schema:
        yield from parts(schema["items"])


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_object_is_closed_and_every_property_required(name: str) -> None:
    schema = strict(SCHEMAS[name])

    Draft202012Validator.check_schema(schema)
    for part in parts(schema):
        assert "type" in part or "anyOf" in part
        if part.get("type") == "object":
            assert part["additionalProperties"] is False
            assert list(part["properties"]) == part["required"]


def test_what_was_optional_may_be_null() -> None:
    answer = {
        "verdict": "pass",
        "score": dict.fromkeys(FOUR_CRITERIA.names, 90),
        "feedback": [],
        "receipt": None,
    }

    Draft202012Validator(strict(SCHEMAS["scored"])).validate(answer)
    assert "receipt" not in without_nulls(json.dumps(answer))


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(_JSON)
def test_no_property_is_null_afterwards(value: Any) -> None:
    def has_null(value: Any) -> bool:
        if isinstance(value, dict):
            return any(inner is None or has_null(inner) for inner in value.values())
        return isinstance(value, list) and any(has_null(inner) for inner in value)

    assert not has_null(json.loads(without_nulls(json.dumps(value))))


@given(st.text())
def test_text_that_is_no_json_stays_as_it_is(text: str) -> None:
    try:
        json.loads(text)
    except ValueError:
        assert text == without_nulls(text)
