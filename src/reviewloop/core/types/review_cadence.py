"""When a spec's tasks are reviewed: after every task, every N tasks, every phase, or once at the end."""

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
    """`every` with a count reviews every so many tasks. The last tasks are always reviewed at the end."""

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
        """Whether each task is reviewed by itself."""
        return self.unit is Unit.EVERY and self.count == 1

    def is_due(self, waiting: int, phase: str, following: str | None) -> bool:
        """Whether to review now.

        Args:
            waiting: The number of finished tasks without a review.
            phase: The phase of the last of them.
            following: The phase of the next task; None after the last task.
        """
        if not waiting:
            return False
        if following is None:
            return True
        return waiting >= self.count if self.unit is Unit.EVERY else self.unit is Unit.PHASE and phase != following
