"""Answer schemas for providers that accept only part of JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

# Constraints that are dropped here are checked when the answer is read.
_KEPT = ("type", "enum", "items", "properties", "required", "anyOf", "description")


def strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a schema to OpenAI's strict form: objects closed, properties required, optional ones nullable."""
    kept = {key: value for key, value in schema.items() if key in _KEPT}
    if "enum" in kept:
        kept.setdefault("type", "string")
    if "items" in kept:
        kept["items"] = strict(kept["items"])
    if "anyOf" in kept:
        kept["anyOf"] = [strict(option) for option in kept["anyOf"]]
    if kept.get("type") == "object":
        required = kept.get("required", ())
        properties = {name: strict(member) for name, member in kept.get("properties", {}).items()}
        kept["properties"] = {
            name: member if name in required else {"anyOf": [member, {"type": "null"}]}
            for name, member in properties.items()
        }
        kept["required"] = list(properties)
        kept["additionalProperties"] = False
    return kept


def without_nulls(text: str) -> str:
    """Remove null properties from an answer to a strict schema. Text that is not JSON is returned unchanged."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return json.dumps(_without_nulls(value), ensure_ascii=False)


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value).items()
        return {key: _without_nulls(member) for key, member in members if member is not None}
    if isinstance(value, list):
        return [_without_nulls(item) for item in cast("list[Any]", value)]
    return value
