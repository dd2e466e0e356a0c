"""Reads tasks from checkbox lists, tables, headings and task files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from reviewloop.documents.model import Cell, Field, Format, Frontmatter, Heading, Item, Table, Task, between
from reviewloop.documents.patterns import lazy_re

FIELDS = {
    "do": "do",
    "steps": "do",
    "files": "files",
    "file": "files",
    "done when": "done when",
    "done": "done when",
    "acceptance": "done when",
    "acceptance criteria": "done when",
    "verify": "verify",
    "verification": "verify",
    "validate": "verify",
    "test": "verify",
    "commit": "commit",
    "depends on": "depends on",
    "dependencies": "depends on",
    "requirements": "requirements",
    "requirement": "requirements",
    "refs": "requirements",
    "design": "design",
    "priority": "priority",
}
_NUMBER = lazy_re(
    r"^(?:\*\*)?(?:Task\s+)?(?P<id>T\d{3,4}[a-z]?|(?:VE|VF|V|E|P|Q|FIX)-?\d{0,3}(?:\.\d{1,3})*(?=[\s:.\]])|"
    r"\d{1,3}(?:\.\d{1,3}){0,3}(?:\.X|[a-z])?)"
    r"(?:[.):]?(?:\*\*)?(?:\s+|$)|\*\*[:.]?\s*)(?:[-\u2013\u2014:]\s+)?(?P<title>.*)$"
)
_HEADING = lazy_re(
    r"^(?:Task|Step)\s+(?P<id>[A-Z]?\d{1,3}(?:\.\d{1,3}){0,3}[a-z]?)\b[:.)\s\u2013\u2014-]*(?P<title>.*)$",
    re.IGNORECASE,
)
_FIELD = lazy_re(
    r"^(?P<lead>\s*(?:[-*+]\s+)?)"
    r"(?:(?:\*\*|__)(?P<name>[A-Za-z][A-Za-z ]{1,24}?)\s*(?::\s*(?:\*\*|__)|(?:\*\*|__)\s*:)"
    r"|_(?P<slanted>Requirements?|Design|Refs|Depends on)\s*:)\s*(?P<value>.*)$"
)
MAX_HEADINGS_UP = 200
_ROW_NUMBER = lazy_re(r"^\W*(T\d{3,4}|\d{1,3}(?:\.\d{1,3}){0,2})\W*$")
_PHASE = lazy_re(r"\bphase\b|^\d+[.)]?\s|user story|foundational|setup|polish|group|milestone|stage", re.IGNORECASE)
_DEPENDENCY = lazy_re(r"\bT\d{3,4}\b|\b\d{1,3}(?:\.\d{1,3}){0,3}\b")
_INLINE_DEPENDS = lazy_re(
    r"\(?depends on:?\s+((?:(?:tasks?\s+)?#?[T\d][\d.]*(?:\s*(?:,|and|&)\s*)?){1,12})", re.IGNORECASE
)


def read_tasks(
    prose: Sequence[str],
    items: Sequence[Item],
    headings: Sequence[Heading],
    tables: Sequence[Table],
    frontmatter: Frontmatter | None,
    document_format: Format,
    *,
    is_list: bool = False,
) -> tuple[Task, ...]:
    """The tasks of a document. With `is_list`, checkboxes count as tasks even if none has a number."""
    if document_format is Format.CHOO and frontmatter and "task" in frontmatter.values:
        return (_task_file(frontmatter, headings, len(prose)),)
    listed = [item for item in items if item.checked is not None and _is_task(item)]
    if listed:
        return tuple(_from_items(listed, prose, headings))
    tasks = tuple(_from_tables(tables)) or tuple(_from_headings(headings, prose))
    return tasks or (tuple(_without_numbers(items, prose, headings)) if is_list else ())


def _is_task(item: Item) -> bool:
    """Whether an item is a task: it has a number, or an id such as `VE` and more than one line."""
    match = _NUMBER.match(item.text)
    return bool(match) and (any(char.isdigit() for char in match["id"]) or item.end > item.line)


def _from_items(items: Sequence[Item], prose: Sequence[str], headings: Sequence[Heading]) -> Iterator[Task]:
    for index, item in enumerate(items):
        match = _NUMBER.match(item.text)
        assert match
        children = [
            other for other in items[index + 1 : index + 2] if other.depth > item.depth and other.line <= item.end
        ]
        end = children[0].line - 1 if children else item.end
        yield _task(match["id"], match["title"], item, end, prose, headings, has_children=bool(children))


def _without_numbers(items: Sequence[Item], prose: Sequence[str], headings: Sequence[Heading]) -> Iterator[Task]:
    """Number unnumbered tasks: the number of their section among those with tasks, then their number in it."""
    boxes = [item for item in items if item.checked is not None and item.depth == 0]
    section, sections, count = 0, 0, 0
    for item in boxes:
        nearest = between(headings, 1, item.line)[-1:]
        start = nearest[0].line if nearest else 0
        if not sections or start != section:
            section, sections, count = start, sections + 1, 0
        count += 1
        task = _task(f"{sections}.{count}", item.text, item, item.end, prose, headings, has_children=False)
        yield replace(task, implied=True)


def _task(
    number: str,
    title: str,
    item: Item,
    end: int,
    prose: Sequence[str],
    headings: Sequence[Heading],
    *,
    has_children: bool,
) -> Task:
    fields = read_fields(prose, item.line + 1, end)
    return Task(
        id=number,
        title=title,
        line=item.line,
        end=end,
        column=item.column,
        phase=_phase_at(headings, item.line),
        checked=bool(item.checked),
        verify="[verify]" in title.lower(),
        parallel="[p]" in title.lower(),
        fields=fields,
        depends_on=_depends(title, fields),
        has_children=has_children,
    )


def _from_tables(tables: Sequence[Table]) -> Iterator[Task]:
    """The rows of tables with a number and a dependency column."""
    for table in tables:
        number, needs = table.column("#", "task", "id", "no."), table.column("depend", "blocked by", "needs")
        if number is None or needs is None:
            continue
        check = table.column("backpressure", "verify", "validation", "check")
        for row in table.rows:
            if max(number, needs) < len(row) and (match := _ROW_NUMBER.match(row[number].text)):
                yield _task_row(match[1], row, needs, check)


def _task_row(number: str, row: Sequence[Cell], needs: int, check: int | None) -> Task:
    fields = {
        name: Field(name=name, text=row[column].text, line=row[column].line, column=row[column].column)
        for name, column in (("depends on", needs), ("verify", check))
        if column is not None and column < len(row) and row[column].text.strip("-\u2013\u2014 ")
    }
    return Task(
        id=number,
        title=" ".join(cell.text for cell in row[1:3]),
        line=row[0].line,
        end=row[0].line,
        column=row[0].column,
        fields=fields,
        depends_on=_depends("", fields),
    )


def _from_headings(headings: Sequence[Heading], prose: Sequence[str]) -> Iterator[Task]:
    for heading in headings:
        match = _HEADING.match(heading.title.strip("* "))
        if not match:
            continue
        fields = read_fields(prose, heading.line + 1, heading.end)
        yield Task(
            id=match["id"],
            title=match["title"],
            line=heading.line,
            end=heading.end,
            column=heading.level + 2,
            phase=_phase_at(headings, heading.line - 1),
            verify="[verify]" in heading.title.lower(),
            parallel="[p]" in heading.title.lower(),
            fields=fields,
            depends_on=_depends(match["title"], fields),
        )


def _task_file(frontmatter: Frontmatter, headings: Sequence[Heading], last: int) -> Task:
    values: Mapping[str, Any] = frontmatter.values
    fields: dict[str, Field] = {}
    for key, name in (("backpressure", "verify"), ("depends_on", "depends on")):
        if key in values:
            line = frontmatter.lines.get(key, 1)
            fields[name] = Field(name=name, text=str(values[key] or ""), line=line, column=len(key) + 3)
    depends: Any = values.get("depends_on") or ()
    listed = cast("list[Any]", depends) if isinstance(depends, (list, tuple)) else [depends]
    return Task(
        id=str(values.get("task")),
        title=headings[0].title if headings else "",
        line=frontmatter.lines.get("task", 1),
        end=last,
        column=1,
        checked=str(values.get("status", "")).lower() in ("complete", "completed", "done"),
        fields=fields,
        depends_on=tuple(str(number).lstrip("#") for number in listed),
    )


def read_fields(prose: Sequence[str], start: int, end: int) -> dict[str, Field]:
    """The named fields between two lines. A field ends at the next field with the same or less indentation."""
    fields: dict[str, Field] = {}
    name, indent, text, line, column = "", 0, [""], 0, 0
    for number in range(start, min(end, len(prose)) + 1):
        row = prose[number - 1]
        match = _FIELD.match(row)
        known = FIELDS.get((match["name"] or match["slanted"]).lower()) if match else None
        if match and (not name or len(match["lead"]) <= indent):
            if name:
                fields.setdefault(name, Field(name=name, text="\n".join(text).strip(), line=line, column=column))
            name = known or ""
            indent, line, column = len(match["lead"]), number, match.start("value") + 1
            text = [match["value"].rstrip().removesuffix("_") if match["slanted"] else match["value"]]
        elif name and row.strip():
            text.append(row)
    if name:
        fields.setdefault(name, Field(name=name, text="\n".join(text).strip(), line=line, column=column))
    return fields


def _phase_at(headings: Sequence[Heading], line: int) -> str:
    """The innermost phase around a line. Only the nearest headings are searched, which keeps long documents fast."""
    nearest = between(headings, 1, line)[-MAX_HEADINGS_UP:]
    for heading in reversed(nearest):
        if line <= heading.end and _PHASE.search(heading.title):
            return heading.title
    return ""


def _depends(title: str, fields: Mapping[str, Field]) -> tuple[str, ...]:
    listed = fields["depends on"].text if "depends on" in fields else ""
    inline = _INLINE_DEPENDS.search(title)
    return tuple(dict.fromkeys(_DEPENDENCY.findall(listed) + (_DEPENDENCY.findall(inline[1]) if inline else [])))
