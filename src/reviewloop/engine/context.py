"""Everything a runner works with, in one place."""

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
    """What agents are told beside the artifact: the Standards, memory, and what a task is and when it is done.

    `stage_memory` is what the reviewers of a stage are told instead of `memory`.
    """

    standards: str = ""
    memory: str = ""
    stage_memory: Mapping[Stage, str] = field(default_factory=dict[Stage, str])
    task: str = ""
    acceptance_criteria: tuple[str, ...] = ()

    def memory_of(self, stage: Stage | None) -> str:
        return self.stage_memory.get(stage, self.memory) if stage else self.memory


class Observer(Protocol):
    """Somebody who watches a session: views, progress, a dashboard. Called after events are on record."""

    async def notice(self, session: str, history: History, events: Sequence[Event]) -> None: ...


Rules = Callable[[Artifact], Awaitable[tuple[Finding, ...]]]


def _ignore(_: str) -> None:
    return None


async def no_rules(_: Artifact) -> tuple[Finding, ...]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionContext:
    """The parts, put together for one session."""

    agents: Callable[[str], Agent]
    ledger: Ledger
    workspace: Workspace
    clock: Clock
    rules: Rules = no_rules
    briefing: Briefing = field(default_factory=Briefing)
    observers: tuple[Observer, ...] = ()
    protected: Path | None = None
    first_version: Workspace | None = None
    """Where an author writes what is not there yet."""
    delivery: Callable[[], AbstractAsyncContextManager[None]] = nullcontext
    """Held while a first version is brought back: several authors at work deliver one after the other."""
    identity: Callable[[str], str] = str
    """What tells one agent from another of the same name: a digest of its settings, say."""
    verify: Callable[[], Awaitable[Verification]] | None = None
    """Runs the task's own check on what is in the user's tree."""
    warn: Callable[[str], None] = _ignore
    """Told of problems that end nothing, such as an observer that fails."""
