"""Lets an author work in the user's own tree, after a snapshot, because it needs what is installed there."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from reviewloop.core.types.artifact import digest_of
from reviewloop.core.types.calls import FileChange
from reviewloop.errors import WorkspaceError
from reviewloop.ports import Work
from reviewloop.workspace.allowed_changes import Permit
from reviewloop.workspace.author_changes import find_work
from reviewloop.workspace.author_copy import with_refused
from reviewloop.workspace.bring_back import bring_back
from reviewloop.workspace.directory_state import DirectoryState
from reviewloop.workspace.file_listing import Caps, list_project
from reviewloop.workspace.files import Limits
from reviewloop.workspace.replace import drop, move, stage
from reviewloop.workspace.safe_folders import content_of
from reviewloop.workspace.snapshot import discard, load, take
from reviewloop.workspace.threads import in_thread
from reviewloop.workspace.whole_file_edits import encode_like, may_write

RECORDS = ".reviewloop/in-place"


def record_of(key: str) -> str:
    return f"{RECORDS}/{key}"


def end_record(root: Path, key: str) -> None:
    """Remove the snapshot and its record, so that the next author starts from a new snapshot."""
    if recorded := content_of(root, record_of(key)):
        (root / record_of(key)).unlink(missing_ok=True)
        discard(root, _Record.read(recorded.data).snapshot)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Record:
    """What is known of the tree as it was: a snapshot's name, and the permission bits that no snapshot keeps."""

    snapshot: str
    modes: Mapping[str, int]

    @classmethod
    def read(cls, data: bytes) -> _Record:
        snapshot, _, modes = data.decode("utf-8", "surrogateescape").partition("\n")
        return cls(snapshot=snapshot, modes=json.loads(modes) if modes else {})

    def write(self) -> bytes:
        return f"{self.snapshot}\n{json.dumps(self.modes)}".encode("utf-8", "surrogateescape")


class InPlace:
    """The user's tree as an author's workspace.

    The snapshot's name is recorded before the author starts, and removed when its work is in the ledger and brought
    back. If the name is still recorded at the next start, an author was interrupted: its partial work stays, and the
    next author's result is compared with that first snapshot.
    """

    def __init__(self, root: Path, key: str, permit: Permit, limits: Limits, caps: Caps) -> None:
        self._root = root
        self._record = record_of(key)
        self._permit = permit
        self._limits = limits
        self._caps = caps
        self._refused: frozenset[str] = frozenset()
        recorded = content_of(root, self._record)
        self.interrupted = recorded is not None
        self._before = _Record.read(recorded.data) if recorded else self._begin()

    @property
    def directory(self) -> Path:
        return self._root

    @property
    def snapshot(self) -> str:
        return self._before.snapshot

    async def write(self, edits: Mapping[str, str | None]) -> None:
        self._refused |= frozenset(path for path in edits if not may_write(path))
        await in_thread(self._write, {path: text for path, text in edits.items() if path not in self._refused})

    async def work(self) -> Work:
        return with_refused(await in_thread(self._work), self._refused)

    def _begin(self) -> _Record:
        snapshot = take(self._root, self._caps)
        modes = {
            path: os.lstat(self._root / path).st_mode & 0o777 for path in list_project(self._root, self._caps).files
        }
        record = _Record(snapshot=snapshot, modes=modes)
        data = record.write()
        staged = stage(self._root, FileChange(path=self._record, before=None, after=digest_of(data)), data)
        move(self._root, staged)
        drop(self._root, staged)
        return record

    def _work(self) -> Work:
        listing = list_project(self._root, self._caps)
        if not listing.complete:
            raise WorkspaceError(
                "the author left more files than can be compared with the snapshot",
                hint=f"remove generated files, or add them to .gitignore; the snapshot is {self.snapshot}",
            )
        state = DirectoryState(
            files={path: os.lstat(self._root / path) for path in listing.files},
            links={path: os.lstat(self._root / path) for path in listing.links},
        )
        before = replace(load(self._root, self.snapshot), mode=self._before.modes.get)
        return find_work(self._root, self._root, before, state, self._permit, self._limits)

    def _write(self, edits: Mapping[str, str | None]) -> None:
        changes: list[FileChange] = []
        blobs: dict[str, bytes] = {}
        for path, text in edits.items():
            content = content_of(self._root, path.removeprefix("./"))
            data = None if text is None else encode_like(content.data if content else None, text)
            changes.append(
                FileChange(
                    path=path.removeprefix("./"),
                    before=digest_of(content.data) if content else None,
                    after=None if data is None else digest_of(data),
                    executable=content.executable if content else False,
                )
            )
            blobs |= {} if data is None else {digest_of(data): data}
        if conflict := bring_back(self._root, changes, blobs):
            raise WorkspaceError(
                f"{', '.join(conflict.paths)} could not be written in place",
                hint=f"the author's versions are at {conflict.kept_at}",
            )
