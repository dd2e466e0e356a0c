"""Where sessions stand now: what the record says, whether the work changed since, and whether a process is at work."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from reviewloop.app.catalog import Damaged, SessionState
from reviewloop.app.drift import has_drifted
from reviewloop.app.project import Project
from reviewloop.core.session.history import History
from reviewloop.core.session.session_head import Hold
from reviewloop.core.types.task import Commission


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStatus:
    """A session as it stands. `drifted`: what passed was changed since. `holder`: the process at work on it."""

    state: SessionState
    drifted: bool
    holder: Hold | None

    @property
    def history(self) -> History:
        return self.state.history

    @property
    def label(self) -> str:
        """The outcome in words."""
        outcome = self.history.outcome
        if outcome is None:
            return "running" if self.holder else "undo interrupted" if self.history.undo else "interrupted"
        return str(outcome).replace("_", " ") + (", changed since" if self.drifted else "")

    @property
    def data(self) -> dict[str, Any]:
        from reviewloop.app.session_data import session_object

        return session_object(self.state) | {"drifted": self.drifted, "under_way": self.holder is not None}

    @property
    def next_command(self) -> str | None:
        """The command that takes the session further, if it is interrupted or its text changed since it passed."""
        if self.history.outcome is None:
            command = "undo" if self.history.undo else "resume"
            return None if self.holder else shlex.join(["reviewloop", command, self.history.feature])
        return _review_again(self.history) if self.drifted else None


@dataclass(frozen=True, slots=True, kw_only=True)
class AllStatus:
    """The newest session of every name, and the sessions that cannot be read."""

    sessions: tuple[SessionStatus, ...]
    damaged: tuple[Damaged, ...]


async def session_status(project: Project, name: str) -> SessionStatus:
    return await _status(project, await project.catalog.named(name))


async def all_status(project: Project) -> AllStatus:
    latest = await project.catalog.latest()
    sessions = [await _status(project, state) for state in latest.found]
    return AllStatus(sessions=tuple(sessions), damaged=latest.damaged)


async def _status(project: Project, state: SessionState) -> SessionStatus:
    holder = await project.ledger.holder(state.history.feature)
    return SessionStatus(state=state, drifted=await has_drifted(project, state), holder=holder)


def _review_again(history: History) -> str:
    """The command that reviews the same thing again."""
    started = history.started
    if started.commission:
        return shlex.join(["reviewloop", *_task_again(history, started.commission)])
    span = started.source.get("range")
    what = ["--diff", span["asked"]] if span else list(started.paths)
    return shlex.join(["reviewloop", "run", *what, "--name", history.feature])


def _task_again(history: History, commission: Commission) -> list[str]:
    if commission.feature:
        return ["run", "--prd", history.started.prd_path, "--feature", commission.feature]
    if commission.origin:
        return ["work", "--spec", PurePosixPath(commission.origin.folder).name, "--fresh", commission.origin.number]
    if history.policy.profile == "phases":
        return ["plan", "--name", PurePosixPath(commission.outputs[0]).parent.name]
    return ["work", history.feature]
