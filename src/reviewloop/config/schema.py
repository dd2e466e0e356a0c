"""All settings with their readers, and the types of their values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from reviewloop.config import fields, rubrics
from reviewloop.config.fields import Reader
from reviewloop.config.source_marks import Node, Scalar, Table
from reviewloop.config.view_paths import PATHS
from reviewloop.config.workflow import OVERLAY, TASK
from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.egress import OnSecrets
from reviewloop.core.types.finding import Severity
from reviewloop.core.types.policy import (
    DIALECT_NAMES,
    PROFILES,
    Budget,
    Gate,
    OnExhausted,
    OnInconclusive,
    Receipt,
    Strategy,
)
from reviewloop.core.types.review_cadence import Cadence
from reviewloop.core.types.rubric import Criterion, Rubric
from reviewloop.rules.settings import RuleSettings

DEFAULT_PROFILE = "spec-gate"
DEFAULT_LEDGER = ".reviewloop/reviewloop.db"
PARALLEL_MODELS = ("haiku", "sonnet")
SINGLE_MODEL = "opus"


class WorkspaceMode(StrEnum):
    """Whether an author works on a copy or in the project itself."""

    COPY = "copy"
    IN_PLACE = "in_place"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewer:
    """An entry of `reviewers`."""

    agent: str
    allow_failure: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewSettings:
    """The `review` block. None stands for the profile's default. `nodes` are the values as written.

    `max_iterations` counts reviews, even if the file sets `max_fix_iterations`.
    """

    strategy: Strategy | None = None
    parallel_models: tuple[str, ...] | None = None
    single_model: str | None = None
    speculative_quality: bool | None = None
    max_iterations: int | None = None
    fix_timeout_turns: int | None = None
    auto_approve: bool | None = None
    auto_reject: bool | None = None
    cache: bool | None = None
    authors: Mapping[str, str] | None = None
    arbiter: str | None = None
    parallel_criteria: bool | None = None
    tie_break: str | None = None
    auto_confidence: float | None = None
    author: str | None = None
    author_retries: int | None = None
    reviewer: str | None = None
    reviewers: tuple[Reviewer, ...] | None = None
    dialect: str | None = None
    rubric: Rubric | None = None
    criteria: tuple[str | Criterion, ...] | None = None
    min_score: float | Mapping[str, float] | None = None
    weights: Mapping[str, float] | None = None
    static_gate: Gate | None = None
    on_inconclusive: OnInconclusive | None = None
    on_exhausted: OnExhausted | None = None
    on_author_failure: OnExhausted | None = None
    borderline: float | None = None
    min_total: float | None = None
    ask_confidence: bool | None = None
    receipt: Receipt | None = None
    retry_on_malformed: int | None = None
    timeout: float | None = None
    budget: Budget | None = None
    workspace: WorkspaceMode | None = None
    nodes: Mapping[str, Node] = field(default_factory=dict[str, Node], repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionSettings:
    """The `execution` block: the agent for a spec's tasks, the review cadence, and the time limit of checks."""

    agent: str | None = None
    review: Cadence = field(default_factory=Cadence)
    verify_timeout: float = 600.0


def _reviewer(node: Node, name: str) -> Reviewer:
    if not isinstance(node, Table):
        return Reviewer(agent=fields.text(node, name))
    found = fields.record(REVIEWER)(node, name)
    if "agent" not in found:
        raise node.place.error("the reviewer has no agent")
    return Reviewer(**found)


def _reviewers(node: Node, name: str) -> tuple[Reviewer, ...]:
    found = fields.items(_reviewer, at_least=1)(node, name)
    agents = [reviewer.agent for reviewer in found]
    for agent in agents:
        if agents.count(agent) > 1:
            raise node.place.error(f'{name} names "{agent}" twice')
    return found


def _cadence(node: Node, name: str) -> Cadence:
    found = Cadence.parse(node.text) if isinstance(node, Scalar) else None
    if found is None:
        raise fields.wrong(node, name, '"every", "every N", "phase" or "final"')
    return found


def _budget(node: Node, name: str) -> Budget:
    return Budget(**fields.record(BUDGET)(node, name))


def _per_path(node: Node, name: str) -> Mapping[str, RuleSettings]:
    read = fields.record(PER_PATH)
    return fields.mapping(lambda item, item_name: RuleSettings(**read(item, item_name)))(node, name)


def _allowed_per_path(node: Node, name: str) -> Mapping[str, tuple[str, ...]]:
    return fields.mapping(_allowed)(node, name)


def _allowed(node: Node, name: str) -> tuple[str, ...]:
    found = fields.record(EGRESS_PER_PATH)(node, name)
    if "allowed_agents" not in found:
        raise node.place.error("allowed_agents is missing", hint="use an empty list for files that no agent may see")
    return found["allowed_agents"]


