"""What rules may know of the project around a document. Reading only, never outside the root."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol

MAX_BYTES = 1_000_000


class Repository(Protocol):
    """A read-only look at the project. Paths are relative to its root, with forward slashes."""

    @property
    def known(self) -> bool:
        """False if nothing can be said about files; then rules about files stay silent."""
        ...

    def exists(self, path: str) -> bool: ...

    def is_file(self, path: str) -> bool: ...

    def inside(self, path: str) -> bool:
        """Whether the path stays within the project."""
        ...

    def line_count(self, path: str) -> int | None:
        """None if there is no such file, or it is too large to count."""
        ...

    def read(self, path: str) -> str | None:
        """A small text file such as a manifest; None if there is none."""
        ...

    def names(self, path: str) -> tuple[str, ...]:
        """What a directory holds, sorted; empty if it is none."""
        ...


class Unknown:
    """No repository: nothing is known about files."""

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
    """A project on disk. Links that lead outside are treated as missing; answers are kept for the object's life."""

    known = True

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._seen: dict[str, Path | None] = {}

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
            return tuple(sorted(one.name for one in found.iterdir()))
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
        if path not in self._seen:
            self._seen[path] = self._look(path)
        return self._seen[path]

    def _look(self, path: str) -> Path | None:
        try:
            found = (self._root / path).resolve(strict=True)
        except (OSError, RuntimeError, ValueError):
            return None
        return found if self._within(found) else None

    def _within(self, path: Path) -> bool:
        return path == self._root or self._root in path.parents


def repository_at(root: Path) -> Repository:
    """The project around a document; unknown where nothing says that this is a project."""
    return Directory(root) if any((root / mark).exists() for mark in (".git", "reviewloop.yml")) else Unknown()
