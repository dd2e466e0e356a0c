"""An agent's answer, and what all dialects share in reading it: fences, receipts, quotes and optional fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from reviewloop.core.dialects.json_extraction import objects
from reviewloop.core.types.finding import Category, Change, Finding, Place, Severity
from reviewloop.core.types.review import NO_JSON, Malformed, Review

_START = 200
"""Characters to compare first: text that differs here is not a quote, whatever follows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An agent's final answer, with the call's marker and the texts it may have quoted from."""

    text: str
    marker: str = ""
    receipt_required: bool = False
    sources: Sequence[str] = ()

    def own_words(self) -> str:
        """The answer without the fenced parts of the prompt that it repeats."""
        if not self.marker or self.marker not in self.text:
            return self.text
        fence = re.escape(self.marker)
        return re.sub(rf"(?m)^[^\n]*BEGIN {fence}[\s\S]*?(?:END {fence}[^\n]*|\Z)", "", self.text)

    def has_receipt(self) -> bool:
        return bool(self.marker) and self.marker in self.own_words()

    def quotes(self, text: str) -> bool:
        """Whether this text is in the reviewed material, apart from white space."""
        start = "".join(text.lstrip()[:_START].split())
        if not start or not any(start in _bare(source) for source in self.sources if start[0] in source):
            return False
        bare = "".join(text.split())
        return any(bare in _bare(source) for source in self.sources)


@lru_cache(maxsize=16)  # every reviewer of an iteration reads the same material
def _bare(source: str) -> str:
    return "".join(source.split())


Validate = Callable[[Mapping[str, Any]], Review | Malformed]


def read_object(answer: Answer, validate: Validate, *, key: str, refusals: frozenset[str]) -> Review | Malformed:
    """Read the last valid object, unless a later invalid object is a refusal."""
    extracted = objects(answer.own_words())
    if extracted.cut:
        return Malformed(field="root", message="the answer ends inside a JSON object")
    problem: Malformed | None = None
    for found in reversed(extracted.objects):
        review = validate(found.value)
        if isinstance(review, Review):
            if answer.quotes(found.text):
                problem = problem or Malformed(field="root", message="the only answer is quoted from the artifact")
                continue
            return review
        if problem is None or (key in found.value and problem.field == "root"):
            problem = review
        if text_of(found.value.get(key)) in refusals:
            return review
    return problem or Malformed(field="root", message=NO_JSON)


def is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == value


def text_of(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def confidence_of(value: Mapping[str, Any]) -> float | None:
    stated = value.get("confidence")
    return float(stated) if is_number(stated) and 0 <= stated <= 1 else None  # type: ignore[operator]


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
        return choices(value.lower()) if isinstance(value, str) else None
    except ValueError:
        return None


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
