"""Reads JSON that a program printed, without trusting its structure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast


def printed_object(text: str) -> Mapping[str, Any]:
    """Parse a JSON object. Anything else becomes an empty object."""
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def table_in(result: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return the object under `key`, or an empty object."""
    value = result.get(key)
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
