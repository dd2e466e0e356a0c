"""What the engine needs of the world: four small protocols and the values they exchange."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from reviewloop.core.session.events import Draft, Event
from reviewloop.core.types.artifact import Artifact
from reviewloop.core.types.calls import FileChange
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.review import Review, Stage, Usage
from reviewloop.core.types.rubric import Rubric

MEMORY_BOOK = "@memory"
"""Under this name a ledger keeps what people tell the memory outside of any session."""


class Role(StrEnum):
    """What an agent is asked to be: a reviewer reads, an author edits."""

    REVIEW = "review"
    AUTHOR = "author"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One question to one agent.

    `key` names the call; the same key is the same call after a crash. `directory` is the agent's own copy of the
    project, None if it has no use for files. `protected` is the user's tree, which the agent must not write to.
    `marker` is the token that fences the prompt's material, and the files in an answer of an author without hands.
    `whole_prompt` writes the question with all of the text, if `prompt` leaves out what this agent has reviewed before.
    """

    key: str
    agent: str
    role: Role
    prompt: str
    session: str
    iteration: int
    artifact: Artifact
    rubric: Rubric
    stage: Stage | None = None
    subagent_type: str = "general-purpose"
    directory: Path | None = None
    protected: Path | None = None
    timeout: float = 600.0
    turns: int | None = None
    model: str | None = None
    answer_schema: Mapping[str, Any] | None = None
    facts: tuple[Finding, ...] = ()
    marker: str = ""
    whole_prompt: Callable[[], str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer.

    `review` is set by an agent that speaks our types itself and needs no dialect (the offline rules). `edits` are new
    texts by path, from an author that has no hands of its own; None as a text deletes the file. `answered_by` is the
    agent that answered, if it was not the one that was asked.
    """

    text: str
    usage: Usage = field(default_factory=Usage)
    model: str | None = None
    version: str | None = None
    agent_session: str | None = None
    review: Review | None = None
    edits: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"])
    denials: tuple[str, ...] = ()
    answered_by: str | None = None


@runtime_checkable
class Agent(Protocol):
    """Anything that can be asked and answers. Raises `AgentError` if there is no answer."""

    @property
    def edits_files(self) -> bool:
        """Whether it works on files, and so needs a directory of its own."""
        ...

    async def ask(self, job: Job) -> Reply: ...


@runtime_checkable
class Probed(Protocol):
    """An agent that can be looked at without being asked."""

    async def probe(self) -> str:
        """Say what was found, such as a program's path. Raises `AgentError` if it could not be asked."""
        ...


@runtime_checkable
class Queued(Protocol):
    """An agent that may have to be waited for."""

    def turn(self) -> AbstractAsyncContextManager[None]:
        """Wait until it may be asked. The time this takes is not the call's."""
        ...


@runtime_checkable
class HidesFiles(Protocol):
    """An agent that must not see every file."""

    def hides(self, path: str) -> bool:
        """Whether a file of the project must not be in the agent's copy."""
        ...


def turn_of(agent: Agent) -> AbstractAsyncContextManager[None]:
    """An agent's turn; at once for one that is never waited for."""
    return agent.turn() if hasattr(agent, "turn") and isinstance(agent, Queued) else nullcontext()


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionHead:
    """One line of the ledger's table of contents."""

    session: str
    feature: str
    events: int
    started: datetime
    updated: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """Who works on a session."""

    name: str
    owner: str
    pid: int
    host: str
    expires: datetime


class Ledger(Protocol):
    """The append-only record. Events of one session count from 1 without gaps."""

    async def append(
        self, session: str, expected: int, drafts: Sequence[Draft], blobs: Mapping[str, bytes] | None = None
    ) -> list[Event]:
        """Append all drafts or none, with the texts they refer to by digest.

        `expected` is the number of events the session has; if it has another, `AppendConflict` is raised and nothing is
        written. When this returns, the events are on disk.
        """
        ...

    async def read(self, session: str, after: int = 0) -> list[Event]:
        """The session's events with `seq > after`, in order."""
        ...

    async def feed(self, after: int = 0, limit: int = 1000) -> list[tuple[int, Event]]:
        """Events of all sessions in the order they were written, each with its position.

        One that cannot be read ends the page before it, or is raised as `DamagedRecord` with its position.
        """
        ...

    async def heads(self, feature: str | None = None) -> list[SessionHead]:
        """All sessions, or those of one feature, the one written to last first. `MEMORY_BOOK` is none."""
        ...

    async def blob(self, digest: str) -> bytes | None: ...

    def hold(self, name: str) -> AbstractAsyncContextManager[Hold]:
        """Be the one writer of the sessions with this name, kept alive by a heartbeat; else `SessionHeld`."""
        ...

    async def holder(self, name: str) -> Hold | None:
        """Who works on it now, if anybody alive does."""
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Tampering:
    """Files that changed during a review. `where` is `copy` (the reviewer's own) or `tree` (the user's)."""

    where: str
    paths: tuple[str, ...]


class ReviewCopy(Protocol):
    """A reviewer's own copy of the project, without anything that agents execute."""

    @property
    def directory(self) -> Path: ...

    async def tampered(self) -> tuple[Tampering, ...]:
        """What changed since the copy was made, in it or in the user's artifact."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What an author did in its scratch workspace."""

    changes: tuple[FileChange, ...] = ()
    refused: tuple[str, ...] = ()
    blobs: Mapping[str, bytes] = field(default_factory=dict[str, bytes])


class Scratch(Protocol):
    """An author's own copy of the project."""

    @property
    def directory(self) -> Path | None: ...

    async def write(self, edits: Mapping[str, str | None]) -> None:
        """Do for an author without hands what it asked for."""
        ...

    async def work(self) -> Work:
        """What changed, split into what may be brought back and what may not."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Somebody changed these files meanwhile; the author's versions are kept at `kept_at`."""

    paths: tuple[str, ...]
    kept_at: str


class Workspace(Protocol):
    """The artifact in the user's tree, and copies of it for agents."""

    async def read(self) -> Artifact:
        """The artifact as it is now. Raises `ArtifactError`."""
        ...

    def review_copy(
        self, artifact: Artifact, *, hides: Callable[[str], bool] | None = None
    ) -> AbstractAsyncContextManager[ReviewCopy]:
        """A copy for a reviewer, without the project's files that `hides` says so of."""
        ...

    def scratch(
        self, artifact: Artifact, *, hides: Callable[[str], bool] | None = None
    ) -> AbstractAsyncContextManager[Scratch]:
        """A copy for an author, likewise."""
        ...

    async def bring_back(self, changes: Sequence[FileChange], blobs: Mapping[str, bytes]) -> Conflict | None:
        """Put an author's changes into the user's tree, all or none.

        Safe to repeat after a crash: what is already there is left alone. If a file is neither as the author found it
        nor as the author left it, nothing is changed and the author's versions are kept aside.
        """
        ...


class Clock(Protocol):
    """Time, and what else is different every time."""

    def now(self) -> datetime: ...

    def marker(self) -> str:
        """A token nobody can guess."""
        ...

    async def sleep(self, seconds: float) -> None: ...
