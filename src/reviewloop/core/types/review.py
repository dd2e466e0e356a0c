"""Reviews: a reviewer's parsed answer, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from reviewloop.core.types.finding import Finding
from reviewloop.errors import Cause

Number = TypeVar("Number", int, float)

NO_JSON = "no valid JSON found in output"
QUOTED = "the only answer is quoted from the artifact"


class Verdict(StrEnum):
    """The verdict of a review. `inconclusive` never counts as a pass."""

    PASS = "pass"
    NEEDS_REVISION = "needs_revision"
    INCONCLUSIVE = "inconclusive"


class Stage(StrEnum):
    """The two stages of a panel. `quality` counts only if `spec` passes."""

    SPEC = "spec"
    QUALITY = "quality"


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """One reviewer's validated answer.

    `judged` names the criteria that the answer covers; it counts for no others.
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
    """Why an answer is malformed: the field, and what is wrong with it.

    `refusal` is set if the reviewer clearly said no in it: that counts, unless a later answer is a valid one.
    """

    field: str
    message: str
    refusal: Review | None = None

    def __str__(self) -> str:
        return f"{self.field}: {self.message}"

    @property
    def explanation(self) -> str:
        """The problem for people. `message` keeps the fixed texts that other tools read."""
        if self.message == NO_JSON:
            return "the answer contains no JSON object"
        return self.message if self.field == "root" else str(self)

    @property
    def needs_receipt(self) -> bool:
        """Whether the reviewer can show that the answer is its own by adding the call's receipt."""
        return self.field == "receipt" or self.message == QUOTED

    @property
    def parse_error(self) -> str:
        """The problem in the text that other tools read."""
        if self.message.startswith("invalid JSON: "):
            return self.message
        return f"schema validation failed: {self.field} - {self.message}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """The cost of calls, as stated by the agent. Unknown values are None, never zero."""

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
    """Why an agent gave no usable answer."""

    cause: Cause
    message: str
    hint: str | None = None
    detail: str = ""

    def about(self, agent: str) -> str:
        """The message without the agent's name at its start."""
        return self.message.removeprefix(f"{agent}: ").removeprefix(f"{agent} ")


def _sum(left: Number | None, right: Number | None) -> Number | None:
    if left is None or right is None:
        return right if left is None else left
    return left + right
