"""What `review` is pointed at, as artifacts: every document by itself, with the documents it builds on."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from reviewloop.cli.projects import Project, Projects
from reviewloop.cli.walking import Walk
from reviewloop.documents import guess_kind
from reviewloop.documents.folder import upstream_of
from reviewloop.errors import ArtifactError, UsageError
from reviewloop.reports.words import FROM_INPUT
from reviewloop.review.artifact import Artifact, Kind, SourceFile
from reviewloop.rules.repository import Repository, Unknown
from reviewloop.workspace.files import Limits, Reader, document_text, real_path

if TYPE_CHECKING:
    from reviewloop.workspace.source import Source

STDIN = "-"
_LIMITS = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """An artifact as the rules see it (paths from its project's root), and where that root is seen from here.

    `source` is where a change comes from, which its files do not tell.
    """

    artifact: Artifact
    repository: Repository
    base: str = ""
    source: Source | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathering:
    """Everything that was found. `left_out` says what in a folder could not be read."""

    found: tuple[Gathered, ...]
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the user says about all of it."""

    kind: Kind | None = None
    upstream: Sequence[str] = ()
    prd: str | None = None


def gather(paths: Sequence[str], cwd: Path, asked: Asked) -> Gathering:
    """Read all documents that the paths stand for: files, folders, patterns."""
    found: list[Gathered] = []
    walk = Walk()
    projects = Projects(cwd, walk)
    wanted = documents(paths, cwd, walk)
    left_out = [
        f"{os.path.relpath(folder, cwd)} cannot be read: {why.lower()}" for folder, why in walk.unreadable.items()
    ]
    for path in wanted:
        try:
            found.append(_gathered(path, cwd, asked, projects))
        except ArtifactError as error:
            if any(str(Path(cwd, given)) == path for given in paths):
                raise
            left_out.append(error.message)
    if not found:
        raise ArtifactError("there is nothing to review", hint="; ".join(left_out) or "name a file or a folder")
    return Gathering(found=tuple(found), left_out=tuple(left_out))


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
        path = Path(cwd, given)
        if path.is_dir():
            yield from walk.below(str(path))
        elif path.is_fifo():
            raise ArtifactError(f"{given} is a pipe", path=given, hint="let it be standard input: reviewloop review -")
        elif path.exists() or path.is_symlink() or not glob.has_magic(given):
            yield str(path)
        else:
            matches = sorted(glob.glob(given, root_dir=cwd, recursive=True))  # noqa: PTH207 - absolute ones too
            if not matches:
                raise UsageError(f"nothing matches {given}", hint="check the pattern, and the folder you are in")
            yield from (str(Path(cwd, match)) for match in matches if Path(cwd, match).is_file())


def _gathered(path: str, cwd: Path, asked: Asked, projects: Projects) -> Gathered:
    member = projects.of(path)
    project = member.project
    reader = Reader(project.root, _LIMITS)
    file = reader.document(member.path)
    kind = asked.kind or guess_kind(file.path, file.text) or Kind.SPEC
    above = [*_named(asked, cwd, project.root, reader), *_by_convention(file.path, kind, project, reader, asked)]
    upstream = {one.files[0].path: one for one in above if one.files[0].path != file.path}
    return Gathered(
        artifact=Artifact(kind=kind, name=_stem(path), files=(file,), upstream=tuple(upstream.values())),
        repository=project.repository,
        base=project.base,
    )


def _named(asked: Asked, cwd: Path, root: Path, reader: Reader) -> Iterator[Artifact]:
    for given in asked.upstream:
        file = reader.document(real_path(root, Path(cwd, given)))
        yield _upstream(guess_kind(file.path, file.text) or Kind.SPEC, file)
    if asked.prd:
        yield _upstream(Kind.PRD, reader.document(real_path(root, Path(cwd, asked.prd))))


def _by_convention(path: str, kind: Kind, project: Project, reader: Reader, asked: Asked) -> Iterator[Artifact]:
    """The documents beside this one that it builds on; those that cannot be read are not there."""
    if asked.upstream or asked.prd:
        return
    for found in upstream_of(path, project.around(path), kind):
        try:
            yield _upstream(found.kind, reader.document(found.path))
        except ArtifactError:
            continue


def _upstream(kind: Kind, file: SourceFile) -> Artifact:
    return Artifact(kind=kind, name=_stem(file.path), files=(file,))


def _stem(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0]  # noqa: PTH119, PTH122 - of every document
