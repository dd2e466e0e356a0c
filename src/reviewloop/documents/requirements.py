"""Stories, acceptance criteria and requirements, however they are written down."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from reviewloop.documents.model import Document, Format, Heading, Id, Item, Role, Table, between

_STORY = re.compile(r"^(?:US-?\d|User Story \d|Story \d)", re.IGNORECASE)
_KIRO = re.compile(r"^Requirement (\d{1,3})\b[:. ]*(.*)$")
_OPENSPEC = re.compile(r"^Requirement:\s*(.+)$")
_LABEL = re.compile(
    r"^[\s#>*_-]*(?:acceptance (?:criteria|scenarios?|tests?)|acs?|criteria|done when|success criteria)\b[^|]{0,40}$",
    re.IGNORECASE,
)
_IN_LABEL = ("acceptance", "criteria", "done when")
_SHORT_LABEL = re.compile(r"acs?\b")
_GHERKIN = re.compile(r"^[\s>*_+\d.-]*(?:given|when|then)\b", re.IGNORECASE)
_NUMBERED = re.compile(r"^\s*(\d{1,3})[.)]\s")
_REQUIREMENT_FAMILIES = ("FR", "NFR", "REQ", "BR")


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """Something that can be checked. `id` is empty if it has none."""

    id: str
    text: str
    line: int
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A user story, a Kiro requirement or an OpenSpec requirement, with what tells when it is done."""

    id: str
    key: str
    title: str
    line: int
    end: int
    body: str
    criteria: tuple[Criterion, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One requirement. `whole` is all its row, item or section says; `priority` None if there is no place for one."""

    id: str
    key: str
    family: str
    text: str
    whole: str
    line: int
    column: int
    role: Role
    priority: str | None = None
    related: frozenset[str] = field(default_factory=frozenset[str])


@lru_cache(maxsize=32)
def stories(document: Document) -> tuple[Story, ...]:
    """The user stories; in Kiro's and OpenSpec's formats, the requirements that hold criteria."""
    return tuple(_stories(document))


def _stories(document: Document) -> Iterator[Story]:
    for heading in document.headings:
        if document.format is Format.KIRO and (match := _KIRO.match(heading.title)):
            yield _story(document, f"Requirement {match[1]}", f"Requirement-{match[1]}", heading)
        elif document.format is Format.OPENSPEC and (match := _OPENSPEC.match(heading.title)):
            if not _parent(document, heading).lower().startswith(("removed", "renamed")):
                yield _story(document, match[1], heading.title, heading)
        elif _STORY.match(heading.title.strip("*_ ")):
            here = between(document.ids, heading.line, heading.line)
            one = next((one for one in here if one.family == "US"), None)
            if one is not None:
                yield _story(document, one.text, one.key, heading)
    for one in document.ids:
        if one.family == "US" and one.role is Role.ITEM:
            end = _item_end(document, one.line)
            yield _make(document, one.text, one.key, one.label, one.line, end)


def _story(document: Document, name: str, key: str, heading: Heading) -> Story:
    return _make(document, name, key, heading.title, heading.line, heading.end)


def _make(document: Document, name: str, key: str, title: str, line: int, end: int) -> Story:
    body = "\n".join(document.prose[max(line, 1) - 1 : end])
    return Story(
        id=name,
        key=key,
        title=title,
        line=line,
        end=end,
        body=body,
        criteria=tuple(_criteria(document, key, line, end, _label(document, line, end, body))),
    )


def _parent(document: Document, heading: Heading) -> str:
    for other in reversed(between(document.headings, 1, heading.line - 1)):
        if other.level < heading.level:
            return other.title
    return ""


def _label(document: Document, line: int, end: int, body: str) -> int | None:
    """The line below which a story lists its criteria, if one says so."""
    plain = body.lower()
    if body.isascii() and not (any(word in plain for word in _IN_LABEL) or _SHORT_LABEL.search(plain)):
        return None
    below = enumerate(map(_LABEL.match, document.prose[line:end]), line + 1)
    return next((number for number, found in below if found), None)


def _criteria(document: Document, key: str, line: int, end: int, label: int | None) -> Iterator[Criterion]:
    """What the story's own section lists, and criteria elsewhere that carry the story's number."""
    own = {
        one.line: one for one in between(document.ids, line, end) if one.family == "AC" and one.role is not Role.MENTION
    }
    inside = between(document.items, line + 1, end)
    top = min((item.depth for item in inside), default=0)
    for item in inside:
        one = own.get(item.line)
        below_label = label is not None and item.line > label and item.depth == top
        if one or below_label or item.checked is not None or _GHERKIN.match(item.text):
            yield _criterion(document, item, one)
    listed = {item.line for item in inside}
    for number, one in own.items():
        if number not in listed:
            yield Criterion(id=one.text, text=one.label, line=number, column=one.column)
    if not inside and not own:
        yield from _elsewhere(document, key)
    if document.format is Format.OPENSPEC:
        for heading in between(document.headings, line + 1, end):
            if heading.title.lower().startswith("scenario"):
                yield Criterion(id="", text=heading.title, line=heading.line, column=heading.level + 2)


def _elsewhere(document: Document, key: str) -> Iterator[Criterion]:
    """Criteria in a list of their own that carry the story's number."""
    prefix = key.replace("US-", "AC-") + "."
    for one in document.ids:
        if one.key.startswith(prefix) and one.role is not Role.MENTION:
            yield Criterion(id=one.text, text=one.label, line=one.line, column=one.column)


def _criterion(document: Document, item: Item, one: Id | None) -> Criterion:
    number = _NUMBERED.match(document.lines[item.line - 1]) if item.ordered else None
    text = item.text
    for row in range(item.line + 1, min(item.end, item.line + 6) + 1):
        line = document.prose[row - 1]
        if not line.strip() or line.lstrip().startswith(("-", "*", "+")):
            break
        text = f"{text} {line.strip()}"
    name = one.text if one else (number[1] if number else "")
    return Criterion(id=name, text=text, line=item.line, column=item.column)


@lru_cache(maxsize=32)
def requirements(document: Document) -> tuple[Requirement, ...]:
    """Everything with an FR, NFR, REQ or BR id of its own."""
    rows = {row[0].line: (table, row) for table in document.tables for row in table.rows if row}
    found: list[Requirement] = []
    seen: set[str] = set()
    by_line: dict[int, set[str]] = {}
    for one in document.ids:
        by_line.setdefault(one.line, set()).add(one.key)
    for one in document.ids:
        if one.role is Role.MENTION or not one.family.startswith(_REQUIREMENT_FAMILIES) or one.key in seen:
            continue
        seen.add(one.key)
        end = _end_of(document, one)
        whole = "\n".join(text for _, text in document.prose_between(one.line, end))
        related = frozenset(key for line in range(one.line, end + 1) for key in by_line.get(line, ())) - {one.key}
        priority = None
        if one.line in rows:
            table, row = rows[one.line]
            priority = _priority_cell(table, [cell.text for cell in row])
        found.append(
            Requirement(
                id=one.text,
                key=one.key,
                family=one.family,
                text=one.label or whole,
                whole=whole,
                line=one.line,
                column=one.column,
                role=one.role,
                priority=priority,
                related=related,
            )
        )
    return tuple(found)


def _end_of(document: Document, one: Id) -> int:
    if one.role is Role.HEADING:
        here = between(document.headings, one.line, one.line)
        return here[0].end if here else one.line
    return _item_end(document, one.line) if one.role is Role.ITEM else one.line


def _item_end(document: Document, line: int) -> int:
    here = between(document.items, line, line)
    return here[0].end if here else line


def _priority_cell(table: Table, row: Sequence[str]) -> str | None:
    column = table.column("priority", "prio", "moscow", "importance", "must/should", "level", "p")
    if column is None:
        return None
    return row[column].strip() if column < len(row) else ""
