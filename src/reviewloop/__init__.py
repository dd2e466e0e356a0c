"""Reviewloop: the review gate for what AI agents write.

The public API, on one page. Names are loaded when they are used, so that `import reviewloop` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from reviewloop.agents.kinds.command import Command, CommandSettings
    from reviewloop.agents.kinds.replay import Replay
    from reviewloop.agents.kinds.static import Static
    from reviewloop.app.library import LoopResult, ReviewLoop
    from reviewloop.app.project import open_project
    from reviewloop.app.targets.request import TargetRequest
    from reviewloop.core.loop.next_step import next_step
    from reviewloop.core.session.events import Event
    from reviewloop.core.session.history import History
    from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
    from reviewloop.core.types.finding import Finding, Place, Severity
    from reviewloop.core.types.outcome import Answer, Outcome
    from reviewloop.core.types.policy import Budget, Policy, Seat, profile
    from reviewloop.core.types.review import Review, Usage, Verdict
    from reviewloop.core.types.rubric import Criterion, Rubric
    from reviewloop.engine.context import Briefing, Observer
    from reviewloop.engine.human_answer import PersonAnswer
    from reviewloop.errors import AgentError, ExitCode, ReviewloopError
    from reviewloop.ledger.in_memory import MemoryLedger
    from reviewloop.ledger.sqlite import SqliteLedger
    from reviewloop.ports import Agent, Job, Ledger, Reply, Role, Workspace

_HOME = {
    "Agent": "ports",
    "AgentError": "errors",
    "Answer": "core.types.outcome",
    "Artifact": "core.types.artifact",
    "Briefing": "engine.context",
    "Budget": "core.types.policy",
    "Command": "agents.kinds.command",
    "CommandSettings": "agents.kinds.command",
    "Criterion": "core.types.rubric",
    "Event": "core.session.events",
    "ExitCode": "errors",
    "Finding": "core.types.finding",
    "History": "core.session.history",
    "Job": "ports",
    "Kind": "core.types.artifact",
    "Ledger": "ports",
    "LoopResult": "app.library",
    "MemoryLedger": "ledger.in_memory",
    "Observer": "engine.context",
    "Outcome": "core.types.outcome",
    "PersonAnswer": "engine.human_answer",
    "Place": "core.types.finding",
    "Policy": "core.types.policy",
    "Replay": "agents.kinds.replay",
    "Reply": "ports",
    "Review": "core.types.review",
    "ReviewLoop": "app.library",
    "ReviewloopError": "errors",
    "Role": "ports",
    "Rubric": "core.types.rubric",
    "Seat": "core.types.policy",
    "Severity": "core.types.finding",
    "SourceFile": "core.types.artifact",
    "SqliteLedger": "ledger.sqlite",
    "Static": "agents.kinds.static",
    "TargetRequest": "app.targets.request",
    "Usage": "core.types.review",
    "Verdict": "core.types.review",
    "Workspace": "ports",
    "next_step": "core.loop.next_step",
    "open_project": "app.project",
    "profile": "core.types.policy",
}

__all__ = [
    "Agent",
    "AgentError",
    "Answer",
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
    "PersonAnswer",
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
    "TargetRequest",
    "Usage",
    "Verdict",
    "Workspace",
    "next_step",
    "open_project",
    "profile",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
