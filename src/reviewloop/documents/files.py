"""The files that a document plans to create, change or delete."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from reviewloop.documents.headings import plain_title
from reviewloop.documents.model import Cell, Document
from reviewloop.documents.paths import has_extension, paths_in


class Action(StrEnum):
    CREATE = "create"
    MODIFY = "modify"
    DELETE = "delete"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileAction:
    path: str
    action: Action
    line: int
    column: int


_WORDS = {
    Action.CREATE: re.compile(r"^(?:create[ds]?|new|add(?:ed)?|generate[ds]?)\b", re.IGNORECASE),
    Action.MODIFY: re.compile(
        r"^(?:modif(?:y|ied|ies)|edit(?:ed)?|update[ds]?|change[ds]?|extend(?:ed)?|refactor(?:ed)?|rewrite)\b",
        re.IGNORECASE,
    ),
    Action.DELETE: re.compile(r"^(?:delete[ds]?|remove[ds]?|drop)\b", re.IGNORECASE),
}
_SECTIONS = {
    Action.CREATE: re.compile(r"^(?:files? to (?:create|add)|new files?|created files?|files? created)\b"),
    Action.MODIFY: re.compile(
        r"^(?:files? to (?:modify|change|edit|update)|(?:modified|changed) files?|files? modified)\b"
    ),
    Action.DELETE: re.compile(r"^(?:files? to (?:delete|remove)|(?:deleted|removed) files?)\b"),
}
_LISTS_FILES = re.compile(r"\bfiles?\b|\bchanges\b|\bstructure\b|\binventory\b", re.IGNORECASE)
_LEADING_VERB = re.compile(r"^(?:\*\*)?(?P<word>Create|Modify|Delete|Remove|Update|Add)(?:\*\*)?\s*:?(?:\*\*)?\s+(?=`)")


def file_actions(document: Document) -> tuple[FileAction, ...]:
    """The file actions in tables, lists and sections, without duplicates."""
    found: dict[tuple[str, Action], FileAction] = {}
    for entry in (*_from_tables(document), *_from_items(document)):
        found.setdefault((entry.path, entry.action), entry)
    return tuple(found.values())


def _from_tables(document: Document) -> Iterator[FileAction]:
    for table in document.tables:
        files = table.column("file", "path", "module")
        actions = table.column("action", "change", "operation", "status", "type")
        section = _section_action(document.section(table.line))
        if files is None or (actions is None and section is None):
            continue
        for row in table.rows:
            action = section if actions is None else _action_in(row, actions)
            if action and files < len(row):
                yield from _in_cell(row[files], action)


def _action_in(row: tuple[Cell, ...], column: int) -> Action | None:
    return _action(row[column].text) if column < len(row) else None


def _action(text: str) -> Action | None:
    plain = text.strip("*_` ")
    return next((action for action, pattern in _WORDS.items() if pattern.match(plain)), None)


def _in_cell(cell: Cell, action: Action) -> Iterator[FileAction]:
    for offset, path in paths_in(cell.text):
        if has_extension(path):
            yield FileAction(path=path, action=action, line=cell.line, column=cell.column + offset)


def _section_action(title: str | None) -> Action | None:
    plain = plain_title(title or "")
    return next((action for action, pattern in _SECTIONS.items() if pattern.match(plain)), None)


def _from_items(document: Document) -> Iterator[FileAction]:
    for item in document.items:
        verb = _LEADING_VERB.match(item.text) if _LISTS_FILES.search(document.section(item.line) or "") else None
        action = _action(verb["word"]) if verb else _section_action(document.section(item.line))
        if action is None or not (verb or item.text.startswith(("`", "**`"))):
            continue
        first = next(paths_in(item.text), None)
        if first and has_extension(first[1]):
            yield FileAction(path=first[1], action=action, line=item.line, column=item.column + first[0])
