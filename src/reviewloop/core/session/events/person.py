"""Events of people: their answers to a session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from reviewloop.core.types.finding import Finding
from reviewloop.core.types.outcome import Answer
from reviewloop.core.types.policy import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """A person resumed the session. An answer other than `continue` opens a new window."""

    type: ClassVar[str] = "spec.review.resumed"
    action: Answer
    note: str = ""
    by: str = ""
    policy: Policy | None = None
    overrides: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Dismissed:
    """A person dismissed a finding as wrong (false positive)."""

    type: ClassVar[str] = "spec.review.dismissed"
    finding: Finding
    why: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """A person added a finding that the reviewers missed."""

    type: ClassVar[str] = "spec.review.added"
    finding: Finding
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    type: ClassVar[str] = "spec.review.rejected"
    feature: str
    because: str = ""
    by: str = ""
