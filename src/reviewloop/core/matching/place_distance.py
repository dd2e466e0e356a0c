"""The nearness of two findings' places: lines of a file, ids such as FR-3 or task 2.1, words of a heading."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import exp

from reviewloop.core.matching.text_similarity import stems
from reviewloop.core.types.finding import Finding

NEAR_LINES = 12
"""The number of lines over which nearness falls to about a third."""

UNKNOWN = 0.25
"""The nearness of places that cannot be compared, and the minimum for two places in one file."""

WHOLE_FILE = 0.5
"""The nearness of a whole file and a line in it."""

_ID = re.compile(
    r"(?<![\w./#-])(?P<family>NFR|FR|US|AC|REQ|SC|UC|BR|T(?=-?\d{2})|(?i:user story|story|tasks?|phase|step))"
    r"[-_ ]?(?P<number>\d{1,4}(?:\.\d{1,3}){0,3})(?!\w)"
)
_DIGIT = re.compile(r"\d")
_TASK_NUMBER = re.compile(r"(?:^|[,/&(]|\band\b)\s*(?P<number>\d{1,3}(?:\.\d{1,3}){1,3})(?![\w%])")
_SAME_FAMILY = {"USER STORY": "US", "STORY": "US", "TASK": "T", "TASKS": "T"}
_SHORTEST_QUOTE = 12
_LONGEST = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A finding's place, prepared for comparisons. `ids` are numbers by family: US: {2}, AC: {2.1}."""

    file: str | None
    line: int | None
    ids: Mapping[str, frozenset[str]]
    heading: frozenset[str]
    quote: str

    @classmethod
    def of(cls, finding: Finding) -> Spot:
        place = finding.place
        section = (place.section or "")[:_LONGEST].strip()
        return cls(
            file=place.file.replace("\\", "/").removeprefix("./") if place.file else None,
            line=place.line,
            ids=_ids(section, finding.issue[:_LONGEST]),
            heading=stems(section) if section else frozenset(),
            quote=" ".join((finding.quote or "")[:_LONGEST].split()),
        )


def nearness(first: Spot, second: Spot) -> float | None:
    """The nearness of two places, from 0 to 1; None if their files, or their ids of one family, differ.

    A file or id that only one of them has is no evidence that they differ.
    """
    if first.file and second.file and first.file != second.file and not _same_file(first.file, second.file):
        return None
    if first.ids and second.ids and (families := first.ids.keys() & second.ids.keys()):
        return None if any(first.ids[name].isdisjoint(second.ids[name]) for name in families) else 1.0
    if first.quote and second.quote and _same_quote(first.quote, second.quote):
        return 1.0
    if first.file and second.file:
        return _in_one_file(first, second)
    if first.heading and second.heading:
        least = UNKNOWN if first.ids or second.ids else 0.0
        return max(least, _overlap(first.heading, second.heading))
    return UNKNOWN


def _in_one_file(first: Spot, second: Spot) -> float:
    if first.line is not None and second.line is not None:
        return max(UNKNOWN, exp(-abs(first.line - second.line) / NEAR_LINES))
    if first.heading and second.heading:
        return max(UNKNOWN, _overlap(first.heading, second.heading))
    return WHOLE_FILE


def _overlap(first: frozenset[str], second: frozenset[str]) -> float:
    return len(first & second) / min(len(first), len(second))


def _same_file(first: str, second: str) -> bool:
    """Whether one path is the end of the other: `upload.py` and `app/upload.py`."""
    return first.endswith("/" + second) or second.endswith("/" + first)


def _same_quote(first: str, second: str) -> bool:
    shorter, longer = sorted((first, second), key=len)
    return shorter == longer or (len(shorter) >= _SHORTEST_QUOTE and shorter in longer)


def _ids(section: str, issue: str) -> Mapping[str, frozenset[str]]:
    """The ids in both texts. A dotted number in a section counts as a task's number."""
    ids: dict[str, set[str]] = {}
    if not _DIGIT.search(section) and not _DIGIT.search(issue):
        return {}
    for match in (*_ID.finditer(section), *_ID.finditer(issue)):
        family = match["family"].upper()
        ids.setdefault(_SAME_FAMILY.get(family, family), set()).add(_without_zeros(match["number"]))
    for match in _TASK_NUMBER.finditer(section):
        ids.setdefault("T", set()).add(_without_zeros(match["number"]))
    return {family: frozenset(numbers) for family, numbers in ids.items()}


def _without_zeros(number: str) -> str:
    return ".".join(str(int(part)) for part in number.split("."))
