"""Read-only access to the project's files for the rules, never outside its root."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol

MAX_BYTES = 1_000_000


class Repository(Protocol):
    """Read-only access to a project. Paths are relative to its root and use forward slashes."""

    @property
    def known(self) -> bool:
        """False without a project; rules about files then do not run."""
        ...

    def exists(self, path: str) -> bool: ...

    def is_file(self, path: str) -> bool: ...

    def inside(self, path: str) -> bool:
        """Whether the path stays inside the project."""
        ...

    def line_count(self, path: str) -> int | None:
        """The number of lines; None if the file does not exist or is too large."""
        ...

    def read(self, path: str) -> str | None:
        """The text of a small file such as a manifest; None if it does not exist or is too large."""
        ...

    def names(self, path: str) -> tuple[str, ...]:
        """The sorted names in a directory; empty if it is not one."""
        ...


class NoRepository:
    """Stands in for a repository when there is none."""

    known = False

    def exists(self, path: str) -> bool:  # noqa: ARG002 - the answer is the same for all
        return False

    def is_file(self, path: str) -> bool:  # noqa: ARG002
        return False

    def inside(self, path: str) -> bool:  # noqa: ARG002
        return True

    def line_count(self, path: str) -> int | None:  # noqa: ARG002
        return None

    def read(self, path: str) -> str | None:  # noqa: ARG002
        return None

    def names(self, path: str) -> tuple[str, ...]:  # noqa: ARG002
        return ()


class Directory:
    """A project on disk. Links to paths outside it count as missing. Path lookups are cached."""

    known = True

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._resolved: dict[str, Path | None] = {}

    def exists(self, path: str) -> bool:
        return self._resolve(path) is not None

    def is_file(self, path: str) -> bool:
        found = self._resolve(path)
        return found is not None and found.is_file()

    def inside(self, path: str) -> bool:
        return self._within(Path(os.path.normpath(self._root / path)))

    def line_count(self, path: str) -> int | None:
        data = self._bytes(path)
        return None if data is None else data.count(b"\n") + (not data.endswith(b"\n") and bool(data))

    def read(self, path: str) -> str | None:
        data = self._bytes(path)
        return None if data is None else data.decode("utf-8", "replace")

    def names(self, path: str) -> tuple[str, ...]:
        found = self._resolve(path)
        if found is None or not found.is_dir():
            return ()
        try:
            return tuple(sorted(entry.name for entry in found.iterdir()))
        except OSError:
            return ()

    def _bytes(self, path: str) -> bytes | None:
        found = self._resolve(path)
        if found is None or not found.is_file():
            return None
        try:
            with found.open("rb") as file:
                data = file.read(MAX_BYTES + 1)
        except OSError:
            return None
        return data if len(data) <= MAX_BYTES else None

    def _resolve(self, path: str) -> Path | None:
        if path not in self._resolved:
            try:
                found = (self._root / path).resolve(strict=True)
            except (OSError, RuntimeError, ValueError):
                found = None
            self._resolved[path] = found if found and self._within(found) else None
        return self._resolved[path]

    def _within(self, path: Path) -> bool:
        return path == self._root or self._root in path.parents


def repository_at(root: Path) -> Repository:
    """The project at `root`, if a `.git` or `reviewloop.yml` marks it as one."""
    return Directory(root) if any((root / mark).exists() for mark in (".git", "reviewloop.yml")) else NoRepository()
