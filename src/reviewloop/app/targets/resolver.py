"""From what a user points at to a target: the artifact as it is now, and how a session reads it again."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from glob import has_magic
from pathlib import Path

from reviewloop.app.targets.request import TargetRequest
from reviewloop.app.targets.surroundings import Surroundings
from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.scope import Scope
from reviewloop.documents import guess_kind, parse
from reviewloop.documents.folder import documents_of, session_kind
from reviewloop.errors import ArtifactError, UsageError
from reviewloop.reports.phrases import FROM_INPUT
from reviewloop.workspace.change import differs_from_index, resolve, staged
from reviewloop.workspace.documents import matching
from reviewloop.workspace.files import Limits, Reader, document_text, real_path, refuse
from reviewloop.workspace.source import (
    Range,
    Source,
    Upstream,
    files_of,
    kind_of,
    no_documents,
    read_artifact,
    read_documents,
    read_upstream,
    stem,
)

UNLIMITED = Limits(total=2**63)
"""For the offline rules, which check one document after the other."""

_TASKS_SHOWN = 12


@dataclass(frozen=True, kw_only=True)
class Target:
    """What is reviewed. `base` is the project's root as seen from where the user is.

    `skipped` are files that a pattern matched and that hold no text, such as pictures.
    """

    artifact: Artifact
    root: Path
    base: str
    recorded: Source | None = None
    skipped: tuple[str, ...] = ()

    @cached_property
    def documents(self) -> tuple[Artifact, ...]:
        """Every document by itself, by its own kind, with what it builds on. A change is one document."""
        return documents_of(self.artifact)

    @property
    def source(self) -> Source:
        """What a session keeps of it, to read it again."""
        if self.recorded is None:
            raise UsageError("standard input is only for `review`", hint="save it to a file and name that")
        return self.recorded


@dataclass(frozen=True, kw_only=True)
class Resolver:
    """Resolves requests in one project, for every command alike.

    Args:
        root: The project. Everything has to lie inside it.
        cwd: Where relative paths start.
        scope: Which documents the project wants reviewed, and their kinds.
        limits: How large an artifact may be.
    """

    root: Path
    cwd: Path
    scope: Scope = field(default_factory=Scope)
    limits: Limits = field(default_factory=Limits)

    def resolve(self, request: TargetRequest, *, has_author: bool = False) -> Target:
        """Find and read what the user means. `has_author`: an author may edit it, in the working tree.

        Raises:
            UsageError: The request contradicts itself.
            ArtifactError: Something is missing, lies outside the project, or holds nothing to review.
        """
        request.check()
        if request.is_stdin:
            return self._stdin(request)
        if not request.is_change:
            return self._documents(request)
        source = self._change(request, has_author=has_author)
        return self._target(read_artifact(self._root, source, self.limits, self.scope), source)

    @cached_property
    def _root(self) -> Path:
        return Path(os.path.realpath(self.root))

    def _target(self, artifact: Artifact, source: Source | None) -> Target:
        base = os.path.relpath(self._root, os.path.realpath(self.cwd))
        return Target(artifact=artifact, recorded=source, root=self._root, base=base)

    def _documents(self, request: TargetRequest) -> Target:
        skipped: list[str] = []
        paths = tuple(dict.fromkeys(self._paths(request, skipped)))
        if not paths:
            raise ArtifactError("; ".join(skipped), hint="name a text file, or a folder with .md files")
        source = Source(
            kind=request.kind or Kind.DOCUMENT,
            name=request.name or request.feature or stem(self._root, paths[0]),
            paths=paths,
            as_kind=request.kind,
        )
        reader = Reader(self._root, self.limits)
        read = read_documents(self._root, source, reader, self.scope)
        kinds = [file.kind or source.kind for file in read.files]
        given = self._given(request)
        named = {above.path for above in given}
        documents = zip([file.path for file in read.files], kinds, strict=True)
        beside = [above for above in self._surroundings(read.files).upstream(documents) if above.path not in named]
        source = replace(source, kind=session_kind(kinds), upstream=(*given, *beside))
        files = tuple(
            replace(file, kind=None if kind is source.kind else kind)
            for file, kind in zip(read.files, kinds, strict=True)
        )
        above = read_upstream(self._root, source, reader, self.scope)
        artifact = Artifact(
            kind=source.kind,
            name=source.name,
            files=files,
            upstream=above.artifacts,
            unread=(*read.unread, *above.unread),
        )
        return replace(self._target(artifact, source), skipped=tuple(skipped))

    def _surroundings(self, files: tuple[SourceFile, ...]) -> Surroundings:
        return Surroundings(self._root, [file.path for file in files])

    def _paths(self, request: TargetRequest, skipped: list[str]) -> Iterator[str]:
        if request.feature:
            yield self._specs_of(request.feature)
        for given in request.paths:
            if has_magic(given) and not os.path.lexists(Path(self.cwd, given)):
                yield from matching(self._root, self.cwd, given, skipped)
            else:
                yield self._located(given)

    def _located(self, given: str) -> str:
        if _is_pipe(Path(self.cwd, given)):
            refuse(given, "is a pipe", hint="make it standard input: reviewloop review -")
        path = real_path(self._root, Path(self.cwd, given))
        there = self._root / path
        if not there.is_dir() and not there.is_file():
            refuse(path, "is neither a file nor a folder", hint="name a text file")
        return path

    def _specs_of(self, feature: str) -> str:
        for folder in (f"specs/{feature}", f".kiro/specs/{feature}"):
            if (self._root / folder).is_dir():
                return folder
        raise ArtifactError(f"there is no folder specs/{feature}", path=feature, hint="name the files themselves")

    def _given(self, request: TargetRequest) -> tuple[Upstream, ...]:
        """What the user says the documents build on."""
        upstream = [
            Upstream(kind=self._kind(path), path=path, given=True) for path in map(self._located, request.upstream)
        ]
        if request.prd:
            upstream.append(Upstream(kind=Kind.PRD, path=self._located(request.prd), given=True))
        return tuple({above.path: above for above in upstream}.values())

    def _kind(self, path: str) -> Kind:
        """What a file is; a folder of several kinds is called a spec, as in a session."""
        files = files_of(self._root, (path,), scope=self.scope)
        if not files:
            raise no_documents(self._root, (path,))
        reader = Reader(self._root, self.limits)
        return session_kind([kind_of(reader.document(file), self.scope) for file in files])

    def _change(self, request: TargetRequest, *, has_author: bool) -> Source:
        given = list(self._given(request))
        task = request.task
        if task:
            tasks = self._task(task)
            given.append(tasks)
            task = tasks.name
        return Source(
            kind=Kind.CHANGE,
            name=request.name or (task or "").rpartition("#")[2] or "change",
            upstream=tuple(given),
            range=self._range(request, has_author=has_author),
            task=task,
        )

    def _range(self, request: TargetRequest, *, has_author: bool) -> Range:
        if request.uncommitted:
            return replace(resolve(self._root, "HEAD"), asked="--uncommitted")
        if request.diff:
            return resolve(self._root, request.diff)
        index = staged(self._root)
        if not has_author:
            return index
        if differs_from_index(self._root):
            raise UsageError(
                "the working tree differs from the staged change, and an author edits the working tree",
                hint="stage or stash the rest, or review all of it with --uncommitted",
            )
        return replace(index, end=None)

    def _task(self, task: str) -> Upstream:
        """The list that a task is in. A change that is compared with no task would pass."""
        file, _, number = task.rpartition("#")
        path = self._located(file)
        known = [found.id for found in parse(path, Reader(self._root, self.limits).document(path).text).tasks]
        if number not in known:
            more = ", ..." if len(known) > _TASKS_SHOWN else ""
            hint = f"it has {', '.join(known[:_TASKS_SHOWN])}{more}" if known else "it has no tasks"
            raise UsageError(f"{path} has no task {number}", hint=hint)
        return Upstream(kind=Kind.TASKS, path=path, name=f"{path}#{number}", given=True)

    def _stdin(self, request: TargetRequest) -> Target:
        if request.stdin is None:
            raise UsageError("standard input is only for `review`", hint="save it to a file and name that")
        if not request.stdin.strip():
            raise ArtifactError("standard input is empty", hint="pipe a document or a diff into `reviewloop review -`")
        path = self._stdin_path(request.stdin_filename) if request.stdin_filename else FROM_INPUT
        text = document_text("standard input" if path == FROM_INPUT else path, request.stdin, self.limits)
        name = "stdin.md" if path == FROM_INPUT else path
        kind = request.kind or self.scope.kind_of(path) or guess_kind(name, text) or Kind.DOCUMENT
        given = list(self._given(request))
        if request.task and kind is not Kind.CHANGE:
            raise UsageError("--task is for a change", hint="add --kind change if standard input is a diff")
        if request.task:
            given.append(self._task(request.task))
        named = {above.path for above in given}
        beside = Surroundings(self._root).upstream([(path, kind)]) if path != FROM_INPUT else ()
        upstream = (*given, *(above for above in beside if above.path not in named))
        source = Source(kind=kind, name="stdin", upstream=upstream)
        above = read_upstream(self._root, source, Reader(self._root, self.limits), self.scope)
        artifact = Artifact(
            kind=kind,
            name=request.name or "stdin",
            files=(SourceFile(path=path, text=text),),
            upstream=above.artifacts,
            unread=above.unread,
        )
        return self._target(artifact, None)

    def _stdin_path(self, given: str) -> str:
        path = Path(os.path.normpath(Path(os.path.realpath(self.cwd), given)))
        if not path.is_relative_to(self._root):
            refuse(given, f"lies outside the project {self._root}", hint="name a path inside the project")
        return path.relative_to(self._root).as_posix()


def _is_pipe(path: Path) -> bool:
    try:
        return path.is_fifo()
    except OSError:
        return False
