"""Rules for a change: the files that its task lists, and imports that exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.finding import Severity
from reviewloop.documents.diff import FileDiff, Line, read_diff
from reviewloop.documents.kinds import is_diff
from reviewloop.documents.model import Document, Task
from reviewloop.documents.paths import paths_in
from reviewloop.documents.patterns import lazy_re
from reviewloop.rules.imports import Imports, unresolved
from reviewloop.rules.model import Hit, Subject
from reviewloop.rules.registry import rule

CORRECTNESS: dict[Kind, str | None] = {Kind.CHANGE: "correctness"}

_ALLOWED = lazy_re(
    r"(?:^|/)(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|uv\.lock|poetry\.lock|"
    r"Pipfile\.lock|Cargo\.lock|go\.sum|"
    r"Gemfile\.lock|composer\.lock|flake\.lock|\.progress\.md|\.ralph-state\.json|tasks\.md|CHANGELOG\.md)$|"
    r"\.(?:snap|lock|min\.js|map|generated\.\w+|pb\.go)$|_pb2(?:_grpc)?\.pyi?$|(?:^|/)(?:dist|generated|"
    r"__snapshots__)/",
    re.IGNORECASE,
)


def changed_files(subject: Subject) -> list[tuple[FileDiff, Document]]:
    """The changed files from the artifact's diffs; without a diff, the artifact's files count as new."""
    diffs = [document for document in subject.documents if is_diff(document.path, document.text)]
    if diffs:
        return [(file, document) for document in diffs for file in read_diff(document.text)]
    return [(_all_added(document), document) for document in subject.documents]


def _all_added(document: Document) -> FileDiff:
    added = tuple(Line(text=text, number=number, at=number) for number, text in enumerate(document.lines, 1))
    return FileDiff(path=document.path, old_path=document.path, line=1, added=added)


def task_of(subject: Subject) -> Task | None:
    """The change's task: by name, or the only task of the list."""
    tasks = [task for document in subject.upstream_documents(Kind.TASKS) for task in document.tasks]
    if subject.task is not None:
        return next((task for task in tasks if task.id == subject.task), None)
    return tasks[0] if len(tasks) == 1 else None


def _listed_files(task: Task | None) -> list[str]:
    files = task.field("files") if task else None
    if files is None:
        return []
    text = re.sub(r"[`*]", " ", files.text)
    globs = re.findall(r"[\w./*-]*\*[\w./*-]*", files.text)
    return list(dict.fromkeys([path for _, path in paths_in(text)] + globs))


def _covers(listed: str, path: str) -> bool:
    if "*" in listed:
        return fnmatchcase(path, listed) or fnmatchcase(path, f"*/{listed}")
    target = listed.strip("/")
    return path == target or path.endswith(f"/{target}") or f"/{path}".find(f"/{target}/") >= 0


@rule("CHG038", "unlisted-file", criteria=CORRECTNESS, severity=Severity.IMPORTANT, precision=0.9, scope="artifact")
def unlisted_file(subject: Subject) -> Iterator[Hit]:
    """The change touches a file that the task does not list.

    What it checks: the changed files against the task's Files. Lock files, generated files, snapshots, the changelog
    and the task list itself may always change.

    Why: the work was not asked for, or the task was misunderstood.

    Known problems: a rename that touches many files must list them, or their directory.

    Example: the task lists `src/parse.py`, and `src/cli.py` changed too.

    Instead: list the file if it belongs to the task; otherwise revert the change.
    """
    task = task_of(subject)
    listed = _listed_files(task)
    if task is None or not listed:
        return
    for file, document in changed_files(subject):
        if not _ALLOWED.search(file.path) and not any(_covers(path, file.path) for path in listed):
            yield Hit(
                issue=f"{file.path} changed, but task {task.id} does not list it",
                line=file.line,
                document=document,
                quote=file.path,
            )


@rule("CHG039", "untouched-file", criteria=CORRECTNESS, severity=Severity.IMPORTANT, precision=0.85, scope="artifact")
def untouched_file(subject: Subject) -> Iterator[Hit]:
    """A file that the task lists did not change.

    What it checks: the task's Files against the changed files.

    Why: part of the task is not done, or the list is wrong.

    Known problems: a file that is listed only for reading is reported.

    Example: the task lists `src/parse.py` and `tests/test_parse.py`, and only the first changed.

    Instead: complete the task, or correct its Files.
    """
    task = task_of(subject)
    files = [file for file, _ in changed_files(subject)]
    changed = {path for file in files for path in (file.path, file.old_path) if path}
    if task is None or not changed:
        return
    for path in _listed_files(task):
        if not any(_covers(path, other) for other in changed):
            task_lists = subject.upstream_documents(Kind.TASKS)
            yield Hit(
                issue=f"task {task.id} lists {path}, but it did not change",
                line=task.line,
                document=next(document for document in task_lists if task in document.tasks),
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
    """An import cannot be resolved.

    What it checks: imports on added lines of Python, JavaScript and TypeScript files, against the standard library, the
    declared dependencies, the repository's files and the files of the change.

    Why: models often invent plausible package names. An attacker may have registered a package under such a name.

    Known problems: packages whose import name differs from the package name are known only if they are common. Bundler
    aliases are not checked. Without a manifest, packages are not checked.

    Example:
        import fastjsonx        where no dependency has that name

    Instead: import a module that exists, or declare the dependency.
    """
    if not subject.repository.known:
        return
    files = changed_files(subject)
    created = frozenset(file.path for file, _ in files if not file.deleted)
    imports = Imports(repository=subject.repository, created=created)
    for file, document in files:
        for line, name in unresolved(file, imports):
            yield Hit(
                issue=f"cannot resolve the import {name}: no such dependency, module or file",
                line=line.at,
                document=document,
                quote=line.text.strip()[:200],
                suggestion="Import a module that exists, or declare the dependency.",
            )
