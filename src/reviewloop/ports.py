"""The ports of the engine: small protocols for agents, ledger, workspace and clock, and their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from reviewloop.core.session.events import Draft, Event
from reviewloop.core.session.session_head import Hold, SessionHead
from reviewloop.core.types.artifact import Artifact
from reviewloop.core.types.calls import FileChange
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.review import Review, Stage, Usage
from reviewloop.core.types.rubric import Rubric


class Role(StrEnum):
    """The role of an agent: a reviewer reads, an author edits."""

    REVIEW = "review"
    AUTHOR = "author"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One question to one agent.

    `key` names the call; after a crash, the same key means the same call. `directory` is the agent's own copy of the
    project, None if the agent does not use files. `protected` is the user's tree, which the agent must not write to.
    `marker` is the token that fences the prompt's material, and the files in the answer of an author that cannot edit
    files. `whole_prompt` builds the prompt with the full text, if `prompt` leaves out sections reviewed before.
    `budget` is the session's budget of seconds, if `timeout` is the rest of it. `barred` says why another agent may not
    answer instead, None if it may. `feature` is the session's name.
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
    budget: float | None = None
    turns: int | None = None
    model: str | None = None
    answer_schema: Mapping[str, Any] | None = None
    facts: tuple[Finding, ...] = ()
    marker: str = ""
    whole_prompt: Callable[[], str] | None = None
    barred: Callable[[str], str | None] | None = None
    feature: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer.

    `review` is set by an agent that needs no dialect, such as the offline rules. `edits` are new texts by path, from an
    author that cannot edit files; None deletes the file. `answered_by` is the agent that answered, if another agent was
    asked.
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
    """An agent that answers questions. Raises `AgentError` if there is no answer."""

    @property
    def edits_files(self) -> bool:
        """Whether it works on files and needs its own directory."""
        ...

    async def ask(self, job: Job) -> Reply: ...


@runtime_checkable
class Probed(Protocol):
    """An agent that can be checked without a question."""

    async def probe(self) -> str:
        """Return a description, such as a program's path. Raises `AgentError` if the agent is unusable."""
        ...


@runtime_checkable
class Queued(Protocol):
    """An agent with a limited number of parallel calls."""

    def turn(self) -> AbstractAsyncContextManager[None]:
        """Wait for a free slot. The wait does not count as the call's time."""
        ...


@runtime_checkable
class HidesFiles(Protocol):
    """An agent that must not see some files."""

    def hides(self, path: str) -> bool:
        """Whether to leave a file out of the agent's copy."""
        ...


def turn_of(agent: Agent) -> AbstractAsyncContextManager[None]:
    """The agent's turn; immediate for an agent without a limit."""
    return agent.turn() if hasattr(agent, "turn") and isinstance(agent, Queued) else nullcontext()


class Ledger(Protocol):
    """The append-only record. Events of one session count from 1 without gaps."""

    async def append(
        self, session: str, expected: int, drafts: Sequence[Draft], blobs: Mapping[str, bytes] | None = None
    ) -> list[Event]:
        """Append all drafts or none, with the texts they refer to by digest.

        `expected` is the current number of events of the session; if it differs, `AppendConflict` is raised and nothing
        is written. When this returns, the events are on disk.
        """
        ...

    async def read(self, session: str, after: int = 0) -> list[Event]:
        """The session's events with `seq > after`, in order."""
        ...

    async def feed(self, after: int = 0, limit: int = 1000) -> list[tuple[int, Event]]:
        """Events of all sessions in the order of writing, each with its position.

        The page ends before an unreadable event; if that event is the first, `DamagedRecord` names its position.
        """
        ...

    async def heads(self, feature: str | None = None) -> list[SessionHead]:
        """All sessions, or those of one feature, last written first. `MEMORY_BOOK` is not included."""
        ...

    async def blob(self, digest: str) -> bytes | None: ...

    def hold(self, name: str) -> AbstractAsyncContextManager[Hold]:
        """Become the only writer of the sessions with this name. Raises `SessionHeld` if another process is."""
        ...

    async def holder(self, name: str) -> Hold | None:
        """The live process that works on it; None without one."""
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Tampering:
    """Files that changed during a review. `where` is `copy` (the reviewer's own) or `tree` (the user's)."""

    where: str
    paths: tuple[str, ...]


class ReviewCopy(Protocol):
    """A reviewer's own copy of the project, without files that agents execute."""

    @property
    def directory(self) -> Path: ...

    async def tampered(self) -> tuple[Tampering, ...]:
        """The changes since the copy was made, in the copy or in the user's artifact."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """An author's changes in its scratch workspace."""

    changes: tuple[FileChange, ...] = ()
    refused: tuple[str, ...] = ()
    blobs: Mapping[str, bytes] = field(default_factory=dict[str, bytes])


class Scratch(Protocol):
    """An author's own copy of the project."""

    @property
    def directory(self) -> Path | None: ...

    async def write(self, edits: Mapping[str, str | None]) -> None:
        """Write the edits of an author that cannot edit files."""
        ...

    async def work(self) -> Work:
        """The changes, split into those that may be brought back and those that may not."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """These files changed while the author worked; the author's versions are at `kept_at`."""

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
        """A copy for a reviewer, without the files that `hides` selects."""
        ...

    def scratch(
        self, artifact: Artifact, *, hides: Callable[[str], bool] | None = None
    ) -> AbstractAsyncContextManager[Scratch]:
        """A copy for an author, without the files that `hides` selects."""
        ...

    async def bring_back(self, changes: Sequence[FileChange], blobs: Mapping[str, bytes]) -> Conflict | None:
        """Copy an author's changes into the user's tree, all or none.

        Safe to repeat after a crash: files that are already up to date are left alone. If a file matches neither the
        author's starting version nor its result, nothing is changed and the author's versions are kept aside.
        """
        ...

    async def restore(self, changes: Sequence[FileChange], blobs: Mapping[str, bytes]) -> tuple[str, ...]:
        """Put back what authors changed, all or none, and remove folders that are empty then.

        Safe to repeat after a crash. If a file is neither as `before` nor as `after` says, nothing is changed, and the
        paths of such files are returned.
        """
        ...


class Clock(Protocol):
    """Time and random tokens."""

    def now(self) -> datetime: ...

    def marker(self) -> str:
        """An unguessable token."""
        ...

    async def sleep(self, seconds: float) -> None: ...
