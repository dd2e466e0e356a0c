"""An agent's answer, and what in it is the agent's own: quotations are recognised by their content."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, cast

from reviewloop.core.dialects.json_extraction import json_parts

_ESCAPED_LETTER = re.compile(r"\\u([0-9a-fA-F]{4})")
_ESCAPED_SPACE = re.compile(r"\\[nrtbf]")
_BETWEEN = re.compile(r"[\W_]+")
_THOUGHT = re.compile(r"<(think|thinking|thought|reasoning|scratchpad)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_QUOTE_MARK = re.compile(r"(?m)^[ \t]*(?:>[ \t]?)+")
_START = 300
_TELLING = 24
_TELLING_OBJECT = 40
"""With fewer letters, two different texts may look the same without their punctuation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An agent's final answer, with the call's marker and the texts it may have quoted from.

    `sources` is the material to review. The `prompt` also holds what agents said earlier: a yes in it is nobody's new
    word, but a no that is said again is meant. `confidence_asked` is set if the prompt asked for a confidence.
    """

    text: str
    marker: str = ""
    receipt_required: bool = False
    confidence_asked: bool = False
    sources: Sequence[str] = ()
    prompt: str = ""

    def without_thoughts(self) -> Answer:
        """The answer without what a model wrote down while thinking: neither a yes nor a no in there is its word."""
        if "<" not in self.text:
            return self
        return replace(self, text=_THOUGHT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), self.text))

    def has_receipt(self) -> bool:
        """Whether the answer carries the marker, other than in repeated lines of the prompt."""
        fences = (f"BEGIN {self.marker}", f"END {self.marker}")
        lines = (line for line in self.text.splitlines() if self.marker in line)
        return bool(self.marker) and any(not any(fence in line for fence in fences) for line in lines)

    def quotes(self, text: str, *, refuses: bool = True) -> bool:
        """Whether this text is in the material the agent was given; for a text that says no, in the sources alone.

        White space, quotation marks, escapes, fences and other punctuation do not matter.
        """
        start = letters_of(text[:_START])  # most texts differ here
        sources = [source for source in self._given(refuses=refuses) if start in _letters_of_source(source)]
        letters = letters_of(text) if sources else ""
        return bool(letters) and any(letters in _letters_of_source(source) for source in sources)

    def quotes_object(self, value: object, text: str, *, refuses: bool = True) -> bool:
        """Whether an object is in the material, in any order of its keys. `value` is None if it cannot be read."""
        letters = len(letters_of(text[:_START]))
        if letters >= (_TELLING if value is None else _TELLING_OBJECT) and self.quotes(text, refuses=refuses):
            return True
        given = self._given(refuses=refuses)
        known = [objects for source in given if "{" in source and (objects := _objects_of(source))]
        if value is None or not known:
            return False
        canonical = _canonical(value)
        return any(canonical in objects for objects in known)

    def _given(self, *, refuses: bool) -> Sequence[str]:
        return self.sources if refuses or not self.prompt else (*self.sources, self.prompt)


def letters_of(text: str) -> str:
    """The letters and digits of a text, with escapes resolved."""
    if "\\" in text:
        text = _ESCAPED_LETTER.sub(lambda match: chr(int(match[1], 16)), text)
        text = _ESCAPED_SPACE.sub(" ", text)
    return _BETWEEN.sub("", text)


@lru_cache(maxsize=16)  # every reviewer of an iteration reads the same material
def _letters_of_source(source: str) -> str:
    return letters_of(source)


@lru_cache(maxsize=16)
def _objects_of(source: str) -> frozenset[str]:
    """Every object in a text, nested ones and those inside strings too, each in one spelling."""
    found: set[str] = set()
    for text in dict.fromkeys((source, source.replace('\\"', '"'), _QUOTE_MARK.sub("", source))):
        for part in json_parts(text):
            if part.error:
                inside = (inner for inner in json_parts(part.text[1:]) if not inner.error)
                found.update(_canonical(value) for inner in inside for value in _all_objects(inner.value))
            else:
                found.update(_canonical(value) for value in _all_objects(part.value))
    return frozenset(found)


def _all_objects(value: Any) -> Iterator[dict[str, Any]]:
    rest: list[Any] = [value]
    while rest:
        value = rest.pop()
        if isinstance(value, dict):
            yield cast("dict[str, Any]", value)
            rest.extend(cast("dict[str, Any]", value).values())
        elif isinstance(value, list):
            rest.extend(cast("list[Any]", value))


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True)
