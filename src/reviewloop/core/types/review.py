"""What a reviewer said, once it is understood, or why it could not be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from reviewloop.core.types.finding import Finding
from reviewloop.errors import Cause

Number = TypeVar("Number", int, float)


class Verdict(StrEnum):
    """What a review comes to. `inconclusive` never counts as a pass."""

    PASS = "pass"
    NEEDS_REVISION = "needs_revision"
    INCONCLUSIVE = "inconclusive"


class Stage(StrEnum):
    """Two passes over the same work; `quality` only counts if `spec` passes."""

    SPEC = "spec"
    QUALITY = "quality"


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """One reviewer's validated answer.

    `judged` names the criteria it spoke about: those are the only ones its word counts for.
    """

    verdict: Verdict
    scores: Mapping[str, float] = field(default_factory=dict[str, float])
    checks: Mapping[str, bool] = field(default_factory=dict[str, bool])
    findings: tuple[Finding, ...] = ()
    judged: tuple[str, ...] = ()
    summary: str = ""
    confidence: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Malformed:
    """Why an answer is no review: the field, and what is wrong with it."""

    field: str
    message: str

    def __str__(self) -> str:
        return f"{self.field}: {self.message}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What calls cost, as far as the agent says. Unknown is None, never zero."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        return (self.input_tokens or 0) + (self.output_tokens or 0)

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            input_tokens=_sum(self.input_tokens, other.input_tokens),
            output_tokens=_sum(self.output_tokens, other.output_tokens),
            cost_usd=_sum(self.cost_usd, other.cost_usd),
            seconds=self.seconds + other.seconds,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why an agent gave no usable answer at all."""

    cause: Cause
    message: str
    hint: str | None = None
    detail: str = ""

    def about(self, agent: str) -> str:
        """The message for where the agent is named already: many begin with its name."""
        return self.message.removeprefix(f"{agent}: ").removeprefix(f"{agent} ")


def _sum(left: Number | None, right: Number | None) -> Number | None:
    if left is None or right is None:
        return right if left is None else left
    return left + right
