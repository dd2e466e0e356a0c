"""Where an artifact comes from: what the ledger keeps, and a resumed session reads again."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from reviewloop.core.types.artifact import Artifact, Kind
from reviewloop.errors import ArtifactError
from reviewloop.workspace.change import Range, read_change, resolve
from reviewloop.workspace.files import Limits, Reader, documents_in, real_path, refuse


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """A file or folder the artifact builds on. `name` is its stem unless it says something better."""

    kind: Kind
    path: str
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Files and folders of the project, or a range of its history. Paths are project-relative, with forward slashes.

    `task` is what a change was made for. As `PATH#ID` it is also upstream: that file, under the task's id as its name.
    `without` are files in the folders that belong to another session.
    """

    kind: Kind
    name: str
    paths: tuple[str, ...] = ()
    upstream: tuple[Upstream, ...] = ()
    range: Range | None = None
    task: str | None = None
    without: tuple[str, ...] = ()

    @property
    def editable(self) -> bool:
        """Whether an author's changes would be seen: two commits are what they are."""
        return self.range is None or self.range.end is None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Source:
        from pydantic import TypeAdapter, ValidationError

        try:
            return TypeAdapter(cls).validate_python(stored)
        except ValidationError as error:
            raise ArtifactError(
                f"the recorded source of the artifact cannot be read: {error}", hint="start a new session"
            ) from error


def locate(
    root: Path,
    cwd: Path,
    paths: Sequence[str | Path],
    *,
    kind: Kind,
    name: str | None = None,
    upstream: Sequence[Upstream] = (),
) -> Source:
    """Find what a user points at. A folder stands for all Markdown files below it, also those that come later.

    Args:
        root: The project; everything has to lie inside it.
        cwd: The folder that relative paths start from.
        paths: Files and folders, relative to `cwd` or absolute.
        kind: What they are.
        name: What to call the artifact; the first path's stem unless given.
        upstream: What they build on, with paths like those above.

    Raises:
        ArtifactError: Something is missing, leads out of the project, or holds nothing to review.
    """
    real_root = Path(os.path.realpath(root))
    found = tuple(dict.fromkeys(_found(real_root, cwd, path) for path in paths))
    if not found:
        raise ArtifactError("there is nothing to review", hint="name at least one file or folder")
    return Source(
        kind=kind,
        name=name or _stem(real_root, found[0]),
        paths=found,
        upstream=tuple(_located(real_root, cwd, one) for one in upstream),
    )


def locate_change(
    root: Path,
    cwd: Path,
    asked: str,
    *,
    name: str | None = None,
    task: str | None = None,
    upstream: Sequence[Upstream] = (),
) -> Source:
    """Find a change by its git range: `BASE`, `BASE..`, `BASE...`, `BASE..END` or `BASE...END`.

    Without an end, or with `HEAD` as the end, the change goes up to the files as they lie there, so that fixes count.
    The commits are pinned now: the session stays about this change when a branch moves on.

    Raises:
        ArtifactError: The range or a revision is not understood, or this is no git repository.
    """
    real_root = Path(os.path.realpath(root))
    located = [_located(real_root, cwd, one) for one in upstream]
    if task and "#" in task:
        file, _, number = task.partition("#")
        found = _found(real_root, cwd, file)
        located.append(Upstream(kind=Kind.TASKS, path=found, name=number))
        task = f"{found}#{number}"
    return Source(
        kind=Kind.CHANGE,
        name=name or (task.rpartition("#")[2] if task else "") or "change",
        upstream=tuple(located),
        range=resolve(real_root, asked),
        task=task,
    )


def read_artifact(root: Path, source: Source, limits: Limits) -> Artifact:
    """The artifact as it is now."""
    reader = Reader(root, limits)
    return Artifact(
        kind=source.kind,
        name=source.name,
        files=(
            read_change(root, source.range, limits)
            if source.range
            else tuple(reader.document(path) for path in files_of(root, source.paths, source.without))
        ),
        upstream=read_upstream(root, source, reader),
    )


def read_upstream(root: Path, source: Source, reader: Reader) -> tuple[Artifact, ...]:
    """What the artifact builds on, as it is now."""
    return tuple(
        Artifact(
            kind=one.kind,
            name=one.name or _stem(root, one.path),
            files=tuple(reader.document(path) for path in files_of(root, (one.path,))),
        )
        for one in source.upstream
    )


def files_of(root: Path, paths: Sequence[str], without: Sequence[str] = ()) -> list[str]:
    """The files that the paths stand for, each once."""
    found = (documents_in(root, path, without) if (root / path).is_dir() else [path] for path in paths)
    return list(dict.fromkeys(path for some in found for path in some))


def _found(root: Path, cwd: Path, given: str | Path) -> str:
    if not str(given).strip():
        raise ArtifactError("a path is empty", hint="name a file or folder")
    path = real_path(root, Path(cwd, given))
    if (root / path).is_dir():
        documents_in(root, path)
    elif not (root / path).is_file():
        refuse(path, "is neither a file nor a folder", hint="name a text file")
    return path


def _located(root: Path, cwd: Path, one: Upstream) -> Upstream:
    return Upstream(kind=one.kind, path=_found(root, cwd, one.path), name=one.name)


def _stem(root: Path, path: str) -> str:
    posix = PurePosixPath(path)
    name = (posix.name if (root / path).is_dir() else posix.stem) or root.name
    return as_name(name) or "project"


def as_name(text: str) -> str:
    """What a session, or a document in a prompt, can be called: a word that can be shown, and be given to a command."""
    return "".join(letter if letter.isprintable() else "-" for letter in text).lstrip("-@ ").rstrip()
