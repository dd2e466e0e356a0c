"""Snapshots of the project's files, kept where neither our clean-up nor an agent's removes them."""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path

from reviewloop.core.types.artifact import digest_of
from reviewloop.errors import WorkspaceError
from reviewloop.private_files import make_folders
from reviewloop.temporary import folder_path, make_folder, remove_folder
from reviewloop.workspace import git
from reviewloop.workspace.author_changes import Before
from reviewloop.workspace.directory_state import scan
from reviewloop.workspace.file_listing import Caps, Listing, list_project
from reviewloop.workspace.project_copy import CopiedFile, Copier
from reviewloop.workspace.safe_folders import content_of

FOLDERS = ".reviewloop/snapshots"


def take(root: Path, caps: Caps) -> str:
    """Save the project's files, and return a name for `load`.

    In git, the snapshot is a tree object, written through a separate index. The user's index and stash are untouched.
    """
    listing = list_project(root, caps)
    if not listing.complete:
        raise WorkspaceError(
            "the project is too large for a snapshot, so an author cannot work in place",
            hint="add build products to .gitignore, or let the author work on a copy",
        )
    return f"tree:{_tree(root, listing)}" if git.is_repository(root) else f"folder:{_folder(root, listing)}"


def load(root: Path, snapshot: str) -> Before:
    kind, _, name = snapshot.partition(":")
    return _load_tree(root, name) if kind == "tree" else _load_folder(root / FOLDERS / name)


def _tree(root: Path, listing: Listing) -> str:
    modes = {path: git.EXECUTABLE if path in listing.executable else git.REGULAR for path in listing.files}
    # Without filters, so that no program of the repository runs and every byte is kept.
    names = b"".join(_quoted(path) + b"\n" for path in modes)
    objects = _run_git(root, "hash-object", "-w", "--no-filters", "--stdin-paths", stdin=names).line.split()
    entries = [(mode, blob, path) for (path, mode), blob in zip(modes.items(), objects, strict=True)]
    for path, target in listing.links.items():
        link = _run_git(root, "hash-object", "-w", "--stdin", stdin=os.fsencode(target)).line
        entries.append((git.LINK, link, path))
    lines = b"".join(f"{mode:o} {blob}\t".encode() + os.fsencode(path) + b"\0" for mode, blob, path in entries)
    folder = make_folder(folder_path(root))
    try:
        _run_git(root, "update-index", "-z", "--index-info", stdin=lines, index=folder / "index")
        return _run_git(root, "write-tree", index=folder / "index").line
    finally:
        remove_folder(folder)


def _quoted(path: str) -> bytes:
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return b'"' + os.fsencode(escaped) + b'"'


def _run_git(root: Path, *arguments: str, stdin: bytes = b"", index: Path | None = None) -> git.Answer:
    answer = git.ask(root, *arguments, stdin=stdin, index=index)
    if not answer.ok:
        raise WorkspaceError(f"the snapshot failed: {answer.words}", hint="check the repository with `git fsck`")
    return answer


def _load_tree(root: Path, tree: str) -> Before:
    listed = git.tree_files(root, tree)
    if listed is None:
        raise _missing(f"tree {tree}")
    objects = {file.path: file.object for file in listed}
    files: dict[str, CopiedFile] = {}
    links: dict[str, str] = {}
    for file, data in zip(listed, git.contents(root, list(objects.values())), strict=True):
        if data is None:
            raise _missing(f"{file.path} of tree {tree}")
        if file.mode == git.LINK:
            links[file.path] = os.fsdecode(data)
        else:
            executable = file.mode == git.EXECUTABLE
            files[file.path] = CopiedFile(digest=digest_of(data), size=len(data), executable=executable)
    return Before(files=files, links=links, original=lambda path: next(git.contents(root, [objects[path]])))


def _folder(root: Path, listing: Listing) -> str:
    name = secrets.token_hex(8)
    directory = root / FOLDERS / name
    try:
        make_folders(directory)
        if not Copier(root, directory).project(listing):
            raise WorkspaceError("the snapshot failed: a file cannot be read", hint="make the files readable")
        for path, target in listing.links.items():
            (directory / path).parent.mkdir(parents=True, exist_ok=True)
            (directory / path).symlink_to(target)
    except OSError as error:
        raise WorkspaceError(f"the snapshot failed: {error.strerror}", hint="free some disk space") from error
    return name


def _load_folder(directory: Path) -> Before:
    state = scan(directory, frozenset())
    if state.closed:
        raise _missing(str(directory))
    contents = {path: content_of(directory, path) for path in state.files}
    return Before(
        files={
            path: CopiedFile(digest=digest_of(content.data), size=len(content.data), executable=content.executable)
            for path, content in contents.items()
            if content
        },
        links={path: os.readlink(directory / path) for path in state.links},  # noqa: PTH115 - keeps the target as it is written
        original=lambda path: content.data if (content := content_of(directory, path)) else None,
    )


def _missing(part: str) -> WorkspaceError:
    return WorkspaceError(f"the snapshot no longer exists: {part}", hint="start a new session")


def discard(root: Path, snapshot: str) -> None:
    """Delete a snapshot folder. Git removes unused objects itself after some weeks."""
    kind, _, name = snapshot.partition(":")
    if kind == "folder":
        shutil.rmtree(root / FOLDERS / name, ignore_errors=True)