def _ledger(node: Node, name: str) -> str:
    value = fields.path(node, name)
    if "://" in value and not value.startswith(("postgresql://", "postgres://")):
        raise node.place.error("ledger must be the path of a file or a postgresql:// address")
    return value


REVIEWER: Mapping[str, Reader[Any]] = {"agent": fields.text, "allow_failure": fields.flag}

BUDGET: Mapping[str, Reader[Any]] = {"seconds": fields.positive, "tokens": fields.whole(1), "usd": fields.positive}

REVIEW: Mapping[str, Reader[Any]] = {
    "strategy": fields.choice(Strategy),
    "parallel_models": fields.names(at_least=2),
    "single_model": fields.text,
    "speculative_quality": fields.flag,
    "max_iterations": fields.whole(1, 6),
    "max_fix_iterations": fields.whole(1, 5),
    "fix_timeout_turns": fields.whole(5, 30),
    "auto_approve": fields.flag,
    "auto_reject": fields.flag,
    "cache": fields.flag,
    "authors": fields.mapping(fields.text),
    "arbiter": fields.text,
    "parallel_criteria": fields.flag,
    "tie_break": fields.text,
    "auto_confidence": fields.number(0, 1),
    "author": fields.text,
    "author_retries": fields.whole(0, 3),
    "reviewer": fields.text,
    "reviewers": _reviewers,
    "dialect": fields.one_of(DIALECT_NAMES),
    "rubric": rubrics.rubric_setting,
    "criteria": rubrics.named_criteria,
    "min_score": rubrics.scores,
    "weights": fields.mapping(fields.positive),
    "static_gate": fields.choice(Gate),
    "on_inconclusive": fields.choice(OnInconclusive),
    "on_exhausted": fields.choice(OnExhausted),
    "on_author_failure": fields.choice(OnExhausted),
    "borderline": fields.number(0, 100),
    "min_total": fields.number(0, 100),
    "ask_confidence": fields.flag,
    "receipt": fields.choice(Receipt),
    "retry_on_malformed": fields.whole(0, 3),
    "timeout": fields.number(0.1, 86_400),
    "budget": _budget,
    "workspace": fields.choice(WorkspaceMode),
}

PER_PATH: Mapping[str, Reader[Any]] = {"select": fields.one_or_more, "ignore": fields.one_or_more}

RULES: Mapping[str, Reader[Any]] = {
    "select": fields.one_or_more,
    "ignore": fields.one_or_more,
    "severity": fields.mapping(fields.choice(Severity)),
    "per_path": _per_path,
}

EGRESS_PER_PATH: Mapping[str, Reader[Any]] = {"allowed_agents": fields.names(at_least=0)}

EGRESS: Mapping[str, Reader[Any]] = {
    "allowed_agents": fields.names(at_least=0),
    "per_path": _allowed_per_path,
    "secrets": fields.choice(OnSecrets),
}

PHASES = ("research", "requirements", "design", "tasks")

EXECUTION: Mapping[str, Reader[Any]] = {
    "agent": fields.text,
    "review": _cadence,
    "verify_timeout": fields.number(1, 86_400),
}

TOP: Mapping[str, Reader[Any]] = {
    "profile": fields.one_of(tuple(PROFILES)),
    "constitution": fields.paths,
    "ledger": _ledger,
    "services": fields.mapping(fields.one_or_more),
    "phases": fields.record(dict.fromkeys(PHASES, fields.text)),
    "execution": fields.record(EXECUTION),
    "include": fields.one_or_more,
    "exclude": fields.one_or_more,
    "kinds": fields.mapping(fields.choice(Kind, hint='"document" is for any text of no other kind')),
}

AGENT = ("fallback", "retries", "concurrency", "rate")
"""Settings of every agent, besides those of its kind."""

SECTIONS = ("agents", "review", "rules", "egress", "tasks", "paths")


def keys() -> Iterator[str]:
    """The path of every setting, with `<name>` for names that users choose."""
    yield from (key for key in TOP if key != "execution")
    yield from (f"execution.{key}" for key in EXECUTION)
    yield from (f"agents.<name>.{key}" for key in ("kind", *AGENT))
    yield from (f"review.{key}" for key in REVIEW)
    yield from (f"review.budget.{key}" for key in BUDGET)
    yield from (f"review.reviewers[].{key}" for key in REVIEWER)
    yield from (f"review.rubric.{key}" for key in rubrics.RUBRIC)
    yield from (f"review.rubric.criteria[].{key}" for key in rubrics.CRITERION)
    yield from (f"rules.{key}" for key in RULES)
    yield from (f"rules.per_path.<glob>.{key}" for key in PER_PATH)
    yield from (f"egress.{key}" for key in EGRESS)
    yield from (f"egress.per_path.<glob>.{key}" for key in EGRESS_PER_PATH)
    yield from (f"tasks.<name>.{key}" for key in TASK if key != "overlays")
    yield from (f"tasks.<name>.overlays.agentic_review.{key}" for key in OVERLAY)
    yield from (f"paths.{key}" for key in PATHS)
