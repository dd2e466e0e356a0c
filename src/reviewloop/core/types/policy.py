"""The policy of a session: reviewers, thresholds, limits, and what to do at a limit. Profiles are named defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.finding import Category, Severity
from reviewloop.core.types.review import Stage
from reviewloop.core.types.rubric import BY_KIND, FOUR_CRITERIA, QUALITY_CHECKS, Rubric

STATIC = "static"
"""The name of the built-in agent that runs the offline rules."""

DIALECT_NAMES = ("scored", "signal", "decision", "findings")
"""The forms in which a reviewer can be asked to answer. `core.dialects` has them."""


class Gate(StrEnum):
    """The severity from which a rule finding blocks before any reviewer is asked."""

    OFF = "off"
    CRITICAL = "critical"
    IMPORTANT = "important"

    def closes_on(self, severity: Severity) -> bool:
        return self is not Gate.OFF and severity >= Severity(self.value)


class OnInconclusive(StrEnum):
    """What to do if no reviewer gave a verdict."""

    BLOCK = "block"
    ESCALATE = "escalate"
    PASS = "pass"


class OnExhausted(StrEnum):
    """What to do if the last allowed review fails, or the author fails."""

    BLOCK = "block"
    WARN = "warn"
    ESCALATE = "escalate"


class Receipt(StrEnum):
    """Whether an answer must contain the call's marker to count."""

    OPTIONAL = "optional"
    REQUIRED = "required"


class Strategy(StrEnum):
    """One model for each stage, or several."""

    SINGLE = "single"
    PARALLEL = "parallel"


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The limits of one window of a session. None means no limit."""

    seconds: float | None = None
    tokens: int | None = None
    usd: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How often people were asked about a kind of decision, and how often it was right."""

    right: int = 0
    asked: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(right=self.right + other.right, asked=self.asked + other.asked)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppression:
    """A known false positive: a finding that matches it is shown, but does not block."""

    pattern: str
    issue: str
    because: str
    category: Category | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """A reviewer's place on the panel: the agent, its stage and its rubric (None for the policy's).

    `criterion` is set if the agent is asked about one criterion at a time. `asked` is set once another agent, `agent`,
    has answered in place of the one that was asked: the seat keeps its name.
    """

    agent: str
    stage: Stage | None = None
    rubric: Rubric | None = None
    allow_failure: bool = False
    criterion: str | None = None
    asked: str | None = None

    @property
    def name(self) -> str:
        return ":".join(part for part in (self.stage, self.asked or self.agent, self.criterion) if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The settings that decide each step of a session.

    `experience` counts people's answers to earlier decisions in this project, by kind of decision. `suppressions` are
    the known false positives.
    """

    profile: str = "spec-gate"
    dialect: str = "scored"
    rubric: Rubric = FOUR_CRITERIA
    seats: tuple[Seat, ...] = (Seat(agent=STATIC),)
    author: str | None = None
    max_iterations: int = 3
    retry_on_malformed: int = 1
    retry_pause: float = 1.0
    static_gate: Gate = Gate.CRITICAL
    on_inconclusive: OnInconclusive = OnInconclusive.BLOCK
    on_exhausted: OnExhausted = OnExhausted.BLOCK
    on_author_failure: OnExhausted = OnExhausted.BLOCK
    author_retries: int = 0
    borderline: float = 0
    min_total: float | None = None
    ask_confidence: bool = False
    receipt: Receipt = Receipt.OPTIONAL
    budget: Budget = Budget()
    timeout: float = 600.0
    fix_timeout_turns: int | None = None
    strategy: Strategy = Strategy.SINGLE
    speculative_quality: bool = True
    auto_approve: bool = False
    auto_reject: bool = False
    cache: bool = True
    authors: Mapping[str, str] = field(default_factory=dict[str, str])
    arbiter: str | None = None
    parallel_criteria: bool = False
    tie_break: str | None = None
    exit_conditions: tuple[str, ...] = ()
    approval: bool = False
    auto_confidence: float = 0.7
    experience: Mapping[str, Tally] = field(default_factory=dict[str, Tally])
    suppressions: tuple[Suppression, ...] = ()

    @property
    def max_fix_iterations(self) -> int:
        return self.max_iterations - 1

    @property
    def agents(self) -> tuple[str, ...]:
        """The names of all agents that may be asked."""
        others = (self.author, *self.authors.values(), self.arbiter, self.tie_break)
        return tuple(dict.fromkeys([*(seat.agent for seat in self.seats), *(agent for agent in others if agent)]))

    @property
    def asks_confidence(self) -> bool:
        """Whether reviewers are asked how sure they are: only if a setting or an exit condition needs it."""
        return self.ask_confidence or any("review.confidence" in condition for condition in self.exit_conditions)

    def rubric_of(self, seat: Seat) -> Rubric:
        return seat.rubric or self.rubric

    @property
    def criteria(self) -> Rubric:
        """The criteria of all seats together."""
        rubrics = [self.rubric_of(seat) for seat in self.seats] or [self.rubric]
        others = [rubric for rubric in rubrics[1:] if rubric is not rubrics[0]]
        return rubrics[0].joined(*others) if others else rubrics[0]


PROFILES: Mapping[str, Mapping[str, Any]] = {
    "spec-gate": {
        "dialect": "scored",
        "max_iterations": 3,
        "on_inconclusive": OnInconclusive.BLOCK,
        "on_exhausted": OnExhausted.BLOCK,
    },
    "phases": {
        "dialect": "signal",
        "max_iterations": 3,
        "on_inconclusive": OnInconclusive.PASS,
        "on_exhausted": OnExhausted.WARN,
        "on_author_failure": OnExhausted.WARN,
        "author_retries": 1,
    },
    "panel": {
        "dialect": "findings",
        "max_iterations": 3,
        "on_inconclusive": OnInconclusive.ESCALATE,
        "on_exhausted": OnExhausted.ESCALATE,
        "on_author_failure": OnExhausted.ESCALATE,
        "fix_timeout_turns": 10,
        "strategy": Strategy.PARALLEL,
    },
    "overlay": {
        "dialect": "decision",
        "max_iterations": 3,
        "on_inconclusive": OnInconclusive.ESCALATE,
        "on_exhausted": OnExhausted.ESCALATE,
        "on_author_failure": OnExhausted.ESCALATE,
        "rubric": QUALITY_CHECKS,
    },
}


def profile(name: str, kind: Kind = Kind.SPEC, **changes: Any) -> Policy:
    """The policy of a named profile for a kind of artifact, with changes."""
    defaults = dict(PROFILES[name])
    if name in ("spec-gate", "phases"):
        defaults["rubric"] = BY_KIND[kind]
    return replace(Policy(profile=name), **(defaults | changes))
