"""Events of a session's start and end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from reviewloop.core.types.decision import Decision
from reviewloop.core.types.iteration_record import IterationRecord
from reviewloop.core.types.outcome import Outcome, Reason
from reviewloop.core.types.policy import Policy
from reviewloop.core.types.task import Commission


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    type: ClassVar[str] = "spec.review.started"
    feature: str
    prd_path: str
    specs_path: str
    kind: str
    profile: str
    policy: Policy
    paths: tuple[str, ...] = ()
    upstream: tuple[str, ...] = ()
    source: Mapping[str, Any] = field(default_factory=dict[str, Any])
    overrides: Mapping[str, Any] = field(default_factory=dict[str, Any])
    config_file: str = ""
    version: str = ""
    commission: Commission | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned:
    type: ClassVar[str] = "spec.review.warned"
    feature: str
    iteration: int
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    type: ClassVar[str] = "spec.review.passed"
    feature: str
    prd_path: str
    specs_path: str
    outcome: Outcome = Outcome.PASSED
    because: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """The loop cannot go on without a person. The base of `Blocked` and `Escalated`."""

    feature: str
    reason: str
    iterations: tuple[IterationRecord, ...]
    recovery_actions: tuple[str, ...]
    current_specs_path: str
    code: Reason
    malformed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocked(Stopped):
    type: ClassVar[str] = "spec.review.blocked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Escalated(Stopped):
    """A person has to decide. `proposal` is the engine's own decision."""

    type: ClassVar[str] = "spec.review.escalated"
    proposal: str | None = None
    decision: Decision | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Booked:
    """The open findings of a review of several tasks were written into their spec, as tasks or as suggestions.

    They are written once, so that entries which a person deletes from the spec do not come back.
    """

    type: ClassVar[str] = "spec.review.booked"
    feature: str
    to_fix: tuple[str, ...] = ()
    suggested: tuple[str, ...] = ()
