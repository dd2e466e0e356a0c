"""The living plan: a task table in a design document that shows the state of each task."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import ClassVar

from reviewloop.core.session.events import Event
from reviewloop.core.session.history import History
from reviewloop.views.atomic_files import replace_text
from reviewloop.views.markdown_tables import Broken
from reviewloop.views.plan_row import plan_names, plan_row, row_names
from reviewloop.views.plan_table import Plan, plans_in, with_row
from reviewloop.views.write_lock import write_lock


class LivingPlan:
    """Updates the row of each session and changes nothing else in the document.

    Args:
        root: The project's folder.
        pattern: The document's path; `{name}` stands for a feature's name.
        lock: A lock file beside the ledger, so that two processes keep each other's changes.
    """

    label: ClassVar[str] = "the living plan"

    def __init__(self, root: Path, pattern: str, lock: Path) -> None:
        self._root = root
        self._pattern = pattern
        self._lock = lock

    async def notice(self, session: str, history: History, events: Sequence[Event]) -> None:
        del session, events
        path = self._path(history)
        if path is None or _is_reviewed(path, history):
            return
        with write_lock(self._lock):
            self._update(path, history)

    def _path(self, history: History) -> str | None:
        """The plan that may have a row for this session; None if there is no such file."""
        if "{name}" not in self._pattern:
            return self._pattern
        paths = [self._pattern.replace("{name}", name) for name in plan_names(history)]
        return next((path for path in paths if (self._root / path).is_file()), None)

    def _update(self, path: str, history: History) -> None:
        file = Path(os.path.realpath(self._root / path))
        try:
            old = file.read_bytes().decode("utf-8")
            new = with_row(old, row_names(history), plan_row(history))
        except FileNotFoundError:
            raise OSError(f"{path} does not exist") from None
        except (Broken, UnicodeDecodeError) as error:
            raise OSError(f"{path} was not changed: {error}") from error
        commission = history.started.commission
        if new is None and commission and commission.plan_row:
            raise OSError(f"{path} was not changed: its task table has no row {commission.plan_row}")
        if new is not None and new != old:
            replace_text(file, new)


def read_plans(root: Path, pattern: str) -> list[Plan]:
    """The task tables of all plan files that exist."""
    texts = {path: (root / path).read_text(encoding="utf-8", errors="replace") for path in plan_files(root, pattern)}
    return [plan for path, text in texts.items() for plan in plans_in(path, text)]


def plan_files(root: Path, pattern: str) -> list[str]:
    """The plan files that exist; none if the pattern is empty."""
    if "{name}" not in pattern:
        return [pattern] if (root / pattern).is_file() else []
    return sorted(path.relative_to(root).as_posix() for path in root.glob(pattern.replace("{name}", "*")))


def _is_reviewed(path: str, history: History) -> bool:
    """Whether the session reviews the plan itself: an update would change the text under review."""
    plan = PurePosixPath(path)
    return any(plan.is_relative_to(reviewed) for reviewed in history.started.paths)
