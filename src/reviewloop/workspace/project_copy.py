"""Copies the project for agents."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from reviewloop.core.types.artifact import Artifact, digest_of
from reviewloop.errors import WorkspaceError
from reviewloop.workspace import git
from reviewloop.workspace.file_listing import Caps, Listing, list_commit, list_project
from reviewloop.workspace.files import as_text
from reviewloop.workspace.reserved_names import never_copied
from reviewloop.workspace.safe_folders import content_of, place_of

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True, kw_only=True)
class CopiedFile:
    """A file as it was put into a copy."""

    digest: str
    size: int
    executable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """A new copy. If it is not `complete`, it may lack files other than the artifact and its upstream documents."""

    directory: Path
    complete: bool
    files: Mapping[str, CopiedFile]
    links: Mapping[str, str] = field(default_factory=dict[str, str])
    given: Mapping[str, bytes] = field(default_factory=dict[str, bytes])

    @property
    def folders(self) -> frozenset[str]:
        return folders_of((*self.files, *self.links))


def make_copy(
    root: Path,
    directory: Path,
    artifact: Artifact,
    *,
    commit: str | None,
    caps: Caps,
    hides: Callable[[str], bool] | None = None,
) -> Copied:
    """Fill the directory: the artifact's text as given, the other files from the project or from a commit."""
    given = given_files(root, artifact)
    listing = list_commit(root, commit, caps) if commit else list_project(root, caps)
    if hides:
        listing = listing.without(hides)
    copier = Copier(root, directory)
    try:
        for path, data in given.items():
            content = content_of(root, path)
            copier.put(path, data, executable=content is not None and content.executable)
        readable = copier.commit(listing) if commit else copier.project(listing)
        links = copier.link(listing)
    except OSError as error:
        raise WorkspaceError(
            f"the project could not be copied to {directory}: {error.strerror}",
            hint="free some space there, or set TMPDIR to a folder on another disk",
        ) from error
    return Copied(
        directory=directory, complete=listing.complete and readable, files=copier.files, links=links, given=given
    )


def given_files(root: Path, artifact: Artifact) -> dict[str, bytes]:
    """Return the artifact's files and its upstream documents as bytes.

    A file on disk that still has the artifact's text is copied unchanged, including its byte order mark.
    """
    texts = {file.path: file.text for document in (*artifact.upstream, artifact) for file in document.files}
    given: dict[str, bytes] = {}
    for path, text in texts.items():
        if not never_copied(path):
            content = content_of(root, path)
            same = content is not None and as_text(content.data) == text
            given[path] = content.data if content and same else text.encode("utf-8", "surrogatepass")
    return given


def folders_of(paths: Iterable[str]) -> frozenset[str]:
    """Return all parent folders of the paths."""
    found: set[str] = set()
    for path in paths:
        parent = path.rpartition("/")[0]
        while parent and parent not in found:
            found.add(parent)
            parent = parent.rpartition("/")[0]
    return frozenset(found)


class Copier:
    """Copies files to a directory and records them. It makes no hard links, because they would share the original."""

    def __init__(self, root: Path, directory: Path) -> None:
        self._root = str(root)
        self._directory = str(directory)
        self._made = {""}
        self._is_real = cache(self._is_real_folder)
        self.files: dict[str, CopiedFile] = {}

    def put(self, path: str, data: bytes, *, executable: bool) -> None:
        place_of(path)
        self._make(path.rpartition("/")[0])
        with open(os.open(f"{self._directory}/{path}", _WRITE, 0o700 if executable else 0o600), "wb") as file:  # noqa: PTH123
            file.write(data)
        self.files[path] = CopiedFile(digest=digest_of(data), size=len(data), executable=executable)

    def project(self, listing: Listing) -> bool:
        """Copy the listed files from the project. Returns False if a file could not be read."""
        complete = True
        for path in listing.files:
            if path in self.files or not self._is_real(path.rpartition("/")[0]):
                continue
            try:
                file = open(os.open(f"{self._root}/{path}", _READ), "rb")  # noqa: PTH123, SIM115
            except FileNotFoundError:
                continue
            except OSError:
                complete = False
                continue
            with file:
                mode = os.fstat(file.fileno()).st_mode
                if stat.S_ISREG(mode):
                    complete &= self._add(path, file.read(), executable=bool(mode & stat.S_IXUSR))
        return complete

    def commit(self, listing: Listing) -> bool:
        """Copy the listed files from git. Returns False if an object is missing."""
        complete = True
        objects = git.contents(Path(self._root), list(listing.files.values()))
        for path, data in zip(listing.files, objects, strict=True):
            if path not in self.files:
                complete &= data is not None and self._add(path, data, executable=path in listing.executable)
        return complete

    def _add(self, path: str, data: bytes, *, executable: bool) -> bool:
        """Add a file. Returns False if the artifact has a file where this one needs a folder, or vice versa."""
        try:
            self.put(path, data, executable=executable)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            return False
        return True

    def link(self, listing: Listing) -> dict[str, str]:
        """Make the links whose targets exist inside the copy, and leave out the others."""
        made = {path: target for path, target in listing.links.items() if not target.startswith("/")}
        made = {path: target for path, target in made.items() if path not in self.files and self._linked(path, target)}
        while broken := {path for path in made if not self._stays(path)}:
            for path in broken:
                os.unlink(f"{self._directory}/{path}")  # noqa: PTH108 - strings are faster for 20,000 files
                del made[path]
        return made

    def _linked(self, path: str, target: str) -> bool:
        parent = path.rpartition("/")[0]
        if not self._is_real(parent):
            return False
        try:
            self._make(parent)
            Path(f"{self._directory}/{path}").symlink_to(target)
        except (FileExistsError, NotADirectoryError):
            return False
        return True

    def _stays(self, path: str) -> bool:
        try:
            real = os.path.realpath(f"{self._directory}/{path}", strict=True)
        except OSError:
            return False
        return real.startswith(self._directory + "/")

    def _make(self, parent: str) -> None:
        if parent not in self._made:
            self._make(parent.rpartition("/")[0])
            os.mkdir(f"{self._directory}/{parent}", 0o700)  # noqa: PTH102
            self._made.add(parent)

    def _is_real_folder(self, path: str) -> bool:
        """Whether no part of the path is a link: git may still list files below a folder that a link has replaced."""
        if not path:
            return True
        return self._is_real(path.rpartition("/")[0]) and not os.path.islink(f"{self._root}/{path}")  # noqa: PTH114
