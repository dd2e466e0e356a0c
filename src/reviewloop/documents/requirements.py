"""Reads user stories, acceptance criteria and requirements in all supported formats."""

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
    """An acceptance criterion. `id` is empty if it has none."""

    id: str
    text: str
    line: int
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A user story, Kiro requirement or OpenSpec requirement, with its acceptance criteria."""

    id: str
    key: str
    title: str
    line: int
    end: int
    body: str
    criteria: tuple[Criterion, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """A requirement. `whole` is its complete row, item or section; `priority` is None without a priority column."""

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
    """The user stories; in Kiro and OpenSpec documents, the requirements."""
    return tuple(_read_stories(document))


def _read_stories(document: Document) -> Iterator[Story]:
    for heading in document.headings:
        if document.format is Format.KIRO and (match := _KIRO.match(heading.title)):
            yield _story_at(document, f"Requirement {match[1]}", f"Requirement-{match[1]}", heading)
        elif document.format is Format.OPENSPEC and (match := _OPENSPEC.match(heading.title)):
            if not _parent(document, heading).lower().startswith(("removed", "renamed")):
                yield _story_at(document, match[1], heading.title, heading)
        elif _STORY.match(heading.title.strip("*_ ")):
            ids = between(document.ids, heading.line, heading.line)
            if story := next((id_ for id_ in ids if id_.family == "US"), None):
                yield _story_at(document, story.text, story.key, heading)
    for id_ in document.ids:
        if id_.family == "US" and id_.role is Role.ITEM:
            end = _item_end(document, id_.line)
            yield _story(document, id_.text, id_.key, id_.label, id_.line, end)


def _story_at(document: Document, name: str, key: str, heading: Heading) -> Story:
    return _story(document, name, key, heading.title, heading.line, heading.end)


def _story(document: Document, name: str, key: str, title: str, line: int, end: int) -> Story:
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
    """The line with the label above a story's criteria, such as "Acceptance Criteria:"."""
    plain = body.lower()
    if body.isascii() and not (any(word in plain for word in _IN_LABEL) or _SHORT_LABEL.search(plain)):
        return None
    below = enumerate(map(_LABEL.match, document.prose[line:end]), line + 1)
    return next((number for number, found in below if found), None)


def _criteria(document: Document, key: str, line: int, end: int, label: int | None) -> Iterator[Criterion]:
    """The criteria in the story's section; if it has none, those elsewhere with the story's number."""
    own = {
        id_.line: id_ for id_ in between(document.ids, line, end) if id_.family == "AC" and id_.role is not Role.MENTION
    }
    inside = between(document.items, line + 1, end)
    top = min((item.depth for item in inside), default=0)
    for item in inside:
        id_ = own.get(item.line)
        below_label = label is not None and item.line > label and item.depth == top
        if id_ or below_label or item.checked is not None or _GHERKIN.match(item.text):
            yield _criterion(document, item, id_)
    listed = {item.line for item in inside}
    for number, id_ in own.items():
        if number not in listed:
            yield Criterion(id=id_.text, text=id_.label, line=number, column=id_.column)
    if not inside and not own:
        yield from _elsewhere(document, key)
    if document.format is Format.OPENSPEC:
        for heading in between(document.headings, line + 1, end):
            if heading.title.lower().startswith("scenario"):
                yield Criterion(id="", text=heading.title, line=heading.line, column=heading.level + 2)


def _elsewhere(document: Document, key: str) -> Iterator[Criterion]:
    """The criteria outside the story's section that have the story's number."""
    prefix = key.replace("US-", "AC-") + "."
    for id_ in document.ids:
        if id_.key.startswith(prefix) and id_.role is not Role.MENTION:
            yield Criterion(id=id_.text, text=id_.label, line=id_.line, column=id_.column)


def _criterion(document: Document, item: Item, id_: Id | None) -> Criterion:
    number = _NUMBERED.match(document.lines[item.line - 1]) if item.ordered else None
    text = item.text
    for row in range(item.line + 1, min(item.end, item.line + 6) + 1):
        line = document.prose[row - 1]
        if not line.strip() or line.lstrip().startswith(("-", "*", "+")):
            break
        text = f"{text} {line.strip()}"
    name = id_.text if id_ else (number[1] if number else "")
    return Criterion(id=name, text=text, line=item.line, column=item.column)


@lru_cache(maxsize=32)
def requirements(document: Document) -> tuple[Requirement, ...]:
    """All items that define an FR, NFR, REQ or BR id."""
    rows = {row[0].line: (table, row) for table in document.tables for row in table.rows if row}
    found: list[Requirement] = []
    seen: set[str] = set()
    by_line: dict[int, set[str]] = {}
    for id_ in document.ids:
        by_line.setdefault(id_.line, set()).add(id_.key)
    for id_ in document.ids:
        if id_.role is Role.MENTION or not id_.family.startswith(_REQUIREMENT_FAMILIES) or id_.key in seen:
            continue
        seen.add(id_.key)
        end = _end_of(document, id_)
        whole = "\n".join(text for _, text in document.prose_between(id_.line, end))
        related = frozenset(key for line in range(id_.line, end + 1) for key in by_line.get(line, ())) - {id_.key}
        priority = None
        if id_.line in rows:
            table, row = rows[id_.line]
            priority = _priority_cell(table, [cell.text for cell in row])
        found.append(
            Requirement(
                id=id_.text,
                key=id_.key,
                family=id_.family,
                text=id_.label or whole,
                whole=whole,
                line=id_.line,
                column=id_.column,
                role=id_.role,
                priority=priority,
                related=related,
            )
        )
    return tuple(found)


def _end_of(document: Document, id_: Id) -> int:
    if id_.role is Role.HEADING:
        headings = between(document.headings, id_.line, id_.line)
        return headings[0].end if headings else id_.line
    return _item_end(document, id_.line) if id_.role is Role.ITEM else id_.line


def _item_end(document: Document, line: int) -> int:
    items = between(document.items, line, line)
    return items[0].end if items else line


def _priority_cell(table: Table, row: Sequence[str]) -> str | None:
    column = table.column("priority", "prio", "moscow", "importance", "must/should", "level", "p")
    if column is None:
        return None
    return row[column].strip() if column < len(row) else ""
