"""The documents around a document, among which are the ones it builds on."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.scope import Scope
from reviewloop.documents.folder import upstream_of
from reviewloop.workspace.documents import documents_below
from reviewloop.workspace.source import Upstream

_SPEC_FOLDERS = ("specs", "openspec", ".kiro")


class Surroundings:
    """Listings of a project's folders, each made once, however many documents ask for it."""

    def __init__(self, root: Path, listed: Iterable[str] = ()) -> None:
        self._root = root
        self._listing = set(listed)
        self._walked: set[str] = set()
        self._beside: set[str] = set()

    def upstream(self, documents: Iterable[tuple[str, Kind]]) -> tuple[Upstream, ...]:
        """What the documents build on that is not one of them, by the conventions of spec folders."""
        own = dict(documents)
        found = {
            above.path: Upstream(kind=above.kind, path=above.path)
            for path, kind in own.items()
            for above in upstream_of(path, self._around(path), kind)
            if above.path not in own
        }
        return tuple(found.values())

    def _around(self, document: str) -> Collection[str]:
        *folders, _ = document.split("/")
        depth = next((number for number, part in enumerate(folders, 1) if part in _SPEC_FOLDERS), None)
        self._walk("docs/prd")
        if depth:
            self._walk("/".join(folders[:depth]))
        self._look_beside("/".join(folders))
        return self._listing

    def _walk(self, folder: str) -> None:
        if folder in self._walked:
            return
        self._walked.add(folder)
        if (self._root / folder).is_dir():
            self._listing.update(documents_below(self._root, folder, Scope()).paths)

    def _look_beside(self, folder: str) -> None:
        if folder in self._beside:
            return
        self._beside.add(folder)
        prefix = f"{folder}/" if folder else ""
        self._listing.update(f"{prefix}{path.name}" for path in (self._root / folder).glob("*.md") if path.is_file())
