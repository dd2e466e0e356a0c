"""Decides which of an author's changes may reach the user's tree."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from glob import escape
from pathlib import Path

from reviewloop.core.types.artifact import Artifact, Kind
from reviewloop.workspace.documents import is_walked
from reviewloop.workspace.reserved_names import MARKDOWN, never_copied, sayable
from reviewloop.workspace.source import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Permit:
    """The files that an author may change: a document's author that document, a change's author any code.

    `named` are the files that the session names, so they must not be deleted. `files` are all files of the artifact.
    In `folders`, new Markdown files are part of the artifact. Other new files there would not be reviewed.
    """

    kind: Kind
    files: frozenset[str]
    named: frozenset[str] = frozenset()
    folders: tuple[str, ...] = ()
    protected: tuple[str, ...] = ()

    @classmethod
    def of(cls, root: Path, source: Source, artifact: Artifact, protected: tuple[str, ...] = ()) -> Permit:
        folders = tuple(path for path in source.paths if (root / path).is_dir())
        if source.kind is Kind.CHANGE:  # its first file is the diff, which cannot be edited
            protected = (*protected, *artifact.paths[:1])
        return cls(
            kind=source.kind,
            files=frozenset(artifact.paths),
            named=frozenset(source.paths) - frozenset(folders),
            folders=folders,
            protected=(*protected, *map(escape, source.without)),
        )

    def allows(self, path: str) -> bool:
        if never_copied(path) or not sayable(path) or any(_covers(pattern, path) for pattern in self.protected):
            return False
        return self.kind is Kind.CHANGE or path in self.files or any(_joins(path, folder) for folder in self.folders)


def _covers(pattern: str, path: str) -> bool:
    return fnmatchcase(path, pattern) or path.startswith(pattern.rstrip("/") + "/")


def _joins(path: str, folder: str) -> bool:
    """Whether a new file would be read as part of the folder's documents."""
    if folder != "." and not path.startswith(folder + "/"):
        return False
    *folders, name = path.removeprefix(folder + "/").split("/")
    return name.lower().endswith(MARKDOWN) and not name.startswith(".") and all(map(is_walked, folders))
