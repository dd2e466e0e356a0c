"""Events of authors: their work, their contests, and the rulings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from reviewloop.core.types.calls import Call, FileChange
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.iteration_record import FeedbackItem
from reviewloop.core.types.outcome import Judgment, Outcome
from reviewloop.core.types.review import Failure, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Commissioned:
    """An author is about to write the first version. The events of this work have iteration 0."""

    type: ClassVar[str] = "spec.review.commissioned"
    feature: str
    call: Call


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """An author is about to be asked for a fix."""

    type: ClassVar[str] = "spec.review.feedback"
    feature: str
    iteration: int
    feedback: tuple[FeedbackItem, ...]
    scores: Mapping[str, float]
    call: Call


@dataclass(frozen=True, slots=True, kw_only=True)
class Authored:
    """An author has finished. Its changes are recorded, but not yet in the user's tree."""

    type: ClassVar[str] = "spec.review.authored"
    iteration: int
    call: Call
    text: str
    changes: tuple[FileChange, ...]
    refused: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    model: str | None = None
    version: str | None = None
    agent_session: str | None = None
    denials: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorFailed:
    type: ClassVar[str] = "spec.review.author_failed"
    iteration: int
    call: Call
    failure: Failure
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Revised:
    """The author's changes are in the user's tree."""

    type: ClassVar[str] = "spec.review.revised"
    iteration: int
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflicted:
    """The user's files changed while the author worked. Both versions are kept."""

    type: ClassVar[str] = "spec.review.conflicted"
    iteration: int
    paths: tuple[str, ...]
    kept_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoBegun:
    """A person takes back the authors' work. What restores the files is on record, and they are not yet restored.

    `outcome` is how the session had ended, if it had. `unticked` is the list of tasks, if it is among `changes`: there,
    only the box of the session's task is unticked.
    """

    type: ClassVar[str] = "spec.review.undo_begun"
    changes: tuple[FileChange, ...]
    unticked: str = ""
    outcome: Outcome | None = None
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoStopped:
    """Files changed before the undo was done. They are left alone, and the authors' work stays."""

    type: ClassVar[str] = "spec.review.undo_stopped"
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """The files are as they were before the authors' first edit. The session is over, and a pass counts no longer."""

    type: ClassVar[str] = "spec.review.undone"
    feature: str
    paths: tuple[str, ...]
    because: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contested:
    """An author says that a finding is wrong."""

    type: ClassVar[str] = "spec.review.contested"
    iteration: int
    finding: Finding
    reason: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruled:
    """An arbiter was asked about a contested finding. Without a usable `ruling` the finding stands."""

    type: ClassVar[str] = "spec.review.ruled"
    iteration: int
    call: Call
    finding: Finding
    ruling: Judgment | None
    reason: str
    text: str = ""
    failure: Failure | None = None
    usage: Usage = field(default_factory=Usage)
    model: str | None = None
    answered_by: str | None = None

    @property
    def agent(self) -> str:
        """The agent that really ruled."""
        return self.answered_by or self.call.agent
