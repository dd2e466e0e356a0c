"""Events of the memory: changes that people make outside of any review, in a record of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar, get_args

from reviewloop.core.types.finding import Severity
from reviewloop.core.types.memory_pattern import Memory, Pattern
from reviewloop.core.types.review import Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryChange:
    """A change to one stage's memory of one service."""

    stage: Stage
    service: str
    on: date


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternAdded(MemoryChange):
    """A person added an issue to look for."""

    type: ClassVar[str] = "spec.review.memory_added"
    issue: str
    severity: Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleAdded(MemoryChange):
    """A person added a rule. The rule itself is in the memory file, where people edit it."""

    type: ClassVar[str] = "spec.review.memory_rule_added"
    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternDismissed(MemoryChange):
    """A person dismissed a pattern as a false positive."""

    type: ClassVar[str] = "spec.review.memory_dismissed"
    pattern: str
    why: str
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternRestored(MemoryChange):
    """A person took back the dismissals of a pattern."""

    type: ClassVar[str] = "spec.review.memory_restored"
    pattern: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternsPruned(MemoryChange):
    """A person removed archived patterns."""

    type: ClassVar[str] = "spec.review.memory_pruned"
    patterns: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternsTakenOut(MemoryChange):
    """A person deleted patterns from the memory file."""

    type: ClassVar[str] = "spec.review.memory_taken_out"
    patterns: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsAdopted(MemoryChange):
    """Rows of the memory file that people or other tools counted. They get ids, and are counted from now on."""

    type: ClassVar[str] = "spec.review.memory_adopted"
    patterns: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryImported(MemoryChange):
    """A memory was imported. Unless it `replaces`, it only fills an empty memory."""

    type: ClassVar[str] = "spec.review.memory_imported"
    memory: Memory
    replaces: bool = True
    origin: str = ""


MemoryPayload = (
    PatternAdded
    | RuleAdded
    | PatternDismissed
    | PatternRestored
    | PatternsPruned
    | PatternsTakenOut
    | RowsAdopted
    | MemoryImported
)

MEMORY_PAYLOADS: Mapping[str, type[Any]] = {cls.type: cls for cls in get_args(MemoryPayload)}
