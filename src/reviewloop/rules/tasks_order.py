"""The rule for task dependencies: they must exist, come earlier and form no cycle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from posixpath import dirname

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.finding import Severity
from reviewloop.documents.model import Document, Task
from reviewloop.rules.ids import parents_of
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
    """A task depends on a later task, a missing task or, through a cycle, on itself.

    What it checks: `depends_on` in the front matter of task files, Dependencies columns, **Depends on** fields and
    "(depends on T012)" in titles. The task files of a folder are checked together.

    Why: no tool or agent can keep the order.

    Known problems: a task file that is reviewed alone is not checked for missing tasks.

    Example:
        | # | Task   | Dependencies |
        | 1 | Parser | #2           |
        | 2 | Lexer  | #1           |

    Instead: order the tasks so that each depends only on earlier ones.
    """
    folders: dict[str, list[Document]] = {}
    for document in subject.documents:
        single = len(document.tasks) == 1 and bool(document.frontmatter)
        folders.setdefault(dirname(document.path) if single else document.path, []).append(document)
    for documents in folders.values():
        nodes = _nodes(documents)
        complete = len(documents) > 1 or any(len(document.tasks) > 1 for document in documents)
        yield from _check(nodes, complete=complete)


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


def _check(nodes: Mapping[str, _Node], *, complete: bool) -> Iterator[Hit]:
    circular = _cycles(nodes)
    groups = {parent for name in nodes for parent in parents_of(name)}
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
    field = node.task.field("depends on")
    line, column = (field.line, field.column) if field else (node.task.line, node.task.column)
    return Hit(issue=issue, line=line, column=column, document=node.document, suggestion="Reorder the tasks.")


def _cycles(nodes: Mapping[str, _Node]) -> set[str]:
    """The tasks on a cycle: what remains after tasks without dependencies or dependents are removed, repeatedly."""
    after = {name: {other for other in node.task.depends_on if other in nodes} - {name} for name, node in nodes.items()}
    remaining = set(after)
    while True:
        needed = {other for name in remaining for other in after[name]}
        free = {name for name in remaining if not after[name] & remaining or name not in needed}
        if not free:
            return remaining
        remaining -= free
