"""`.ralph-state.json`: another tool's file about a spec folder. Two keys of it are ours to set, the others stay."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from reviewloop.review.events import Event
from reviewloop.review.history import History
from reviewloop.review.outcome import Reason
from reviewloop.views.files import replace_json
from reviewloop.views.spec_folder import spec_folder

NAME = ".ralph-state.json"


class RalphState:
    """Says which phase a feature is in, and whether it waits for a person's approval.

    The file is made for a feature that Reviewloop plans; for others it is kept up to date if it is there.
    """

    def __init__(self, root: Path, pattern: str) -> None:
        self._root = root
        self._pattern = pattern

    async def notice(self, session: str, history: History, events: Sequence[Event]) -> None:
        del session, events
        folder = spec_folder(self._root, self._pattern, history)
        if folder is None:
            return
        path = folder.progress.with_name(NAME)
        if not path.is_file() and not history.started.commission:
            return
        known: dict[str, Any] = _read(path) if path.is_file() else {"name": folder.name, "basePath": folder.path}
        waits = history.stopped is not None and history.stopped.code is Reason.DECISION
        merged = known | {"phase": history.started.kind, "awaitingApproval": waits}
        if merged != known or not path.is_file():
            replace_json(path, merged)


def _read(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise OSError(f"{path} is left as it is, since it is no JSON: {error}") from error
    if not isinstance(value, dict):
        raise OSError(f"{path} is left as it is, since it is no JSON object")
    return cast("dict[str, Any]", value)
