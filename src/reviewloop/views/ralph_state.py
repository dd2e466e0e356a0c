"""`.ralph-state.json`: another tool's file about a spec folder. Reviewloop sets the phase and the progress only."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, cast

from reviewloop.core.session.events import Event
from reviewloop.core.session.history import History
from reviewloop.core.types.outcome import Reason
from reviewloop.views.atomic_files import replace_json
from reviewloop.views.progress_folder import SpecFolder, spec_folder

NAME = ".ralph-state.json"
EXECUTION = "execution"
_ORDER = ("research", "requirements", "design", "tasks", EXECUTION)


class RalphState:
    """Writes the phase of a feature, and whether it waits for a person's approval.

    The file is created for features that Reviewloop plans. For other features, an existing file is updated.
    """

    label: ClassVar[str] = "the feature's state file"

    def __init__(self, root: Path, pattern: str) -> None:
        self._root = root
        self._pattern = pattern

    async def notice(self, session: str, history: History, events: Sequence[Event]) -> None:
        del session
        folder = spec_folder(self._root, self._pattern, history)
        if folder is None:
            return
        path = folder.progress.with_name(NAME)
        if not path.is_file() and not _is_planned(history):
            return
        known: dict[str, Any] = _read(path) if path.is_file() else {"name": folder.name, "basePath": folder.path}
        waits = history.stopped is not None and history.stopped.code is Reason.DECISION
        commission = history.started.commission
        phase = EXECUTION if commission and commission.origin else history.started.kind
        if not events and _is_behind(phase, known.get("phase")):
            return  # a look at an earlier phase, which is over, does not take the feature back to it
        merged = known | {"phase": phase, "awaitingApproval": waits}
        if merged != known or not path.is_file():
            replace_json(path, merged)


def _is_behind(phase: str, known: object) -> bool:
    return phase in _ORDER and known in _ORDER and _ORDER.index(phase) < _ORDER.index(str(known))


def _is_planned(history: History) -> bool:
    commission = history.started.commission
    return commission is not None and commission.origin is None


def advance(folder: SpecFolder, *, index: int, total: int) -> None:
    """Write the index of the first open task, from 0, and the number of tasks, if the file exists."""
    path = folder.progress.with_name(NAME)
    if path.is_file():
        known = _read(path)
        merged = known | {"phase": EXECUTION, "taskIndex": index, "totalTasks": total}
        if merged != known:
            replace_json(path, merged)


def _read(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise OSError(f"{path} was not changed: it is not valid JSON: {error}") from error
    if not isinstance(value, dict):
        raise OSError(f"{path} was not changed: it is not a JSON object")
    return cast("dict[str, Any]", value)
