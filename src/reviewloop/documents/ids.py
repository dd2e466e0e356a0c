"""Finds ids such as FR-3, US-1 or AC-2.1, both definitions and mentions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reviewloop.documents.model import Cell, Heading, Id, Item, Role, Table, between
from reviewloop.documents.patterns import lazy_re

_ID = re.compile(
    r"(?<![A-Za-z0-9./#-])(?P<family>NFR|FR|US|AC|REQ|SC|UC|BR|T(?=\d{3}))(?P<scope>(?:-[A-Z][A-Z0-9]{0,15}){0,2})[-_]?"
    r"(?P<number>\d{1,4}(?:\.\d{1,3}){0,2}[a-z]?)(?![A-Za-z0-9]|\.\d)"
)
_NO_DIGIT = bytes(code for code in range(128) if code not in b"0123456789\n")
_STORY = lazy_re(r"\bUser Story (?P<number>\d{1,3})\b")
_RANGE = lazy_re(
    r"\s?(?:-|\u2013|\u2014|\.{2,3}|\bto\b|\bthrough\b|"
    r"\bthru\b)\s?(?:(?P<family>[A-Z]{2,4})-?)?(?P<number>\d{1,4}(?:\.\d{1,3}){0,2})(?![A-Za-z0-9])"
)
_COLON = lazy_re(r"^[*_`~\])]*\s*(?:\([^()]{1,60}\)\s*)?[*_`]*\s*(?::|\u2014|\u2013|-\s|\.\s|\)|\|)[*_`]*\s*\S")
MAX_RANGE = 60


def key_of(family: str, number: str, scope: str = "") -> str:
    parts = [part.lstrip("0") or "0" for part in number.split(".")]
    return f"{family}{scope}-{'.'.join(parts)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Places:
    """The headings, table rows and list items by line number."""

    headings: Mapping[int, Heading]
    rows: Mapping[int, tuple[Table, tuple[Cell, ...]]]
    items: Mapping[int, Item]


def read_ids(
    words: Sequence[str], headings: Sequence[Heading], tables: Sequence[Table], items: Sequence[Item]
) -> tuple[Id, ...]:
    """All ids outside code, in reading order."""
    found_ids = [id_ for number in with_digits(words) for id_ in _on_line(words[number - 1], number)]
    if not found_ids:
        return ()
    places = _Places(
        headings={heading.line: heading for heading in headings},
        rows={row[0].line: (table, row) for table in tables for row in table.rows if row},
        items={item.line: item for item in items},
    )
    found: list[Id] = []
    for id_ in found_ids:
        line = words[id_.line - 1]
        found.append(_placed(id_, line, places))
        found.extend(_range(id_, line))
    return tuple(found)


def with_digits(lines: Sequence[str]) -> list[int]:
    """The numbers of all lines with a digit, and of all lines with non-ASCII text, which are not examined."""
    digits_only = "\n".join(lines).encode("utf-8", "surrogatepass").translate(None, _NO_DIGIT)
    return [number for number, digits in enumerate(digits_only.split(b"\n"), 1) if digits]


def _on_line(line: str, number: int) -> Iterator[Id]:
    for match in _ID.finditer(line):
        family, scope = match["family"], match["scope"]
        yield Id(
            text=match[0],
            key=key_of(family, match["number"], scope),
            family=family + scope,
            line=number,
            column=match.start() + 1,
        )
    if "User Story" in line:
        for match in _STORY.finditer(line):
            key = key_of("US", match["number"])
            yield Id(text=match[0], key=key, family="US", line=number, column=match.start() + 1)


def _placed(id_: Id, line: str, places: _Places) -> Id:
    """The id with its role, if its position makes it a definition."""
    before, rest = line[: id_.column - 1], line[id_.column - 1 + len(id_.text) :]
    label = rest.strip(" *_`:-\u2014\u2013.#|")
    if heading := places.headings.get(id_.line):
        if not before.strip("#*_` ") and not label.lower().startswith("detail"):
            return replace(id_, role=Role.HEADING, group=f"h{heading.level}", label=label)
    elif found := places.rows.get(id_.line):
        table, row = found
        if len(row) > 1 and row[0].text.strip("*_`~ :") == id_.text and row[1].column > id_.column:
            header = "|".join(head.text.lower() for head in table.header)
            return replace(id_, role=Role.ROW, group=header, label=row[1].text)
    elif _COLON.match(rest):
        item = places.items.get(id_.line)
        lead = before[item.column - 1 :] if item else before
        if not lead.strip("*_`~[( ") and (item or "**" in lead):
            return replace(id_, role=Role.ITEM, group="item", label=label)
    return id_


def _range(id_: Id, line: str) -> Iterator[Id]:
    """The ids that a range such as `AC-1.1 to AC-1.4` implies; the last one only if it has no family of its own."""
    match = _RANGE.match(line, id_.column - 1 + len(id_.text))
    if not match or (match["family"] and match["family"] != id_.family):
        return
    first, last = id_.key.rsplit("-", 1)[1].split("."), match["number"].split(".")
    if len(last) == 1 and len(first) == 2:
        last = [first[0], last[0]]
    if len(first) != len(last) or first[:-1] != last[:-1] or not first[-1].isdigit():
        return
    low, high = int(first[-1]), int(last[-1])
    for number in range(low + 1, min(high, low + MAX_RANGE) + 1):
        if match["family"] and number == high:
            continue
        key = key_of(id_.family, ".".join([*first[:-1], str(number)]))
        yield Id(text=id_.text, key=key, family=id_.family, line=id_.line, column=id_.column, implied=True)


_KIRO_HEADING = lazy_re(r"^Requirement (?P<number>\d{1,3})\b[:. ]*(?P<title>.*)$")
_KIRO_CRITERION = lazy_re(r"^\s*(?P<number>\d{1,3})[.)]\s+(?P<text>.*)$")
_KIRO_MENTION = lazy_re(
    r"(?<![A-Za-z])Requirements?:?\s+(?P<numbers>\d{1,3}(?:\.\d{1,3})?(?:\s*(?:,|and|&)\s*\d{1,3}(?:\.\d{1,3})?)*)"
)


def read_kiro_ids(words: Sequence[str], headings: Sequence[Heading], items: Sequence[Item]) -> tuple[Id, ...]:
    """Kiro's ids have no letters: 2.3 is the third criterion of requirement 2."""
    found: list[Id] = []
    for heading in headings:
        if match := _KIRO_HEADING.match(heading.title):
            number = match["number"]
            found.append(_kiro(number, heading.line, heading.level + 2, Role.HEADING, match["title"]))
            for item in between(items, heading.line + 1, heading.end):
                if item.ordered and item.depth == 0:
                    listed = _KIRO_CRITERION.match(words[item.line - 1])
                    if listed:
                        name = f"{number}.{listed['number']}"
                        found.append(_kiro(name, item.line, item.column, Role.ITEM, listed["text"]))
    for number, line in enumerate(words, 1):
        for match in _KIRO_MENTION.finditer(line) if not line.startswith("#") else ():
            start = match.start("numbers") + 1
            mentions = re.finditer(r"\d{1,3}(?:\.\d{1,3})?", match["numbers"])
            found.extend(_kiro(mention[0], number, start + mention.start(), Role.MENTION, "") for mention in mentions)
    return tuple(found)


def _kiro(number: str, line: int, column: int, role: Role, label: str) -> Id:
    key = key_of("Requirement", number)
    return Id(text=number, key=key, family="Requirement", line=line, column=column, role=role, group=role, label=label)
