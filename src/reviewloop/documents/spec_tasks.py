"""A spec's tasks in working order, and the problems in its task files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import dedent

from reviewloop.documents.commands import script_of
from reviewloop.documents.document import parse
from reviewloop.documents.model import Document, Format, Item, Task

_FIXES = re.compile(r"^\[FIX ([\w.-]+)\]", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A task of a spec. `name` is unique in the spec; `needs` holds the numbers of the tasks it depends on."""

    name: str
    task: Task
    document: Document
    text: str
    script: str
    needs: tuple[str, ...] = ()

    @property
    def number(self) -> str:
        return self.task.id

    @property
    def file(self) -> str:
        return self.document.path

    @property
    def fixes(self) -> str | None:
        """The number of the task that this one fixes; None if it is not a fix task."""
        match = _FIXES.match(self.task.title)
        return match[1] if match else None

    @property
    def criteria(self) -> tuple[str, ...]:
        """The lines of the task's Done when field."""
        field = self.task.field("done when")
        lines = field.text.split("\n") if field else ()
        return tuple(stripped for line in lines if (stripped := line.strip(" \t-*+")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A spec's tasks in working order. If `sequential`, each task needs all tasks before it."""

    entries: tuple[Entry, ...]
    problems: tuple[str, ...] = ()
    sequential: bool = True

    def named(self, name: str) -> Entry | None:
        return next((entry for entry in self.entries if entry.name == name), None)


def read_board(files: Mapping[str, str]) -> Board:
    """Read the tasks of a task list, or of a folder of task files."""
    documents = [parse(path, text) for path, text in files.items()]
    task_files = [file for file in documents if file.format is Format.CHOO and file.value("task") is not None]
    if task_files:
        return _from_files(task_files)
    found = [(task, document) for document in documents for task in document.tasks]
    numbers = [task.id for task, _ in found]
    entries = [
        _entry(task, document, numbers[:index].count(task.id) + 1)
        for index, (task, document) in enumerate(found)
        if not task.has_children
    ]
    problems = [problem for document in documents for problem in _problems(document)]
    return Board(entries=tuple(entries), problems=tuple(problems))


def _entry(task: Task, document: Document, occurrence: int) -> Entry:
    return Entry(
        name=task.id if occurrence == 1 else f"{task.id}~{occurrence}",
        task=task,
        document=document,
        text=_text_of(task, document),
        script=script_of(document, task),
    )


def _text_of(task: Task, document: Document) -> str:
    """The task's text for an agent, without its checkbox, so that ticking the box does not change the text."""
    if document.frontmatter and task.line <= document.frontmatter.end:
        return "\n".join(document.lines[document.frontmatter.end :]).strip()
    below = dedent("\n".join(document.lines[task.line : task.end])).strip("\n")
    return f"{task.id} {task.title}\n{below}".strip()


def _from_files(documents: Sequence[Document]) -> Board:
    entries = {entry.number: entry for entry in map(_from_file, documents)}
    problems = [
        f"{entry.file}:{entry.task.line}: task {entry.number} needs {need}, which does not exist"
        for entry in entries.values()
        for need in entry.needs
        if need not in entries
    ]
    if len(entries) < len(documents):
        problems.append(f"{documents[0].path}: two task files have the same number; one of them is ignored")
    return Board(entries=tuple(_ordered(entries)), problems=tuple(problems), sequential=False)


def _from_file(document: Document) -> Entry:
    task = document.tasks[0]
    return Entry(
        name=task.id,
        task=task,
        document=document,
        text=_text_of(task, document),
        script=script_of(document, task),
        needs=task.depends_on,
    )


def _ordered(entries: Mapping[str, Entry]) -> Iterator[Entry]:
    """Dependencies first, otherwise by file name. Tasks in a cycle come last and are never ready."""
    remaining = dict(entries)
    while remaining:
        ready = next(
            (entry for entry in remaining.values() if not any(need in remaining for need in entry.needs)),
            next(iter(remaining.values())),
        )
        yield remaining.pop(ready.number)


def _problems(document: Document) -> Iterator[str]:
    if document.truncated:
        yield f"{document.path}: the file is too long; tasks after line {len(document.lines)} are ignored"
    seen: dict[str, int] = {}
    for task in document.tasks:
        if task.id in seen:
            yield f"{document.path}:{task.line}: task {task.id} is already on line {seen[task.id]}"
        seen.setdefault(task.id, task.line)
    for item in document.items:
        if item.checked is not None and not _belongs(item, document.tasks):
            yield f"{document.path}:{item.line}: this checkbox has no task number and is ignored"


def _belongs(item: Item, tasks: Sequence[Task]) -> bool:
    return any(task.line <= item.line <= task.end for task in tasks)
