"""The living plan: the task table of a design document shows where each task stands."""

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
from reviewloop.views.write_lock import one_at_a_time


class LivingPlan:
    """Keeps the row of each session up to date, whoever else writes in the document, and whoever's row is next to it.

    Args:
        root: The project.
        pattern: The document's path; `{name}` in it stands for a feature.
        lock: Beside the ledger, so that two processes do not lose each other's cells.
    """

    called: ClassVar[str] = "the living plan"

    def __init__(self, root: Path, pattern: str, lock: Path) -> None:
        self._root = root
        self._pattern = pattern
        self._lock = lock

    async def notice(self, session: str, history: History, events: Sequence[Event]) -> None:
        del session, events
        path = self._path(history)
        if path is None or _is_reviewed(path, history):
            return
        with one_at_a_time(self._lock):
            self._update(path, history)

    def _path(self, history: History) -> str | None:
        """The plan with this session's row, if there can be one."""
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
            raise OSError(f"{path} is not there") from None
        except (Broken, UnicodeDecodeError) as error:
            raise OSError(f"{path} is left as it is: {error}") from error
        commission = history.started.commission
        if new is None and commission and commission.plan_row:
            raise OSError(f"{path} is left as it is: no row of its task table is called {commission.plan_row}")
        if new is not None and new != old:
            replace_text(file, new)


def read_plans(root: Path, pattern: str) -> list[Plan]:
    """The task tables of all plans that are there and can be read."""
    texts = {path: (root / path).read_text(encoding="utf-8", errors="replace") for path in plan_files(root, pattern)}
    return [plan for path, text in texts.items() for plan in plans_in(path, text)]


def plan_files(root: Path, pattern: str) -> list[str]:
    """The plans that are there; none without a pattern."""
    if "{name}" not in pattern:
        return [pattern] if (root / pattern).is_file() else []
    return sorted(path.relative_to(root).as_posix() for path in root.glob(pattern.replace("{name}", "*")))


def _is_reviewed(path: str, history: History) -> bool:
    """Whether the plan is what the session itself is about: then a cell would change what is being reviewed."""
    plan = PurePosixPath(path)
    return any(plan == PurePosixPath(one) or PurePosixPath(one) in plan.parents for one in history.started.paths)
