"""A spec folder on disk: its task files, their upstream documents, and edits to them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from reviewloop.core.types.artifact import Kind, digest_of
from reviewloop.core.types.calls import FileChange
from reviewloop.core.types.scope import Scope
from reviewloop.documents.folder import UpstreamFile, upstream_of
from reviewloop.documents.kinds import guess_kind
from reviewloop.documents.spec_tasks import Board, read_board
from reviewloop.errors import ArtifactError, WorkspaceError
from reviewloop.text import did_you_mean
from reviewloop.workspace.bring_back import bring_back
from reviewloop.workspace.documents import documents_below
from reviewloop.workspace.files import Limits, decoded, opened, real_path

FOLDERS = ("specs", ".kiro/specs", "openspec/changes", "specs/tasks")
"""The folders in which a spec is searched by name."""

LIST = "tasks.md"
_TRIES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """A spec folder. `files` are its task files. Paths are relative to the project."""

    root: Path
    folder: str
    files: tuple[str, ...]

    @property
    def name(self) -> str:
        return PurePosixPath(self.folder).name or "spec"

    def board(self) -> Board:
        """Read the tasks."""
        return read_board({path: self.text(path) for path in self.files})

    def text(self, path: str) -> str:
        """Read a file including its byte order mark and line endings."""
        data = opened(self.root, path, most=Limits().file).data
        return ("\ufeff" if data.startswith(b"\xef\xbb\xbf") else "") + decoded(path, data)

    def builds_on(self, file: str) -> tuple[UpstreamFile, ...]:
        """Return the documents that a change for a task of this file is compared with."""
        if self.folder == ".":
            paths = [path.name for path in self.root.iterdir() if path.is_file()]
        else:
            paths = documents_below(self.root, self.folder, Scope()).paths
        paths += [path for path in _above(file) if (self.root / path).is_file()]
        above = upstream_of(self._inside("change.diff"), paths, Kind.CHANGE) + upstream_of(file, paths, Kind.TASKS)
        wanted = (upstream for upstream in above if upstream.path != file and upstream.kind is not Kind.TASKS)
        return tuple({upstream.path: upstream for upstream in wanted}.values())

    def _inside(self, name: str) -> str:
        return str(PurePosixPath(self.folder, name))

    def edit(self, path: str, change: Callable[[str], str]) -> bool:
        """Edit the current file. Returns False, without an edit, if the user or a program keeps changing it."""
        for _ in range(_TRIES):
            old = self.text(path)
            new = change(old)
            if new == old:
                return True
            data = new.encode("utf-8")
            mode = (self.root / path).stat().st_mode
            moved = FileChange(
                path=path, before=digest_of(old), after=digest_of(data), executable=bool(mode & 0o100)
            )  # fmt: skip
            if bring_back(self.root, [moved], {digest_of(data): data}) is None:
                return True
        return False


def find_spec(root: Path, cwd: Path, asked: str) -> Spec:
    """Find a spec by a name, a folder or a file.

    Raises:
        ArtifactError: There is no such spec, or it has no tasks.
    """
    real = Path(os.path.realpath(root))
    places = [*(real / folder / asked for folder in FOLDERS), cwd / asked]
    found = next((place for place in places if place.exists()), None)
    if found is None:
        known = sorted({path.name for path in _known(real)})
        near = did_you_mean(asked, known)
        hint = f"did you mean {near}?" if near else f"choose one of: {', '.join(known[:12])}" if known else None
        raise ArtifactError(f"spec `{asked}` not found", path=asked, hint=hint or "write one with `reviewloop plan`")
    path = real_path(real, found)
    if (real / path).is_file():
        return Spec(root=real, folder=str(PurePosixPath(path).parent), files=(path,))
    return Spec(root=real, folder=path, files=tuple(_files(real, path)))


def reopen_spec(root: Path, folder: str, file: str) -> Spec:
    """Return the spec of a recorded task, by its folder and its file."""
    real = Path(os.path.realpath(root))
    with suppress(ArtifactError):
        if file in (files := tuple(_files(real, folder))):
            return Spec(root=real, folder=folder, files=files)
    return Spec(root=real, folder=folder, files=(file,))


def _files(root: Path, folder: str) -> list[str]:
    if (root / folder / LIST).is_file():
        return [f"{folder}/{LIST}"]
    here = [path for path in documents_below(root, folder, Scope()).paths if str(PurePosixPath(path).parent) == folder]
    tasks = [path for path in here if _is_task_file(root, path)]
    if not tasks:
        raise ArtifactError(f"{folder} has neither {LIST} nor task files", path=folder, hint="write the tasks first")
    return tasks


def _is_task_file(root: Path, path: str) -> bool:
    try:
        text = decoded(path, opened(root, path, most=Limits().file).data)
    except (ArtifactError, WorkspaceError):
        return False
    return text.startswith("---") and "\ntask:" in text and guess_kind(path, text) is Kind.TASKS


def _known(root: Path) -> Iterator[Path]:
    for folder in FOLDERS:
        if (root / folder).is_dir():
            yield from (path for path in (root / folder).iterdir() if path.is_dir() and not path.name.startswith("."))


def _above(file: str) -> Sequence[str]:
    """Return the paths at which a folder of task files has its spec: two folders up, named like the folder."""
    folder = PurePosixPath(file).parent
    name, above = folder.name.upper(), folder.parent.parent
    return [str(above / f"{stem}.md") for stem in (name, f"SPEC-{name}")]
