"""What `review` is pointed at, as artifacts: every document by itself, with the documents it builds on."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from reviewloop.app.targets.projects import Project, Projects
from reviewloop.app.targets.walk import Walk
from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.documents import guess_kind
from reviewloop.documents.folder import upstream_of
from reviewloop.errors import ArtifactError, UsageError
from reviewloop.reports.phrases import FROM_INPUT
from reviewloop.rules.repository import Repository, Unknown
from reviewloop.workspace.files import Limits, Reader, document_text, real_path
from reviewloop.workspace.reserved_names import MARKDOWN

if TYPE_CHECKING:
    from reviewloop.workspace.source import Source

STDIN = "-"
_LIMITS = Limits()
_ENOUGH_TO_TELL = 8_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """An artifact as the rules see it (paths from its project's root), and where that root is seen from here.

    `source` is where a change comes from, which its files do not tell. `unread` says what it builds on and could not be
    read.
    """

    artifact: Artifact
    repository: Repository
    base: str = ""
    unread: tuple[str, ...] = ()
    source: Source | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathering:
    """Everything that was found.

    `left_out` says what could not be read and why; `passed_over` what a pattern matched that is no text by its nature.
    """

    found: tuple[Gathered, ...]
    left_out: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the user says about all of it."""

    kind: Kind | None = None
    upstream: Sequence[str] = ()
    prd: str | None = None


def gather(paths: Sequence[str], cwd: Path, asked: Asked) -> Gathering:
    """Read all documents that the paths stand for: files, folders, patterns."""
    found: list[Gathered] = []
    unread: list[str] = []
    passed_over: list[str] = []
    walk = Walk()
    projects = Projects(cwd, walk)
    for path in documents(paths, cwd, walk):
        try:
            found.append(_gathered(path, cwd, asked, projects))
        except ArtifactError as error:
            if any(str(Path(cwd, given)) == path for given in paths):
                raise
            (passed_over if _is_no_text(path) else unread).append(error.message)
    folders = [f"{os.path.relpath(folder, cwd)} cannot be read: {why}" for folder, why in walk.unreadable.items()]
    left_out = tuple(dict.fromkeys((*folders, *unread, *(text for one in found for text in one.unread))))
    if not found:
        reasons = "; ".join((*left_out, *passed_over))
        raise ArtifactError("there is nothing to review", hint=reasons or "name a file or a folder")
    return Gathering(found=tuple(found), left_out=left_out, passed_over=tuple(passed_over))


def documents(paths: Sequence[str], cwd: Path, walk: Walk) -> list[str]:
    """The files that the paths stand for, each once, in order."""
    return list(dict.fromkeys(_documents(paths, cwd, walk)))


def from_input(stream: BinaryIO, asked: Asked) -> Gathered:
    """A document from standard input; nothing is known about the files around it."""
    limits = Limits()
    data = stream.read(limits.file + 1)
    if not data.strip():
        raise ArtifactError("standard input is empty", hint="pipe a document into `reviewloop review -`")
    text = document_text("standard input", data, limits)
    name = f"{asked.kind or 'stdin'}.md"
    kind = asked.kind or guess_kind(name, text) or Kind.SPEC
    artifact = Artifact(kind=kind, name="stdin", files=(SourceFile(path=FROM_INPUT, text=text),))
    return Gathered(artifact=artifact, repository=Unknown())


def _documents(paths: Sequence[str], cwd: Path, walk: Walk) -> Iterator[str]:
    for given in paths:
        if not given.strip():
            raise ArtifactError("a path is empty", hint="name a file or a folder")
        # Of a path in a folder that is closed to us, these functions say that it is not there, and `Path` raises.
        path = os.path.join(cwd, given)  # noqa: PTH118
        if os.path.isdir(path):  # noqa: PTH112
            yield from walk.below(str(Path(path)))
        elif os.path.lexists(path) or not glob.has_magic(given):
            if os.path.exists(path) and Path(path).is_fifo():  # noqa: PTH110
                raise ArtifactError(
                    f"{given} is a pipe", path=given, hint="let it be standard input: reviewloop review -"
                )
            yield str(Path(path))
        else:
            yield from _matches(given, cwd, walk)


def _matches(pattern: str, cwd: Path, walk: Walk) -> Iterator[str]:
    """The files that a pattern matches. It matches nothing in a folder that cannot be read, and does not say so."""
    parts = Path(pattern).parts
    for depth in range(1, len(parts)):
        for above in glob.iglob(str(Path(*parts[:depth])), root_dir=cwd, recursive=True):  # noqa: PTH207 - absolute ones too
            walk.enter(str(Path(cwd, above)))
    matches = sorted(glob.glob(pattern, root_dir=cwd, recursive=True))  # noqa: PTH207
    if not matches and not walk.unreadable:
        raise UsageError(f"nothing matches {pattern}", hint="check the pattern, and the folder you are in")
    yield from (str(Path(cwd, match)) for match in matches if not Path(cwd, match).is_dir())


def _is_no_text(path: str) -> bool:
    """Whether a file is of another kind, such as a picture beside the documents. A document by name never is."""
    if path.lower().endswith(MARKDOWN):
        return False
    try:
        with Path(path).open("rb") as file:
            return b"\0" in file.read(_ENOUGH_TO_TELL)
    except OSError:
        return False


def _gathered(path: str, cwd: Path, asked: Asked, projects: Projects) -> Gathered:
    member = projects.of(path)
    project = member.project
    reader = Reader(project.root, _LIMITS)
    file = reader.document(member.path)
    kind = asked.kind or guess_kind(file.path, file.text) or Kind.SPEC
    around = _Around() if asked.upstream or asked.prd else _by_convention(file.path, kind, project, reader)
    above = [*_named(asked, cwd, project.root, reader), *around.documents]
    upstream = {one.files[0].path: one for one in above if one.files[0].path != file.path}
    return Gathered(
        artifact=Artifact(kind=kind, name=_stem(path), files=(file,), upstream=tuple(upstream.values())),
        repository=project.repository,
        base=project.base,
        unread=around.unread,
    )


def _named(asked: Asked, cwd: Path, root: Path, reader: Reader) -> Iterator[Artifact]:
    for given in asked.upstream:
        file = reader.document(real_path(root, Path(cwd, given)))
        yield _upstream(guess_kind(file.path, file.text) or Kind.SPEC, file)
    if asked.prd:
        yield _upstream(Kind.PRD, reader.document(real_path(root, Path(cwd, asked.prd))))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Around:
    documents: tuple[Artifact, ...] = ()
    unread: tuple[str, ...] = ()


def _by_convention(path: str, kind: Kind, project: Project, reader: Reader) -> _Around:
    """The documents beside this one that it builds on."""
    documents: list[Artifact] = []
    unread: list[str] = []
    for found in upstream_of(path, project.around(path), kind):
        try:
            documents.append(_upstream(found.kind, reader.document(found.path)))
        except ArtifactError as error:
            unread.append(error.message)
    return _Around(documents=tuple(documents), unread=tuple(unread))


def _upstream(kind: Kind, file: SourceFile) -> Artifact:
    return Artifact(kind=kind, name=_stem(file.path), files=(file,))


def _stem(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0]  # noqa: PTH119, PTH122 - of every document
