"""The fields of answers that the JSON dialects share: how they are asked for and read, and their schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reviewloop.core.dialects.answer import Answer
from reviewloop.core.types.finding import Category, Change, Finding, Place, Severity


def is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == value


def text_of(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def confidence_of(value: Mapping[str, Any], answer: Answer) -> float | None:
    """The stated confidence, if the prompt asked for one."""
    stated = value.get("confidence")
    usable = answer.confidence_asked and is_number(stated) and 0 <= stated <= 1  # type: ignore[operator]
    return float(stated) if usable else None  # type: ignore[arg-type]


def asked_for(confidence: bool) -> str:
    """The request for a confidence; empty if nothing needs one."""
    return _CONFIDENCE if confidence else ""


def finding_of(item: Mapping[str, Any], *, issue: str, severity: Severity) -> Finding:
    """A finding from an item of an answer, without the optional values that are unusable."""
    line = item.get("line")
    return Finding(
        id=text_of(item.get("id")),
        issue=issue,
        severity=severity,
        place=Place(
            file=text_of(item.get("file")) or None,
            line=line if isinstance(line, int) and not isinstance(line, bool) and line > 0 else None,
            section=text_of(item.get("section")) or None,
        ),
        criterion=text_of(item.get("criterion")) or None,
        suggestion=text_of(item.get("suggestion")) or None,
        quote=text_of(item.get("quote")) or None,
        category=_choice(Category, item.get("category")),
        action=_choice(Change, item.get("action")),
        pattern_id=text_of(item.get("pattern_id")) or None,
    )


def severity_of(value: object) -> Severity | None:
    return _choice(Severity, value)


def _choice(choices: Any, value: object) -> Any:
    try:
        return choices(value.strip().lower()) if isinstance(value, str) else None
    except ValueError:
        return None


SEVERITIES = "must be critical, important, minor or info"

PLACE_SCHEMA: dict[str, Any] = {
    "criterion": {"type": "string"},
    "file": {"type": "string"},
    "line": {"type": "integer", "minimum": 1},
    "quote": {"type": "string"},
    "category": {"enum": [str(category) for category in Category]},
    "action": {"enum": [str(change) for change in Change]},
    "pattern_id": {"type": "string"},
}

OPTIONAL_FIELDS = (
    "If you can, add these fields to an item: `file` and `line`; `quote`, copied exactly from the artifact;\n"
    f"`criterion`; `category` ({', '.join(Category)});\n"
    f"`action` ({', '.join(Change)}); and `pattern_id`, if the item is a known pattern."
)

_CONFIDENCE = "\nAdd `confidence`, from 0 to 1: how likely it is that a person would agree with your verdict."
CONFIDENCE_SCHEMA: dict[str, Any] = {"confidence": {"type": "number", "minimum": 0, "maximum": 1}}
