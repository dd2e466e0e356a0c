"""The scope of a project: the documents to review, and their kinds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from reviewloop.core.types.artifact import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The project's choice of documents, as path patterns.

    With `include`, a folder contains only the documents that match a pattern; `exclude` leaves documents out. Both
    apply to folders: a named file is always reviewed. `kinds` gives the kind of a document.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    kinds: Mapping[str, Kind] = field(default_factory=dict[str, Kind])

    def covers(self, path: str) -> bool:
        if any(matches(path, pattern) for pattern in self.exclude):
            return False
        return not self.include or any(matches(path, pattern) for pattern in self.include)

    def kind_of(self, path: str) -> Kind | None:
        """The kind of a document, by the last matching pattern."""
        return next((kind for pattern, kind in reversed(list(self.kinds.items())) if matches(path, pattern)), None)


def matches(path: str, pattern: str) -> bool:
    """Whether a path, or the end of it, matches a pattern. `docs/` and `docs/**` match everything below docs."""
    wanted = pattern.removeprefix("./")
    wanted = f"{wanted}**" if wanted.endswith("/") else wanted
    below = wanted.removesuffix("**") if wanted.endswith("/**") else f"{wanted}/"
    if path.startswith(below) or f"/{below}" in f"/{path}":
        return True
    return fnmatchcase(path, wanted) or fnmatchcase(path, f"*/{wanted}")
