"""What people tell the memory outside of any review, as events. They have a book of their own in the ledger."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import ClassVar

from reviewloop.core.types.finding import Severity
from reviewloop.core.types.memory_pattern import Memory
from reviewloop.core.types.review import Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryChange:
    """Something about one stage's memory of one service. Base of the others."""

    stage: Stage
    service: str
    on: date


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternAdded(MemoryChange):
    """Somebody names an issue to look for."""

    type: ClassVar[str] = "spec.review.memory_added"
    issue: str
    severity: Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleAdded(MemoryChange):
    """Somebody gives the service a rule. The rule itself lives in the file, where people change it."""

    type: ClassVar[str] = "spec.review.memory_rule_added"
    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternDismissed(MemoryChange):
    """Somebody says that a pattern is no issue."""

    type: ClassVar[str] = "spec.review.memory_dismissed"
    pattern: str
    why: str
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternRestored(MemoryChange):
    """It is an issue after all, whatever was said before."""

    type: ClassVar[str] = "spec.review.memory_restored"
    pattern: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternsPruned(MemoryChange):
    """Archived patterns are forgotten."""

    type: ClassVar[str] = "spec.review.memory_pruned"
    patterns: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternsTakenOut(MemoryChange):
    """Somebody deleted their rows from the file."""

    type: ClassVar[str] = "spec.review.memory_taken_out"
    patterns: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryImported(MemoryChange):
    """A whole memory comes from elsewhere. Unless it `replaces`, only where nothing was known."""

    type: ClassVar[str] = "spec.review.memory_imported"
    memory: Memory
    replaces: bool = True
    origin: str = ""


MemoryPayload = (
    PatternAdded | RuleAdded | PatternDismissed | PatternRestored | PatternsPruned | PatternsTakenOut | MemoryImported
)
