"""The loop from Python: the same engine as the command line, with agents of your own if you like."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from reviewloop import __version__
from reviewloop.agents.kinds.static import Static, StaticSettings
from reviewloop.app.sessions import answer_in, run_in
from reviewloop.app.targets.request import TargetRequest
from reviewloop.app.targets.resolver import Resolver
from reviewloop.core.session.events import Started
from reviewloop.core.session.history import History
from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.outcome import PASSING, Outcome
from reviewloop.core.types.policy import Policy, Seat
from reviewloop.engine.clock import SystemClock
from reviewloop.engine.context import Briefing, Observer, Rules, SessionContext, no_rules
from reviewloop.engine.human_answer import PersonAnswer
from reviewloop.errors import ConfigError, UnknownSession
from reviewloop.ledger.in_memory import MemoryLedger
from reviewloop.ports import Agent, Clock, Ledger, Workspace
from reviewloop.rules import check
from reviewloop.workspace.in_memory import MemoryWorkspace
from reviewloop.workspace.project import ProjectWorkspace

ROLES = ("author", "arbiter", "tie_break")
"""Names of roles, which no reviewer can have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopResult:
    """How a loop ended, or why it waits. `session` is its id, for `ReviewLoop.answer`; `history` has everything."""

    session: str
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where an artifact lives, what it is called, and the user's folder if it lives in one."""

    workspace: Workspace
    name: str
    kind: Kind
    protected: Path | None = None


def _warn(text: str) -> None:
    warnings.warn(text, RuntimeWarning, stacklevel=2)


class ReviewLoop:
    """Reviewers check an artifact, an author fixes what they find, until the loop ends or needs a person.

    Args:
        reviewer: The reviewer, or several by name; the offline rules if nobody is given. A name can't be that of a role
            (`author`, `arbiter`, `tie_break`).
        author: The agent that revises. Without one the loop reviews once and stops.
        policy: How strict the loop is. Seats, author, arbiter and tie-break are filled in from the agents given here.
        arbiter: The agent that rules on findings the author contests.
        tie_break: The agent that says whether two findings of a panel are the same.
        ledger: Where events go; in memory unless given.
        rules: Whether the offline rules run before any reviewer is asked.
        briefing: Standards, memory and acceptance criteria for the prompts.
        observers: Told of events as they happen. One that raises is reported to `warn`, and ends nothing.
        warn: Told of problems that end nothing.
    """

    def __init__(
        self,
        reviewer: Agent | Mapping[str, Agent] | None = None,
        author: Agent | None = None,
        policy: Policy | None = None,
        *,
        arbiter: Agent | None = None,
        tie_break: Agent | None = None,
        ledger: Ledger | None = None,
        rules: bool = True,
        briefing: Briefing | None = None,
        observers: tuple[Observer, ...] = (),
        clock: Clock | None = None,
        warn: Callable[[str], None] = _warn,
    ) -> None:
        reviewers = _named(reviewer)
        others = {"author": author, "arbiter": arbiter, "tie_break": tie_break}
        roles = {role: agent for role, agent in others.items() if agent}
        self.policy = replace(
            policy or Policy(),
            seats=tuple(Seat(agent=name) for name in reviewers),
            author="author" if author else None,
            arbiter="arbiter" if arbiter else None,
            tie_break="tie_break" if tie_break else None,
        )
        self.ledger = ledger or MemoryLedger()
        self._agents = reviewers | roles
        self._rules: Rules = _check if rules else no_rules
        self._briefing = briefing or Briefing()
        self._observers = observers
        self._clock = clock or SystemClock()
        self._warn = warn
        self._places: dict[str, _Place] = {}

    async def run(
        self, artifact: str | Path | Artifact, *, kind: Kind | None = None, name: str | None = None
    ) -> LoopResult:
        """Run the loop on a file, or on a text.

        Args:
            artifact: A path; or a text or an `Artifact`, which is then revised in memory.
            kind: What it is; otherwise a file's name and text decide, and a text is a spec.
            name: What to call the session.
        """
        place = _place(artifact, kind)
        feature = name or place.name
        started = Started(
            feature=feature,
            prd_path="",
            specs_path=place.name,
            kind=place.kind,
            profile=self.policy.profile,
            policy=self.policy,
            version=__version__,
        )
        session = f"{feature}-{self._clock.marker()}"
        self._places[session] = place
        history = await run_in(self._context(place), session, started)
        return _result(session, history, await place.workspace.read())

    async def answer(
        self, session: str, answer: PersonAnswer, artifact: str | Path | Artifact | None = None
    ) -> LoopResult:
        """Give a person's answer to a session that waits, or continue one that was interrupted.

        Args:
            session: The session's id, from `LoopResult.session`.
            answer: What the person says; an empty answer continues.
            artifact: The artifact, if another process started the session.
        """
        place = self._places.get(session) or (_place(artifact, None) if artifact is not None else None)
        if place is None:
            raise UnknownSession(f"this loop did not start session {session}", hint="pass the artifact as well")
        answer = replace(answer, channel=answer.channel or "library")
        history = await answer_in(self._context(place), session, answer, self.policy)
        return _result(session, history, await place.workspace.read())

    def _context(self, place: _Place) -> SessionContext:
        return SessionContext(
            agents=self._agent,
            ledger=self.ledger,
            workspace=place.workspace,
            clock=self._clock,
            rules=self._rules,
            briefing=self._briefing,
            observers=self._observers,
            protected=place.protected,
            identity=self._identity,
            warn=self._warn,
        )

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
    if not isinstance(reviewer, Mapping):
        return {"reviewer": reviewer}
    if not reviewer:
        raise ConfigError("the panel is empty", hint="give at least one reviewer, or None for the offline rules")
    for name in reviewer:
        if name in ROLES:
            raise ConfigError(f"a reviewer can't be called `{name}`: that is a role", hint="choose another name")
    return dict(reviewer)


def _place(artifact: str | Path | Artifact, kind: Kind | None) -> _Place:
    if isinstance(artifact, Path):
        path = artifact.resolve()
        resolver = Resolver(root=path.parent, cwd=path.parent)
        source = resolver.resolve(TargetRequest(paths=(path.name,), kind=kind)).source
        workspace = ProjectWorkspace(path.parent, source)
        return _Place(workspace=workspace, name=source.name, kind=source.kind, protected=path.parent)
    if isinstance(artifact, str):
        kind = kind or Kind.SPEC
        file = SourceFile(path=f"{kind}.md", text=artifact)
        artifact = Artifact(kind=kind, name=str(kind), files=(file,))
    return _Place(workspace=MemoryWorkspace(artifact), name=artifact.name, kind=artifact.kind)


async def _check(artifact: Artifact) -> tuple[Finding, ...]:
    return check(artifact).findings


def _result(session: str, history: History, artifact: Artifact) -> LoopResult:
    concluded = [iteration.conclusion for iteration in history.iterations if iteration.conclusion]
    last = concluded[-1] if concluded else None
    assert history.outcome is not None
    return LoopResult(
        session=session,
        outcome=history.outcome,
        because=history.because,
        findings=last.findings if last else (),
        scores=last.scores if last else {},
        warnings=history.warnings,
        text=artifact.files[0].text,
        history=history,
    )
