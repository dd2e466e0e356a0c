"""Reviewloop: the review gate for what AI agents write.

The public API, on one page. Names are loaded when they are used, so that `import reviewloop` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from reviewloop.agents.command import Command, CommandSettings
    from reviewloop.agents.replay import Replay
    from reviewloop.agents.static import Static
    from reviewloop.engine.desk import Briefing, Observer
    from reviewloop.errors import AgentError, ExitCode, ReviewloopError
    from reviewloop.ledger.memory import MemoryLedger
    from reviewloop.ledger.sqlite import SqliteLedger
    from reviewloop.library import LoopResult, ReviewLoop
    from reviewloop.ports import Agent, Job, Ledger, Reply, Role, Workspace
    from reviewloop.review.artifact import Artifact, Kind, SourceFile
    from reviewloop.review.events import Event
    from reviewloop.review.finding import Finding, Place, Severity
    from reviewloop.review.history import History
    from reviewloop.review.loop import next_step
    from reviewloop.review.outcome import Outcome
    from reviewloop.review.policy import Budget, Policy, Seat, profile
    from reviewloop.review.review import Review, Usage, Verdict
    from reviewloop.review.rubric import Criterion, Rubric

_HOME = {
    "Agent": "ports",
    "AgentError": "errors",
    "Artifact": "review.artifact",
    "Briefing": "engine.desk",
    "Budget": "review.policy",
    "Command": "agents.command",
    "CommandSettings": "agents.command",
    "Criterion": "review.rubric",
    "Event": "review.events",
    "ExitCode": "errors",
    "Finding": "review.finding",
    "History": "review.history",
    "Job": "ports",
    "Kind": "review.artifact",
    "Ledger": "ports",
    "LoopResult": "library",
    "MemoryLedger": "ledger.memory",
    "Observer": "engine.desk",
    "Outcome": "review.outcome",
    "Place": "review.finding",
    "Policy": "review.policy",
    "Replay": "agents.replay",
    "Reply": "ports",
    "Review": "review.review",
    "ReviewLoop": "library",
    "ReviewloopError": "errors",
    "Role": "ports",
    "Rubric": "review.rubric",
    "Seat": "review.policy",
    "Severity": "review.finding",
    "SourceFile": "review.artifact",
    "SqliteLedger": "ledger.sqlite",
    "Static": "agents.static",
    "Usage": "review.review",
    "Verdict": "review.review",
    "Workspace": "ports",
    "next_step": "review.loop",
    "profile": "review.policy",
}

__all__ = [
    "Agent",
    "AgentError",
    "Artifact",
    "Briefing",
    "Budget",
    "Command",
    "CommandSettings",
    "Criterion",
    "Event",
    "ExitCode",
    "Finding",
    "History",
    "Job",
    "Kind",
    "Ledger",
    "LoopResult",
    "MemoryLedger",
    "Observer",
    "Outcome",
    "Place",
    "Policy",
    "Replay",
    "Reply",
    "Review",
    "ReviewLoop",
    "ReviewloopError",
    "Role",
    "Rubric",
    "Seat",
    "Severity",
    "SourceFile",
    "SqliteLedger",
    "Static",
    "Usage",
    "Verdict",
    "Workspace",
    "next_step",
    "profile",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
