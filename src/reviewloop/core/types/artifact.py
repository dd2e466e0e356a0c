"""Artifacts: the files under review, of one kind, with a digest and their upstream artifacts."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from enum import StrEnum


class Kind(StrEnum):
    PRD = "prd"
    SPEC = "spec"
    RESEARCH = "research"
    REQUIREMENTS = "requirements"
    DESIGN = "design"
    TASKS = "tasks"
    CHANGE = "change"
    DOCUMENT = "document"
    """Any other text."""


def digest_of(text: str | bytes) -> str:
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file and its text. `path` is relative to the project, with forward slashes.

    `kind` is set in an artifact of several files, each of which is judged by its own kind.
    """

    path: str
    text: str
    kind: Kind | None = None
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "digest", digest_of(self.text))

    @property
    def size(self) -> int:
        return len(self.text)

    @property
    def is_markdown(self) -> bool:
        return self.path.lower().endswith((".md", ".markdown", ".mdx")) or "." not in self.path.rsplit("/", 1)[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """One revision of the files under review.

    `unread` lists the files that could not be read, with the reasons. `given` marks an upstream artifact that the user
    named: it applies to every file, while the documents beside a file apply to that file alone.
    """

    kind: Kind
    name: str
    files: tuple[SourceFile, ...]
    upstream: tuple[Artifact, ...] = ()
    unread: tuple[str, ...] = ()
    given: bool = False
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        lines = "".join(f"{file.path}\0{file.digest}\n" for file in sorted(self.files, key=lambda file: file.path))
        object.__setattr__(self, "digest", digest_of(lines))

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(file.path for file in self.files)

    @property
    def all_upstream(self) -> tuple[Artifact, ...]:
        """The upstream artifacts, each followed by its own."""
        return tuple(found for source in self.upstream for found in (source, *source.all_upstream))

    def kind_of(self, file: SourceFile) -> Kind:
        return file.kind or self.kind

    def file(self, path: str | None) -> SourceFile | None:
        """The file at `path`; without a path, the only file."""
        if path is None:
            return self.files[0] if len(self.files) == 1 else None
        return next((file for file in self.files if file.path == path), None)
