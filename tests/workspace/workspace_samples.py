"""Real projects to try the workspace on."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from reviewloop.core.types.artifact import Artifact, Kind, digest_of
from reviewloop.core.types.calls import FileChange
from reviewloop.workspace.project import ProjectWorkspace
from target_helpers import locate, locate_change

SPEC = "# Export\n\nRows are written as CSV.\n"


class Tree:
    """A folder with files, a git repository if it is told so."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.temporary = root.parent / "temporary"
        root.mkdir(exist_ok=True)
        self.temporary.mkdir(exist_ok=True)

    def write(self, path: str, content: str | bytes = SPEC, *, executable: bool = False) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        if executable:
            file.chmod(0o755)
        return file

    def read(self, path: str) -> bytes | None:
        file = self.root / path
        return file.read_bytes() if file.is_file() else None

    def git(self, *arguments: str, stdin: str = "") -> str:
        who = ["-c", "user.name=A Person", "-c", "user.email=person@example.org", "-c", "commit.gpgsign=false"]
        done = subprocess.run(
            ["git", *who, *arguments],
            cwd=self.root,
            input=stdin,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull},
        )
        return done.stdout.strip()

    def commit(self, message: str = "work") -> str:
        if not (self.root / ".git").exists():
            self.git("init", "-q", "-b", "main")
        self.git("add", "-A", "--force")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def workspace(self, *paths: str, kind: Kind = Kind.SPEC, **options: object) -> ProjectWorkspace:
        source = locate(self.root, self.root, paths, kind=kind)
        return ProjectWorkspace(self.root, source, temporary=self.temporary, **options)  # type: ignore[arg-type]

    def change(self, asked: str, **options: object) -> ProjectWorkspace:
        source = locate_change(self.root, self.root, asked)
        return ProjectWorkspace(self.root, source, temporary=self.temporary, **options)  # type: ignore[arg-type]

    def files(self) -> dict[str, bytes]:
        """Everything that is there, except what git keeps for itself and our own note to it."""
        return files_below(self.root)


def files_below(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(root).parts and path != root / ".reviewloop/.gitignore"
    }


def change_of(
    path: str, before: str | bytes | None, after: str | bytes | None, *, executable: bool = False
) -> FileChange:
    return FileChange(
        path=path,
        before=None if before is None else digest_of(before),
        after=None if after is None else digest_of(after),
        executable=executable,
    )


def without_modes(changes: Iterable[FileChange]) -> tuple[FileChange, ...]:
    """The changes without the permission bits, which depend on who runs the tests."""
    return tuple(replace(change, mode_before=None) for change in changes)


def blobs_of(*contents: str | bytes) -> dict[str, bytes]:
    return {digest_of(content): content.encode() if isinstance(content, str) else content for content in contents}


def texts(artifact: Artifact) -> dict[str, str]:
    return {file.path: file.text for file in artifact.files}
