"""When the work on a spec's tasks is reviewed: after every task, every few of them, each phase, or once at the end."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

_WORDS = re.compile(r"(?P<unit>every|phase|final)(?:[ =-](?P<count>[1-9]\d{0,3}))?")


class Unit(StrEnum):
    EVERY = "every"
    PHASE = "phase"
    FINAL = "final"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cadence:
    """`every` with a count above 1 is every so many tasks. What is left at the end is always reviewed then."""

    unit: Unit = Unit.EVERY
    count: int = 1

    @classmethod
    def parse(cls, text: str) -> Cadence | None:
        match = _WORDS.fullmatch(" ".join(text.split()))
        if match is None or (match["count"] and match["unit"] != Unit.EVERY):
            return None
        return cls(unit=Unit(match["unit"]), count=int(match["count"] or 1))

    def __str__(self) -> str:
        return f"{self.unit} {self.count}" if self.count > 1 else str(self.unit)

    @property
    def is_each(self) -> bool:
        """Whether every task has a review of its own."""
        return self.unit is Unit.EVERY and self.count == 1

    def is_due(self, waiting: int, phase: str, following: str | None) -> bool:
        """Whether to review now.

        Args:
            waiting: How many tasks are done and not reviewed.
            phase: The phase of the last one.
            following: The phase of the task that comes next; None if there is none.
        """
        if not waiting:
            return False
        if following is None:
            return True
        return waiting >= self.count if self.unit is Unit.EVERY else self.unit is Unit.PHASE and phase != following
