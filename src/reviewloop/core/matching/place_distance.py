"""How near two findings' places are: lines of a file, ids such as FR-3 or task 2.1, words of a heading."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import exp

from reviewloop.core.matching.text_similarity import stems
from reviewloop.core.types.finding import Finding

NEAR_LINES = 12
"""Over so many lines nearness falls to about a third."""

UNKNOWN = 0.25
"""Places that cannot be compared, and the least for two places in one file."""

WHOLE_FILE = 0.5
"""A file, and a line in it."""

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
    """What a finding says about where it is, ready to be compared. `ids` are numbers by family: US: {2}, AC: {2.1}."""

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


def nearness(one: Spot, other: Spot) -> float | None:
    """How near two places are, from 0 to 1; None if they are apart: other files, or other ids of one family.

    What only one of them says is no evidence that they differ.
    """
    if one.file and other.file and one.file != other.file and not _same_file(one.file, other.file):
        return None
    if one.ids and other.ids and (families := one.ids.keys() & other.ids.keys()):
        return None if any(one.ids[name].isdisjoint(other.ids[name]) for name in families) else 1.0
    if one.quote and other.quote and _same_quote(one.quote, other.quote):
        return 1.0
    if one.file and other.file:
        return _in_one_file(one, other)
    if one.heading and other.heading:
        least = UNKNOWN if one.ids or other.ids else 0.0
        return max(least, _overlap(one.heading, other.heading))
    return UNKNOWN


def _in_one_file(one: Spot, other: Spot) -> float:
    if one.line is not None and other.line is not None:
        return max(UNKNOWN, exp(-abs(one.line - other.line) / NEAR_LINES))
    if one.heading and other.heading:
        return max(UNKNOWN, _overlap(one.heading, other.heading))
    return WHOLE_FILE


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / min(len(one), len(other))


def _same_file(one: str, other: str) -> bool:
    """Whether the shorter path may be the end of the longer one: `upload.py` and `app/upload.py`."""
    return one.endswith("/" + other) or other.endswith("/" + one)


def _same_quote(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    return shorter == longer or (len(shorter) >= _SHORTEST_QUOTE and shorter in longer)


def _ids(section: str, issue: str) -> Mapping[str, frozenset[str]]:
    """The ids in both texts; a dotted number in a section is taken for a task's."""
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
