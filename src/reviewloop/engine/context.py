"""The parts that a session works with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from reviewloop.core.session.events import Event
from reviewloop.core.session.history import History
from reviewloop.core.types.artifact import Artifact
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.review import Stage
from reviewloop.core.types.verification import Verification
from reviewloop.ports import Agent, Clock, Ledger, Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Briefing:
    """The context in agents' prompts: the Standards, the memory, and the task with its acceptance criteria.

    `stage_memory` replaces `memory` for the reviewers of a stage.
    """

    standards: str = ""
    memory: str = ""
    stage_memory: Mapping[Stage, str] = field(default_factory=dict[Stage, str])
    task: str = ""
    acceptance_criteria: tuple[str, ...] = ()

    def memory_of(self, stage: Stage | None) -> str:
        return self.stage_memory.get(stage, self.memory) if stage else self.memory


class Observer(Protocol):
    """Watches a session: a view, a progress display, a dashboard. Called after events are on disk."""

    async def notice(self, session: str, history: History, events: Sequence[Event]) -> None: ...


Rules = Callable[[Artifact], Awaitable[tuple[Finding, ...]]]


def _ignore(_: str) -> None:
    return None


def _nothing(_: str) -> bool:
    return False


async def no_rules(_: Artifact) -> tuple[Finding, ...]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionContext:
    """The parts of one session."""

    agents: Callable[[str], Agent]
    ledger: Ledger
    workspace: Workspace
    clock: Clock
    rules: Rules = no_rules
    briefing: Briefing = field(default_factory=Briefing)
    observers: tuple[Observer, ...] = ()
    protected: Path | None = None
    first_version: Workspace | None = None
    """The workspace in which an author writes the first version."""
    delivery: Callable[[], AbstractAsyncContextManager[None]] = nullcontext
    """Held while a first version is brought back, so that parallel authors deliver one after the other."""
    identity: Callable[[str], str] = str
    """Identifies an agent beyond its name, such as by a digest of its settings."""
    verify: Callable[[], Awaitable[Verification]] | None = None
    """Runs the task's verify command in the user's tree."""
    is_record: Callable[[str], bool] = _nothing
    """Whether a file says who reviewed or wrote what. An arbiter's copy does not contain it."""
    warn: Callable[[str], None] = _ignore
    """Reports problems that do not end the session, such as an observer that fails."""
