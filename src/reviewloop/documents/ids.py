"""Ids such as FR-3, US-1 or AC-2.1: where they are defined and where they are mentioned."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reviewloop.documents.model import Cell, Heading, Id, Item, Role, Table, between
from reviewloop.documents.patterns import lazily

FAMILIES = ("NFR", "FR", "US", "AC", "REQ", "SC", "UC", "BR")
_ID = re.compile(
    r"(?<![A-Za-z0-9./#-])(?P<family>NFR|FR|US|AC|REQ|SC|UC|BR|T(?=\d{3}))(?P<scope>(?:-[A-Z][A-Z0-9]{0,15}){0,2})[-_]?"
    r"(?P<number>\d{1,4}(?:\.\d{1,3}){0,2}[a-z]?)(?![A-Za-z0-9]|\.\d)"
)
_NO_DIGIT = bytes(code for code in range(128) if code not in b"0123456789\n")
_STORY = lazily(r"\bUser Story (?P<number>\d{1,3})\b")
_RANGE = lazily(
    r"\s?(?:-|\u2013|\u2014|\.{2,3}|\bto\b|\bthrough\b|"
    r"\bthru\b)\s?(?:(?P<family>[A-Z]{2,4})-?)?(?P<number>\d{1,4}(?:\.\d{1,3}){0,2})(?![A-Za-z0-9])"
)
_COLON = lazily(r"^[*_`~\])]*\s*(?:\([^()]{1,60}\)\s*)?[*_`]*\s*(?::|\u2014|\u2013|-\s|\.\s|\)|\|)[*_`]*\s*\S")
MAX_RANGE = 60


def key_of(family: str, number: str, scope: str = "") -> str:
    parts = [part.lstrip("0") or "0" for part in number.split(".")]
    return f"{family}{scope}-{'.'.join(parts)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Places:
    """Which lines are headings, table rows or list items."""

    headings: Mapping[int, Heading]
    rows: Mapping[int, tuple[Table, tuple[Cell, ...]]]
    items: Mapping[int, Item]


def read_ids(
    words: Sequence[str], headings: Sequence[Heading], tables: Sequence[Table], items: Sequence[Item]
) -> tuple[Id, ...]:
    """All ids outside code, in reading order."""
    written = [one for number in with_digits(words) for one in _on_line(words[number - 1], number)]
    if not written:
        return ()
    places = _Places(
        headings={heading.line: heading for heading in headings},
        rows={row[0].line: (table, row) for table in tables for row in table.rows if row},
        items={item.line: item for item in items},
    )
    found: list[Id] = []
    for one in written:
        line = words[one.line - 1]
        found.append(_placed(one, line, places))
        found.extend(_range(one, line))
    return tuple(found)


def with_digits(lines: Sequence[str]) -> list[int]:
    """The numbers of all lines that have a digit, and of some more: what is not ASCII is not looked at closely."""
    left = "\n".join(lines).encode("utf-8", "surrogatepass").translate(None, _NO_DIGIT)
    return [number for number, digits in enumerate(left.split(b"\n"), 1) if digits]


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


def _placed(one: Id, line: str, places: _Places) -> Id:
    """The id with its role, if it stands where a definition would."""
    before, rest = line[: one.column - 1], line[one.column - 1 + len(one.text) :]
    label = rest.strip(" *_`:-\u2014\u2013.#|")
    if heading := places.headings.get(one.line):
        if not before.strip("#*_` ") and not label.lower().startswith("detail"):
            return replace(one, role=Role.HEADING, group=f"h{heading.level}", label=label)
    elif found := places.rows.get(one.line):
        table, row = found
        if len(row) > 1 and row[0].text.strip("*_`~ :") == one.text and row[1].column > one.column:
            header = "|".join(head.text.lower() for head in table.header)
            return replace(one, role=Role.ROW, group=header, label=row[1].text)
    elif _COLON.match(rest):
        item = places.items.get(one.line)
        lead = before[item.column - 1 :] if item else before
        if not lead.strip("*_`~[( ") and (item or "**" in lead):
            return replace(one, role=Role.ITEM, group="item", label=label)
    return one


def _range(one: Id, line: str) -> Iterator[Id]:
    """The ids that `AC-1.1 to AC-1.4` does not write out, and its last one if that has no family of its own."""
    match = _RANGE.match(line, one.column - 1 + len(one.text))
    if not match or (match["family"] and match["family"] != one.family):
        return
    first, last = one.key.rsplit("-", 1)[1].split("."), match["number"].split(".")
    if len(last) == 1 and len(first) == 2:
        last = [first[0], last[0]]
    if len(first) != len(last) or first[:-1] != last[:-1] or not first[-1].isdigit():
        return
    low, high = int(first[-1]), int(last[-1])
    for number in range(low + 1, min(high, low + MAX_RANGE) + 1):
        if match["family"] and number == high:
            continue
        key = key_of(one.family, ".".join([*first[:-1], str(number)]))
        yield Id(text=one.text, key=key, family=one.family, line=one.line, column=one.column, implied=True)


_KIRO_HEADING = lazily(r"^Requirement (?P<number>\d{1,3})\b[:. ]*(?P<title>.*)$")
_KIRO_CRITERION = lazily(r"^\s*(?P<number>\d{1,3})[.)]\s+(?P<text>.*)$")
_KIRO_MENTION = lazily(
    r"(?<![A-Za-z])Requirements?:?\s+(?P<numbers>\d{1,3}(?:\.\d{1,3})?(?:\s*(?:,|and|&)\s*\d{1,3}(?:\.\d{1,3})?)*)"
)


def read_kiro_ids(words: Sequence[str], headings: Sequence[Heading], items: Sequence[Item]) -> tuple[Id, ...]:
    """Kiro numbers its requirements and their criteria without letters: 2.3 is the third criterion of the second."""
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
            found.extend(_kiro(one[0], number, start + one.start(), Role.MENTION, "") for one in mentions)
    return tuple(found)


def _kiro(number: str, line: int, column: int, role: Role, label: str) -> Id:
    key = key_of("Requirement", number)
    return Id(text=number, key=key, family="Requirement", line=line, column=column, role=role, group=role, label=label)
