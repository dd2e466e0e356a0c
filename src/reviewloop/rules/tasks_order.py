"""Checks of what depends on what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from posixpath import dirname

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.finding import Severity
from reviewloop.documents.model import Document, Task
from reviewloop.rules.ids import wholes_of
from reviewloop.rules.model import Hit, Subject
from reviewloop.rules.registry import rule


@dataclass(frozen=True, slots=True, kw_only=True)
class _Node:
    task: Task
    document: Document
    position: int


@rule(
    "TSK034",
    "impossible-dependency",
    criteria={Kind.TASKS: "structure"},
    severity=Severity.CRITICAL,
    precision=0.92,
    scope="artifact",
)
def impossible_dependency(subject: Subject) -> Iterator[Hit]:
    """A task depends on a later task, on one that does not exist, or on itself through others.

    What it checks: `depends_on` in the front matter of task files, Dependencies columns, **Depends on** fields and
    "(depends on T012)" in titles. Task files are judged with the others of their folder that are part of the artifact.

    Why: the order cannot be kept, so a tool stops and an agent guesses.

    Known problems: a single task file is not held against tasks that it cannot see.

    Example:
        | # | Task   | Dependencies |
        | 1 | Parser | #2           |
        | 2 | Lexer  | #1           |

    Instead: an order in which each task only needs earlier ones.
    """
    folders: dict[str, list[Document]] = {}
    for document in subject.documents:
        single = len(document.tasks) == 1 and bool(document.frontmatter)
        folders.setdefault(dirname(document.path) if single else document.path, []).append(document)
    for documents in folders.values():
        nodes = _nodes(documents)
        complete = len(documents) > 1 or any(len(document.tasks) > 1 for document in documents)
        yield from _judge(nodes, complete=complete)


def _nodes(documents: list[Document]) -> dict[str, _Node]:
    tasks = [(task, document) for document in documents for task in document.tasks]
    if len(documents) > 1:
        tasks.sort(key=lambda pair: _number(pair[0].id))
    return {
        task.id: _Node(task=task, document=document, position=position)
        for position, (task, document) in enumerate(tasks)
    }


def _number(name: str) -> tuple[int, ...]:
    return tuple(int(part) for part in name.lstrip("T").split(".") if part.isdigit())


def _judge(nodes: Mapping[str, _Node], *, complete: bool) -> Iterator[Hit]:
    circular = _circular(nodes)
    groups = {whole for name in nodes for whole in wholes_of(name)}
    for name, node in nodes.items():
        for other in node.task.depends_on:
            if other == name:
                yield _hit(node, f"task {name} depends on itself")
            elif other not in nodes:
                if complete and other not in groups:
                    yield _hit(node, f"task {name} depends on {other}, which does not exist")
            elif name in circular and other in circular:
                yield _hit(node, f"task {name} and task {other} depend on each other")
            elif nodes[other].position > node.position:
                yield _hit(node, f"task {name} depends on {other}, which comes later")


def _hit(node: _Node, issue: str) -> Hit:
    told = node.task.field("depends on")
    line, column = (told.line, told.column) if told else (node.task.line, node.task.column)
    return Hit(issue=issue, line=line, column=column, document=node.document, suggestion="Reorder the tasks.")


def _circular(nodes: Mapping[str, _Node]) -> set[str]:
    """Tasks that lie on a circle: what is left when tasks without open dependencies, or dependents, are taken away."""
    after = {name: {other for other in node.task.depends_on if other in nodes} - {name} for name, node in nodes.items()}
    left = set(after)
    while True:
        needed = {other for name in left for other in after[name]}
        free = {name for name in left if not after[name] & left or name not in needed}
        if not free:
            return left
        left -= free
