"""Events of people: their answers to a session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from reviewloop.core.types.calls import FileChange
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.outcome import Answer
from reviewloop.core.types.policy import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """A person resumed the session. An answer other than `continue` opens a new window.

    `digest` is the text that the answer is about. `changes` are the person's own edits since the last review, if the
    text was accepted with them; `anyway` says that the person was told of them.
    """

    type: ClassVar[str] = "spec.review.resumed"
    action: Answer
    note: str = ""
    by: str = ""
    role: str = ""
    channel: str = ""
    digest: str = ""
    anyway: bool = False
    changes: tuple[FileChange, ...] = ()
    policy: Policy | None = None
    overrides: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Dismissed:
    """A person dismissed a finding as wrong (false positive)."""

    type: ClassVar[str] = "spec.review.dismissed"
    finding: Finding
    why: str = ""
    by: str = ""
    role: str = ""
    channel: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """A person added a finding that the reviewers missed."""

    type: ClassVar[str] = "spec.review.added"
    finding: Finding
    by: str = ""
    role: str = ""
    channel: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    type: ClassVar[str] = "spec.review.rejected"
    feature: str
    because: str = ""
    by: str = ""
    role: str = ""
    channel: str = ""
