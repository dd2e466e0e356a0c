"""The projects that documents belong to. Each is looked at once, however many of its documents are reviewed."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from reviewloop.app.targets.walk import Walk
from reviewloop.rules.repository import Directory, Repository, Unknown
from reviewloop.workspace.files import real_path
from reviewloop.workspace.reserved_names import sayable

_SPEC_FOLDERS = ("specs", "openspec", ".kiro")


class Project:
    """A project as its documents see it: where it is, what is around them, and how it is seen from here."""

    def __init__(self, root: Path, cwd: str, walk: Walk) -> None:
        self.root = root
        self.start = len(str(root / "x")) - 1
        self.base = os.path.relpath(root, cwd)
        self.repository = repository_at(root)
        self._walk = walk
        self._listing: set[str] = set()
        self._listed: set[tuple[str, bool]] = set()

    def around(self, document: str) -> Collection[str]:
        """The documents around one: beside it, in the specs it belongs to, and among the PRDs.

        Those around others that were asked for before are among them.
        """
        *parts, _ = document.split("/")
        depth = next((number for number, part in enumerate(parts, 1) if part in _SPEC_FOLDERS), None)
        self._list("docs/prd", deep=True)
        if depth:
            self._list("/".join(parts[:depth]), deep=True)
        if document not in self._listing:
            self._list("/".join(parts), deep=False)
        return self._listing

    def _list(self, folder: str, *, deep: bool) -> None:
        if (folder, deep) in self._listed:
            return
        self._listed.add((folder, deep))
        found = self._walk.below(str(self.root / folder)) if deep else map(str, (self.root / folder).glob("*.md"))
        self._listing.update(path[self.start :] for path in found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A document of a project: its path from the root."""

    project: Project
    path: str


class Projects:
    """The projects of all documents of one run."""

    def __init__(self, cwd: Path, walk: Walk) -> None:
        self._cwd = os.path.realpath(cwd)
        self._walk = walk
        self._reals: dict[str, str] = {}
        self._marked: dict[str, str | None] = {}
        self._projects: dict[str, Project] = {}

    def of(self, document: str) -> Member:
        """The project that a document belongs to, by the folder it is named in, and its path there.

        Raises:
            ArtifactError: It is not there, or is a link that leads out of the project.
        """
        above, name = os.path.split(document)
        folder = self._real(above)
        root = self._root_of(folder)
        if root not in self._projects:
            self._projects[root] = Project(Path(root), self._cwd, self._walk)
        project = self._projects[root]
        path = f"{folder}/{name}"[project.start :]
        if not sayable(path) or not (self._walk.is_plain(document) or _is_plain_file(document)):
            path = real_path(project.root, Path(document))  # which says what is wrong
        return Member(project=project, path=path)

    def _real(self, folder: str) -> str:
        """The folder without symbolic links. What is above it is known already, mostly, and it is no link itself."""
        if folder not in self._reals:
            above, name = os.path.split(folder)
            named = name not in ("", ".", "..")
            plain = self._walk.is_plain(folder) or (named and not os.path.islink(folder))  # noqa: PTH114 - many folders
            self._reals[folder] = f"{self._real(above).rstrip('/')}/{name}" if plain else os.path.realpath(folder)
        return self._reals[folder]

    def _root_of(self, folder: str) -> str:
        """Where the project of a folder starts.

        Where no file says so: the folder we are in if the document is below it, else the one that holds its specs,
        whose names say which conventions the documents follow.
        """
        if marked := self._nearest(folder):
            return marked
        if f"{folder}/".startswith(f"{self._cwd.rstrip('/')}/"):
            return self._cwd
        parts = Path(folder).parts
        depth = next((number for number, part in enumerate(parts) if part in (*_SPEC_FOLDERS, "docs")), 0)
        return str(Path(*parts[:depth])) if depth > 1 else folder

    def _nearest(self, folder: str) -> str | None:
        """The folder, or the nearest above it, that says it is a project."""
        if folder not in self._marked:
            above, name = os.path.split(folder)
            self._marked[folder] = folder if self._walk.is_project(folder) else (self._nearest(above) if name else None)
        return self._marked[folder]


def repository_at(root: Path) -> Repository:
    """What can be known about the files around a document: only what a project says is a project."""
    return Directory(root) if any((root / mark).exists() for mark in (".git", "reviewloop.yml")) else Unknown()


def _is_plain_file(path: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)  # asked of every document, for which paths are too slow
    except OSError:
        return False
