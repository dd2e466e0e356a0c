"""The loop from Python: the same runner, with your own agents if you like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from reviewloop import __version__
from reviewloop.agents.kinds.static import Static, StaticSettings
from reviewloop.core.session.events import Started
from reviewloop.core.session.history import History
from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.outcome import PASSING, Outcome
from reviewloop.core.types.policy import Policy, Seat
from reviewloop.engine.clock import SystemClock
from reviewloop.engine.context import Briefing, Observer, Rules, SessionContext, no_rules
from reviewloop.engine.runner import run
from reviewloop.engine.session import Session
from reviewloop.errors import ConfigError
from reviewloop.ledger.in_memory import MemoryLedger
from reviewloop.ports import Agent, Clock, Ledger, Workspace
from reviewloop.rules import check
from reviewloop.workspace.in_memory import MemoryWorkspace
from reviewloop.workspace.project import ProjectWorkspace
from reviewloop.workspace.source import locate


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopResult:
    """How a loop ended. `history` has everything that happened."""

    outcome: Outcome
    because: str
    findings: tuple[Finding, ...]
    scores: Mapping[str, float]
    warnings: tuple[str, ...]
    text: str
    history: History

    @property
    def passed(self) -> bool:
        return self.outcome in PASSING


class ReviewLoop:
    """Reviewers check an artifact, an author fixes what they find, until it ends honestly.

    Args:
        reviewer: Who reviews; the offline rules if nobody is named. Several may be given by name.
        author: Who revises. Without one the loop reviews and stops.
        policy: How strict it is; seats and author are filled in from the agents given here.
        ledger: Where events go; in memory unless given.
        rules: Whether the offline rules run before anybody is asked.
        briefing: Standards, memory and acceptance criteria for the prompts.
        observers: Who watches as events happen.
    """

    def __init__(
        self,
        reviewer: Agent | Mapping[str, Agent] | None = None,
        author: Agent | None = None,
        policy: Policy | None = None,
        *,
        ledger: Ledger | None = None,
        rules: bool = True,
        briefing: Briefing | None = None,
        observers: tuple[Observer, ...] = (),
        clock: Clock | None = None,
    ) -> None:
        reviewers = _named(reviewer)
        seats = tuple(Seat(agent=name) for name in reviewers)
        self.policy = replace(policy or Policy(), seats=seats, author="author" if author else None)
        self.ledger = ledger or MemoryLedger()
        self._agents = reviewers | ({"author": author} if author else {})
        self._rules: Rules = _check if rules else no_rules
        self._briefing = briefing or Briefing()
        self._observers = observers
        self._clock = clock or SystemClock()

    async def run(
        self, artifact: str | Path | Artifact, *, kind: Kind = Kind.SPEC, name: str | None = None
    ) -> LoopResult:
        """Run the loop on a file, or on a text.

        Args:
            artifact: A path; or a text or an `Artifact`, which is then revised in memory.
            kind: What it is, unless it is an `Artifact`, which knows.
            name: What to call the session.
        """
        workspace, called, protected = _workspace(artifact, kind)
        feature = name or called
        started = Started(
            feature=feature,
            prd_path="",
            specs_path=called,
            kind=kind,
            profile=self.policy.profile,
            policy=self.policy,
            version=__version__,
        )
        context = SessionContext(
            agents=self._agent,
            ledger=self.ledger,
            workspace=workspace,
            clock=self._clock,
            rules=self._rules,
            briefing=self._briefing,
            observers=self._observers,
            protected=protected,
            identity=self._identity,
        )
        session = Session.start(f"{feature}-{self._clock.marker()}", started, context)
        history = await run(session, context)
        return _result(history, await workspace.read())

    def _agent(self, name: str) -> Agent:
        if name not in self._agents:
            raise ConfigError(f"there is no agent `{name}`", hint="give it to ReviewLoop")
        return self._agents[name]

    def _identity(self, name: str) -> str:
        kind = type(self._agent(name))
        return f"{name} {kind.__module__}.{kind.__qualname__}"


def _named(reviewer: Agent | Mapping[str, Agent] | None) -> dict[str, Agent]:
    if reviewer is None:
        return {"static": Static("static", StaticSettings(), Path())}
    if isinstance(reviewer, Mapping):
        return dict(reviewer)
    return {"reviewer": reviewer}


def _workspace(artifact: str | Path | Artifact, kind: Kind) -> tuple[Workspace, str, Path | None]:
    """Where the artifact lives, what it is called, and the user's folder if it lives in one."""
    if isinstance(artifact, Path):
        path = artifact.resolve()
        source = locate(path.parent, path.parent, [path.name], kind=kind)
        return ProjectWorkspace(path.parent, source), source.name, path.parent
    if isinstance(artifact, str):
        file = SourceFile(path=f"{kind}.md", text=artifact)
        artifact = Artifact(kind=kind, name=str(kind), files=(file,))
    return MemoryWorkspace(artifact), artifact.name, None


async def _check(artifact: Artifact) -> tuple[Finding, ...]:
    return check(artifact).findings


def _result(history: History, artifact: Artifact) -> LoopResult:
    concluded = [one.conclusion for one in history.iterations if one.conclusion]
    last = concluded[-1] if concluded else None
    assert history.outcome is not None
    return LoopResult(
        outcome=history.outcome,
        because=history.because,
        findings=last.findings if last else (),
        scores=last.scores if last else {},
        warnings=history.warnings,
        text=artifact.files[0].text,
        history=history,
    )
