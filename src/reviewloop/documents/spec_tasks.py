"""What there is to do in a spec: its tasks as pieces of work, and what in its files nobody could make out."""

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
    """One task to be done. `name` is unique in the spec; `needs` are the numbers of tasks that have to come first."""

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
        """The number of the task that this one is to fix, if it was made for that."""
        match = _FIXES.match(self.task.title)
        return match[1] if match else None

    @property
    def criteria(self) -> tuple[str, ...]:
        """When it is done, in the list's own words."""
        told = self.task.field("done when")
        lines = (line.strip(" \t-*+") for line in told.text.split("\n")) if told else iter(())
        return tuple(line for line in lines if line)


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A spec's tasks in the order they are to be done. `in_turn`: each needs all those before it."""

    entries: tuple[Entry, ...]
    problems: tuple[str, ...] = ()
    in_turn: bool = True

    def named(self, name: str) -> Entry | None:
        return next((entry for entry in self.entries if entry.name == name), None)


def read_board(files: Mapping[str, str]) -> Board:
    """The tasks in a list, or in task files of a folder."""
    documents = [parse(path, text) for path, text in files.items()]
    task_files = [one for one in documents if one.format is Format.CHOO and one.value("task") is not None]
    if task_files:
        return _of_files(task_files)
    found = [(task, document) for document in documents for task in document.tasks]
    numbers = [task.id for task, _ in found]
    entries = [
        _entry(task, document, numbers[:index].count(task.id) + 1)
        for index, (task, document) in enumerate(found)
        if not task.has_children
    ]
    return Board(entries=tuple(entries), problems=tuple(one for document in documents for one in _problems(document)))


def _entry(task: Task, document: Document, occurrence: int) -> Entry:
    return Entry(
        name=task.id if occurrence == 1 else f"{task.id}~{occurrence}",
        task=task,
        document=document,
        text=_text_of(task, document),
        script=script_of(document, task),
    )


def _text_of(task: Task, document: Document) -> str:
    """The task as it is told to an agent: without its box, so that ticking it makes no other task of it."""
    if document.frontmatter and task.line <= document.frontmatter.end:
        return "\n".join(document.lines[document.frontmatter.end :]).strip()
    below = dedent("\n".join(document.lines[task.line : task.end])).strip("\n")
    return f"{task.id} {task.title}\n{below}".strip()


def _of_files(documents: Sequence[Document]) -> Board:
    entries = {entry.number: entry for one in documents for entry in [_from_file(one)]}
    problems = [
        f"{entry.file}:{entry.task.line}: task {entry.number} needs {need}, which is not there"
        for entry in entries.values()
        for need in entry.needs
        if need not in entries
    ]
    if len(entries) < len(documents):
        problems.append(f"{documents[0].path}: two task files have the same number; only one of them is seen")
    return Board(entries=tuple(_ordered(entries)), problems=tuple(problems), in_turn=False)


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
    """What is needed first comes first, else as the files are named. Tasks in a circle are last, and never ready."""
    left = dict(entries)
    while left:
        ready = next(
            (one for one in left.values() if not any(need in left for need in one.needs)), next(iter(left.values()))
        )
        yield left.pop(ready.number)


def _problems(document: Document) -> Iterator[str]:
    if document.truncated:
        yield f"{document.path}: the file is too long; what is beyond line {len(document.lines)} is not seen"
    seen: dict[str, int] = {}
    for task in document.tasks:
        if task.id in seen:
            yield f"{document.path}:{task.line}: task {task.id} is also on line {seen[task.id]}"
        seen.setdefault(task.id, task.line)
    for item in document.items:
        if item.checked is not None and not _belongs(item, document.tasks):
            yield f"{document.path}:{item.line}: this check box has no number, so it is left alone"


def _belongs(item: Item, tasks: Sequence[Task]) -> bool:
    return any(task.line <= item.line <= task.end for task in tasks)
