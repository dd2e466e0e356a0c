"""Checks of a change against its task: the right files, and imports that exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.finding import Severity
from reviewloop.documents.diff import FileDiff, Line, read_diff
from reviewloop.documents.formats import is_diff
from reviewloop.documents.model import Document, Task
from reviewloop.documents.paths import paths_in
from reviewloop.documents.patterns import lazily
from reviewloop.rules.imports import Imports, unresolved
from reviewloop.rules.model import Hit, Subject
from reviewloop.rules.registry import rule

CORRECTNESS: dict[Kind, str | None] = {Kind.CHANGE: "correctness"}

_ALLOWED = lazily(
    r"(?:^|/)(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|uv\.lock|poetry\.lock|"
    r"Pipfile\.lock|Cargo\.lock|go\.sum|"
    r"Gemfile\.lock|composer\.lock|flake\.lock|\.progress\.md|\.ralph-state\.json|tasks\.md|CHANGELOG\.md)$|"
    r"\.(?:snap|lock|min\.js|map|generated\.\w+|pb\.go)$|_pb2(?:_grpc)?\.pyi?$|(?:^|/)(?:dist|generated|"
    r"__snapshots__)/",
    re.IGNORECASE,
)


def changed_files(subject: Subject) -> list[tuple[FileDiff, Document]]:
    """The files of a change: from its diffs, or, without a diff, the artifact's files themselves."""
    diffs = [document for document in subject.documents if is_diff(document.path, document.text)]
    if diffs:
        return [(one, document) for document in diffs for one in read_diff(document.text)]
    return [(_whole(document), document) for document in subject.documents]


def _whole(document: Document) -> FileDiff:
    added = tuple(Line(text=text, number=number, at=number) for number, text in enumerate(document.lines, 1))
    return FileDiff(path=document.path, old_path=document.path, line=1, added=added)


def task_of(subject: Subject) -> Task | None:
    """The task that the change belongs to: the one that was named, or the only one there is."""
    tasks = [task for document in subject.above(Kind.TASKS) for task in document.tasks]
    if subject.task is not None:
        return next((task for task in tasks if task.id == subject.task), None)
    return tasks[0] if len(tasks) == 1 else None


def _listed(task: Task | None) -> list[str]:
    files = task.field("files") if task else None
    if files is None:
        return []
    text = re.sub(r"[`*]", " ", files.text)
    globs = re.findall(r"[\w./*-]*\*[\w./*-]*", files.text)
    return list(dict.fromkeys([path for _, path in paths_in(text)] + globs))


def _covers(listed: str, path: str) -> bool:
    if "*" in listed:
        return fnmatchcase(path, listed) or fnmatchcase(path, f"*/{listed}")
    wanted = listed.strip("/")
    return path == wanted or path.endswith(f"/{wanted}") or f"/{path}".find(f"/{wanted}/") >= 0


@rule("CHG038", "unlisted-file", criteria=CORRECTNESS, severity=Severity.IMPORTANT, precision=0.9, scope="artifact")
def unlisted_file(subject: Subject) -> Iterator[Hit]:
    """A file changed that the task does not list.

    What it checks: the changed files against the Files of the task. Lock files, generated files, snapshots, the
    change log and the task list itself may always change.

    Why: it is work nobody asked for, or the task was understood differently from how it was meant.

    Known problems: a rename that touches many files has to list them, or their directory.

    Example: the task lists `src/parse.py`, and `src/cli.py` changed too.

    Instead: list the file if it belongs to the task; take the change out if it does not.
    """
    task = task_of(subject)
    listed = _listed(task)
    if task is None or not listed:
        return
    for one, document in changed_files(subject):
        if not _ALLOWED.search(one.path) and not any(_covers(path, one.path) for path in listed):
            yield Hit(
                issue=f"{one.path} changed, and task {task.id} does not list it",
                line=one.line,
                document=document,
                quote=one.path,
            )


@rule("CHG039", "untouched-file", criteria=CORRECTNESS, severity=Severity.IMPORTANT, precision=0.85, scope="artifact")
def untouched_file(subject: Subject) -> Iterator[Hit]:
    """A file that the task lists did not change.

    What it checks: the Files of the task against the changed files.

    Why: a part of the task was not done, or was not needed and nobody said so.

    Known problems: files that are listed to be read only.

    Example: the task lists `src/parse.py` and `tests/test_parse.py`, and only the first changed.

    Instead: do the missing part, or correct the task.
    """
    task = task_of(subject)
    changed = [one.path for one, _ in changed_files(subject)]
    changed += [one.old_path for one, _ in changed_files(subject) if one.old_path]
    if task is None or not changed:
        return
    for path in _listed(task):
        if not any(_covers(path, one) for one in changed):
            yield Hit(
                issue=f"task {task.id} lists {path}, which did not change",
                line=task.line,
                document=next(document for document in subject.above(Kind.TASKS) if task in document.tasks),
            )


@rule(
    "CHG040",
    "unresolved-import",
    criteria={Kind.CHANGE: "no_hallucinations"},
    severity=Severity.CRITICAL,
    precision=0.85,
    scope="artifact",
)
def unresolved_import(subject: Subject) -> Iterator[Hit]:
    """An import resolves to nothing.

    What it checks: imports on added lines of Python, JavaScript and TypeScript files, against the standard library, the
    dependencies that the manifest declares, the repository's own files and the files of the change.

    Why: a name that sounds right and does not exist is the most common thing a model makes up. A package of that
    name may be somebody's trap.

    Known problems: packages whose import name differs from their name are known only if they are common. Aliases of
    bundlers are left alone. Without a manifest, packages are not judged.

    Example:
        import fastjsonx        where no dependency has that name

    Instead: import what is there, or declare the dependency.
    """
    if not subject.repository.known:
        return
    files = changed_files(subject)
    created = frozenset(one.path for one, _ in files if not one.deleted)
    imports = Imports(repository=subject.repository, created=created)
    for one, document in files:
        for line, name in unresolved(one, imports):
            yield Hit(
                issue=f"{name} resolves to nothing: no dependency, module or file has that name",
                line=line.at,
                document=document,
                quote=line.text.strip()[:200],
                suggestion="Import what exists, or declare the dependency in the manifest.",
            )
