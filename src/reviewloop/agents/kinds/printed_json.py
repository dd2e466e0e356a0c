"""What programs print: JSON that may be anything."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast


def printed_object(text: str) -> Mapping[str, Any]:
    """The one JSON object that was printed; an empty one if it is anything else."""
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def table_in(result: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """An object inside another; an empty one if it is anything else, or not there."""
    value = result.get(key)
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
