"""The spec folder of a session with the profile `phases`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from reviewloop.core.session.history import History


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecFolder:
    """The folder with a feature's documents, and the path of its progress file."""

    name: str
    path: str
    progress: Path


def spec_folder(root: Path, pattern: str, history: History) -> SpecFolder | None:
    """The folder of a session's document; None if the progress file does not belong there."""
    commission = history.started.commission
    if history.policy.profile != "phases":
        return None
    if commission and commission.origin:
        return progress_of(root, pattern, PurePosixPath(commission.origin.folder))
    if len(history.started.paths) != 1:
        return None
    return progress_of(root, pattern, PurePosixPath(history.started.paths[0]).parent)


def progress_of(root: Path, pattern: str | None, folder: PurePosixPath) -> SpecFolder | None:
    """The spec folder at this path; None if the pattern is empty or puts the progress file elsewhere."""
    progress = root / pattern.replace("{name}", folder.name) if pattern else None
    if progress is None or not folder.name or progress.parent != root / folder:
        return None
    return SpecFolder(name=folder.name, path=str(folder), progress=progress)
