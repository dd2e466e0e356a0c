"""Which documents of a project are reviewed, and what kind the project says they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from reviewloop.core.types.artifact import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The project's own choice of documents, as patterns of paths.

    With `include`, a folder stands for the documents that match one of its patterns. `exclude` leaves documents out of
    folders. Both are for folders: a file that is named is always reviewed. `kinds` says what kind a document is.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    kinds: Mapping[str, Kind] = field(default_factory=dict[str, Kind])

    def covers(self, path: str) -> bool:
        if any(matches(path, pattern) for pattern in self.exclude):
            return False
        return not self.include or any(matches(path, pattern) for pattern in self.include)

    def kind_of(self, path: str) -> Kind | None:
        """The kind that the last matching pattern gives a document."""
        return next((kind for pattern, kind in reversed(list(self.kinds.items())) if matches(path, pattern)), None)


def matches(path: str, pattern: str) -> bool:
    """Whether a path, or the end of it, matches a pattern. `docs/` and `docs/**` stand for everything below docs."""
    wanted = pattern.removeprefix("./")
    wanted = f"{wanted}**" if wanted.endswith("/") else wanted
    below = wanted.removesuffix("**") if wanted.endswith("/**") else f"{wanted}/"
    if path.startswith(below) or f"/{below}" in f"/{path}":
        return True
    return fnmatchcase(path, wanted) or fnmatchcase(path, f"*/{wanted}")
