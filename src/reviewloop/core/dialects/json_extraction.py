"""Extracts the JSON objects of a text, whether alone, in prose or in a code fence, whole or broken. Never raises."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

_OBJECT = re.compile(
    r"""(?:(?<=\n)|\A)\{[ \t]*(?=\r?\n)"""  # a line of its own
    r"""|\{\s*(?:\\*["'\u2018\u2019\u201c\u201d]|//|/\*|[\w.$-]+\\*["']?\s*[:=]|[{}]|\Z)"""
)
"""The beginning of a JSON object, or of something that was meant as one. `{name}` in prose is neither."""

_ARRAY = re.compile(rf"\[\s*(?={_OBJECT.pattern})")
_STRINGS_AND_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)
_BRACKETS = re.compile(r"[{}\[\]]")
_MOST_BROKEN = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonPart:
    """An outermost object or array of a text, or a broken one.

    `error` says why it could not be read. `repeated` maps each key that an object has twice to all of its values.
    """

    start: int
    text: str
    value: Any = None
    error: str = ""
    is_cut: bool = False
    repeated: dict[str, list[Any]] = field(default_factory=dict[str, list[Any]])

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def object(self) -> dict[str, Any] | None:
        value: Any = self.value
        return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def json_parts(text: str) -> tuple[JsonPart, ...]:
    """Every outermost object of a text. What is inside a part, broken or not, is never a part itself."""
    return tuple(_parts(text))


def _parts(text: str) -> Iterator[JsonPart]:
    at = 0
    broken = 0
    while (start := _next_start(text, at)) is not None:
        if broken == _MOST_BROKEN:
            yield JsonPart(start=start, text=text[start:], error="too many broken JSON objects", is_cut=True)
            return
        part = _read(text, start)
        broken += bool(part.error)  # each of them takes a look at the whole rest
        if part.error and part.is_cut and _is_code(text, start):
            at = start + 1  # a mention such as `{"name": ` in the words of a sentence
            continue
        yield part
        at = part.end


def json_objects(text: str) -> tuple[dict[str, Any], ...] | None:
    """The outermost objects of a text; None if any of them is broken, cut off, or has a key twice."""
    found: list[dict[str, Any]] = []
    for part in json_parts(text):
        if part.error or part.repeated:
            return None
        if part.object is not None:
            found.append(part.object)
    return tuple(found)


def _next_start(text: str, at: int) -> int | None:
    """The next position where an object, or an array of objects, begins."""
    found = _OBJECT.search(text, at)
    if found is None:
        return None
    start = found.start()
    before = text.rfind("[", at, start)
    return before if before >= 0 and _ARRAY.match(text, before) else start


def _read(text: str, start: int) -> JsonPart:
    repeated: dict[str, list[Any]] = {}

    def collect(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) < len(pairs):
            for key in value:
                values = [other for name, other in pairs if name == key]
                if len(values) > 1:
                    repeated[key] = values
        return value

    try:
        value, end = json.JSONDecoder(object_pairs_hook=collect).raw_decode(text, start)
    except json.JSONDecodeError as error:
        return _broken(text, start, _located(text, error))
    except (RecursionError, ValueError):  # nested too deep, or a number of thousands of digits
        return _broken(text, start, "it cannot be read: nested too deep, or a number is too long")
    return JsonPart(start=start, text=text[start:end], value=value, repeated=repeated)


def _located(text: str, error: json.JSONDecodeError) -> str:
    line = text.count("\n", 0, error.pos) + 1
    column = error.pos - text.rfind("\n", 0, error.pos)
    message = (error.msg[0].lower() + error.msg[1:]).removesuffix(" at")
    return f"{message} at line {line}, column {column} of the answer"


def _broken(text: str, start: int, error: str) -> JsonPart:
    end = _closing(text, start, _STRINGS_AND_BRACKETS) or _closing(text, start, _BRACKETS)
    return JsonPart(start=start, text=text[start:end], error=error, is_cut=end is None)


def _closing(text: str, start: int, marks: re.Pattern[str]) -> int | None:
    """The position behind the bracket that closes the one at `start`; None if there is none."""
    depth = 0
    for mark in marks.finditer(text, start):
        if mark[0] in "{[":
            depth += 1
        elif mark[0] in "}]":
            depth -= 1
            if depth == 0:
                return mark.end()
    return None


def _is_code(text: str, start: int) -> bool:
    """Whether the position is in a code span of its line that ends behind it."""
    line = text.rfind("\n", 0, start) + 1
    end = text.find("\n", start)
    return text.count("`", line, start) % 2 == 1 and "`" in text[start : end if end >= 0 else len(text)]
