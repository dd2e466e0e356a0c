"""Where an artifact comes from: what the ledger keeps of a target, and how a session reads it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.scope import Scope
from reviewloop.dataclass_decoder import DecodeError, decode_dataclass
from reviewloop.documents.kinds import guess_kind
from reviewloop.errors import ArtifactError
from reviewloop.workspace.files import Limits, Reader


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """A range from one commit to another or, without an end, to the current files. `asked` is what the user typed."""

    asked: str
    base: str
    end: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """A file or folder that the artifact builds on. `given`: the user named it; else it lies beside a document."""

    kind: Kind
    path: str
    name: str = ""
    given: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Files and folders of the project, or a range of its history. Paths are project-relative, with forward slashes.

    `as_kind` is the kind that the user gave; without it, each document's own name and text decide. `task` is what a
    change was made for; as `PATH#ID` that file is also upstream, under that name. `without` are files in the
    folders that belong to another session.
    """

    kind: Kind
    name: str
    paths: tuple[str, ...] = ()
    upstream: tuple[Upstream, ...] = ()
    range: Range | None = None
    task: str | None = None
    without: tuple[str, ...] = ()
    as_kind: Kind | None = None

    @property
    def editable(self) -> bool:
        """Whether an author's changes would be seen: two commits are what they are."""
        return self.range is None or self.range.end is None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Source:
        try:
            return decode_dataclass(cls, stored)
        except DecodeError as error:
            raise ArtifactError(
                f"the recorded source of the artifact cannot be read: {error}", hint="start a new session"
            ) from error


def read_artifact(root: Path, source: Source, limits: Limits, scope: Scope | None = None) -> Artifact:
    """The artifact as it is now. Files that cannot be read are left out and reported in `unread`.

    Raises:
        ArtifactError: There is nothing to review.
    """
    reader = Reader(root, limits)
    if source.range:
        from reviewloop.workspace.change import read_change  # only a change needs git

        read = Documents(files=read_change(root, source.range, limits))
    else:
        read = read_documents(root, source, reader, scope or Scope())
    above = read_upstream(root, source, reader, scope)
    return Artifact(
        kind=source.kind,
        name=source.name,
        files=read.files,
        upstream=above.artifacts,
        unread=(*read.unread, *above.unread),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Documents:
    """Files as they were read, and which could not be read and why."""

    files: tuple[SourceFile, ...]
    unread: tuple[str, ...] = ()


def read_documents(root: Path, source: Source, reader: Reader, scope: Scope) -> Documents:
    """The documents that the source's paths stand for, each with its own kind if that is not the source's.

    Raises:
        ArtifactError: None of them can be read, or there are none.
    """
    files: list[SourceFile] = []
    unread: list[str] = []
    hint: str | None = None
    for path in files_of(root, source.paths, source.without, scope=scope, unread=unread):
        try:
            file = reader.document(path)
        except ArtifactError as error:
            if reader.is_full:
                raise
            unread.append(error.message)
            hint = hint or error.hint
            continue
        kind = source.as_kind or kind_of(file, scope)
        files.append(file if kind is source.kind else SourceFile(path=path, text=file.text, kind=kind))
    if not files:
        if not unread:
            raise no_documents(root, source.paths)
        raise ArtifactError("; ".join(unread), path=", ".join(source.paths), hint=hint or "name other files")
    return Documents(files=tuple(files), unread=tuple(unread))


def no_documents(root: Path, paths: Sequence[str]) -> ArtifactError:
    """The error for folders without documents, or with none that the project wants reviewed."""
    what = ", ".join(paths)
    if files_of(root, paths):
        return ArtifactError(
            f"the configuration leaves out every document in {what}",
            path=what,
            hint="name the files themselves, or change `include` and `exclude`",
        )
    return ArtifactError(
        f"{what} holds no Markdown files", path=what, hint="name a folder with .md files, or the files themselves"
    )


def kind_of(file: SourceFile, scope: Scope) -> Kind:
    """What a document is: as the project says, else by its name and text, else just a document."""
    return scope.kind_of(file.path) or guess_kind(file.path, file.text) or Kind.DOCUMENT


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamDocuments:
    """What an artifact builds on, and which of it could not be read and why."""

    artifacts: tuple[Artifact, ...]
    unread: tuple[str, ...] = ()


def read_upstream(root: Path, source: Source, reader: Reader, scope: Scope | None = None) -> UpstreamDocuments:
    """What the artifact builds on, as it is now.

    Raises:
        ArtifactError: Something that the user named cannot be read.
    """
    artifacts: list[Artifact] = []
    unread: list[str] = []
    for above in source.upstream:
        try:
            files = tuple(reader.document(path) for path in files_of(root, (above.path,), scope=scope))
        except ArtifactError as error:
            if above.given:
                raise
            unread.append(error.message)
        else:
            name = above.name or stem(root, above.path)
            artifacts.append(Artifact(kind=above.kind, name=name, files=files, given=above.given))
    return UpstreamDocuments(artifacts=tuple(artifacts), unread=tuple(unread))


def files_of(
    root: Path,
    paths: Sequence[str],
    without: Sequence[str] = (),
    *,
    scope: Scope | None = None,
    unread: list[str] | None = None,
) -> list[str]:
    """The files that the paths stand for, each once."""
    found: dict[str, None] = {}
    for path in paths:
        if (root / path).is_dir():
            from reviewloop.workspace.documents import documents_below  # asks git what it ignores

            below = documents_below(root, path, scope or Scope())
            found.update(dict.fromkeys(file for file in below.paths if file not in without))
            if unread is not None:
                unread.extend(below.unread)
        else:
            found[path] = None
    return list(found)


def stem(root: Path, path: str) -> str:
    """What a file or folder is called, without its ending."""
    posix = PurePosixPath(path)
    return as_name((posix.name if (root / path).is_dir() else posix.stem) or root.name) or "project"


def as_name(text: str) -> str:
    """What a session, or a document in a prompt, can be called: a word that can be shown, and be given to a command."""
    return "".join(letter if letter.isprintable() else "-" for letter in text).lstrip("-@ ").rstrip()
