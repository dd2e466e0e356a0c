"""Lists the files of a project that agents may see."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from reviewloop.errors import WorkspaceError
from reviewloop.workspace import git
from reviewloop.workspace.reserved_names import NOT_ENTERED, never_copied, never_copied_name, stays_inside


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """The largest project that is copied as a whole. Outside git, no list says which files belong to it."""

    files: int = 20_000
    size: int = 200_000_000
    files_outside_git: int = 2_000
    size_outside_git: int = 50_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Files, each with its object in git if it is from a commit, and links with their targets."""

    files: Mapping[str, str] = field(default_factory=dict[str, str])
    links: Mapping[str, str] = field(default_factory=dict[str, str])
    executable: frozenset[str] = frozenset()
    complete: bool = True

    def without(self, hides: Callable[[str], bool]) -> Listing:
        """Return the listing without hidden files."""
        files = {path: stored for path, stored in self.files.items() if not hides(path)}
        links = {path: target for path, target in self.links.items() if not hides(path)}
        return replace(self, files=files, links=links)


TOO_LARGE = Listing(complete=False)


def list_project(root: Path, caps: Caps) -> Listing:
    """List the project's current files, or none if they are too many."""
    listed = git.listed_files(root)
    if listed:
        return _counted(root, listed, files=caps.files, size=caps.size)
    return _counted(root, _walked(root), files=caps.files_outside_git, size=caps.size_outside_git)


def list_commit(root: Path, commit: str, caps: Caps) -> Listing:
    """List the project's files in a commit."""
    tree = git.tree_files(root, f"{commit}:./")
    if tree is None:
        raise WorkspaceError(f"commit {commit} no longer exists", hint="fetch it again, or start with another range")
    kept = [file for file in tree if _is_for_agents(file.path)]
    regular = [file for file in kept if file.mode in (git.REGULAR, git.EXECUTABLE)]
    if len(kept) > caps.files or sum(file.size for file in regular) > caps.size:
        return TOO_LARGE
    links = [file for file in kept if file.mode == git.LINK]
    targets = git.contents(root, [file.object for file in links])
    return Listing(
        files={file.path: file.object for file in regular},
        links={link.path: os.fsdecode(target) for link, target in zip(links, targets, strict=True) if target},
        executable=frozenset(file.path for file in regular if file.mode == git.EXECUTABLE),
    )


def _counted(root: Path, paths: Iterable[str], *, files: int, size: int) -> Listing:
    regular: dict[str, str] = {}
    links: dict[str, str] = {}
    executable: set[str] = set()
    for path in paths:
        if not _is_for_agents(path):
            continue
        try:
            status = os.lstat(f"{root}/{path}")
            if stat.S_ISLNK(status.st_mode):
                links[path] = os.readlink(f"{root}/{path}")  # noqa: PTH115 - keeps the target as it is written
        except OSError:  # git still tracks the deleted file
            continue
        if stat.S_ISREG(status.st_mode):
            regular[path] = ""
            size -= status.st_size
            if status.st_mode & stat.S_IXUSR:
                executable.add(path)
        if size < 0 or len(regular) + len(links) > files:
            return TOO_LARGE
    return Listing(files=regular, links=links, executable=frozenset(executable))


def _is_for_agents(path: str) -> bool:
    # A hostile repository can contain paths with `..`, which git lists unchanged.
    return stays_inside(path) and not never_copied(path)


def _walked(root: Path) -> Iterator[str]:
    for where, folders, files in os.walk(root):
        prefix = os.path.relpath(where, root) + "/" if where != str(root) else ""
        kept = [name for name in folders if name not in NOT_ENTERED and not never_copied_name(name)]
        # Links to folders are listed among the folders, and are not entered.
        yield from (prefix + name for name in kept if os.path.islink(f"{where}/{name}"))  # noqa: PTH114
        folders[:] = sorted(kept)
        yield from (prefix + name for name in sorted(files))
