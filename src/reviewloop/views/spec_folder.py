"""Which spec folder a session is about, if its profile is the one of phases."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from reviewloop.review.history import History


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecFolder:
    """A folder with a feature's documents in it, and where its progress file is."""

    name: str
    path: str
    progress: Path


def spec_folder(root: Path, pattern: str, history: History) -> SpecFolder | None:
    """The folder of a session's document, if the progress file belongs into it."""
    if history.policy.profile != "phases" or len(history.started.paths) != 1:
        return None
    folder = PurePosixPath(history.started.paths[0]).parent
    progress = root / pattern.replace("{name}", folder.name)
    if not folder.name or progress.parent != root / folder:
        return None
    return SpecFolder(name=folder.name, path=str(folder), progress=progress)
