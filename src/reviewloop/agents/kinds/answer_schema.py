"""Answer schemas for providers that only take a part of JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

# What is left out here is checked when the answer is read.
_KEPT = ("type", "enum", "items", "properties", "required", "anyOf", "description")


def strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema as OpenAI takes it: every object closed, every property required, the optional ones nullable."""
    kept = {key: value for key, value in schema.items() if key in _KEPT}
    if "enum" in kept:
        kept.setdefault("type", "string")
    if "items" in kept:
        kept["items"] = strict(kept["items"])
    if "anyOf" in kept:
        kept["anyOf"] = [strict(one) for one in kept["anyOf"]]
    if kept.get("type") == "object":
        required = kept.get("required", ())
        properties = {name: strict(one) for name, one in kept.get("properties", {}).items()}
        kept["properties"] = {
            name: one if name in required else {"anyOf": [one, {"type": "null"}]} for name, one in properties.items()
        }
        kept["required"] = list(properties)
        kept["additionalProperties"] = False
    return kept


def without_nulls(text: str) -> str:
    """An answer to a strict schema without the properties that were left open; other text as it is."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return json.dumps(_without_nulls(value), ensure_ascii=False)


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value).items()
        return {key: _without_nulls(one) for key, one in members if one is not None}
    if isinstance(value, list):
        return [_without_nulls(one) for one in cast("list[Any]", value)]
    return value
