"""Walks through folders for documents. A folder is read once, and what it tells about the project is kept."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from reviewloop.config.discover import MARKERS, is_project
from reviewloop.workspace.reserved_names import MARKDOWN, NOT_ENTERED


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """The Markdown files in a folder and the folders to go on with, in order."""

    documents: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    is_project: bool


class Walk:
    """All walks of one run. Paths are strings as the walks spell them, because there may be many.

    `unreadable` says of which folders nobody knows what is in them, and why.
    """

    def __init__(self) -> None:
        self._folders: dict[str, Folder] = {}
        self._plain: set[str] = set()
        self.unreadable: dict[str, str] = {}

    def below(self, folder: str) -> Iterator[str]:
        """The Markdown files in a folder and below it, in order. Links to folders are not followed."""
        waiting = [folder]
        while waiting:
            found = self.enter(waiting.pop())
            yield from found.documents
            waiting.extend(reversed(found.folders))

    def is_plain(self, path: str) -> bool:
        """Whether the walks came across a file or folder there that is no link. It may be one they did not see."""
        return path in self._plain

    def is_project(self, folder: str) -> bool:
        """Whether something in the folder says that a project starts here."""
        known = self._folders.get(folder)
        return known.is_project if known else is_project(folder)

    def enter(self, folder: str) -> Folder:
        """What is in a folder."""
        if folder not in self._folders:
            self._folders[folder] = self._look(folder)
        return self._folders[folder]

    def _look(self, folder: str) -> Folder:
        documents: list[str] = []
        folders: list[str] = []
        marked = False
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    marked = marked or entry.name in MARKERS
                    if entry.is_dir(follow_symlinks=False):
                        if entry.name not in NOT_ENTERED and not _hidden(entry.name):
                            folders.append(entry.name)
                    elif _is_document(entry.name) and not _hidden(entry.name) and not _leads_to_folder(entry):
                        documents.append(entry.name)
                        if entry.is_file(follow_symlinks=False):
                            self._plain.add(f"{folder}/{entry.name}")
        except OSError as error:  # it may not be read, or is gone; the files in it may still be named
            if not isinstance(error, FileNotFoundError | NotADirectoryError):
                self.unreadable[folder] = (error.strerror or str(error)).lower()
            return Folder(is_project=is_project(folder))
        inside = tuple(f"{folder}/{name}" for name in sorted(folders))
        self._plain.update(inside)
        return Folder(
            documents=tuple(f"{folder}/{name}" for name in sorted(documents)),
            folders=inside,
            is_project=marked and is_project(folder),
        )


def _leads_to_folder(entry: os.DirEntry[str]) -> bool:
    return entry.is_symlink() and os.path.isdir(entry.path)  # noqa: PTH112 - which no loop of links upsets


def _is_document(name: str) -> bool:
    return name.endswith(".md") or name.lower().endswith(MARKDOWN)


def _hidden(name: str) -> bool:
    """Hidden folders are other tools' own, except the one where Kiro keeps its specs."""
    return name.startswith(".") and name != ".kiro"
