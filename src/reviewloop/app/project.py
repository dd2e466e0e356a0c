"""The one place where parts are put together: configuration, agents, ledger, workspace, views."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from reviewloop import __version__
from reviewloop.app.catalog import Catalog, SessionState
from reviewloop.app.outputs import Outputs
from reviewloop.config.agents import AgentEntry
from reviewloop.config.load import load
from reviewloop.config.model import Config
from reviewloop.config.resolve import resolve
from reviewloop.config.schema import WorkspaceMode
from reviewloop.core.panel.calibration import answers, decisions
from reviewloop.core.panel.stages import is_staged
from reviewloop.core.session.events import Started
from reviewloop.core.session.history import History
from reviewloop.core.session.services import Services
from reviewloop.core.types.artifact import Artifact, Kind, digest_of
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.outcome import Answer
from reviewloop.core.types.policy import Policy, Strategy
from reviewloop.core.types.task import Commission
from reviewloop.core.types.verification import Verification
from reviewloop.engine.clock import SystemClock
from reviewloop.engine.context import Briefing, Observer, SessionContext
from reviewloop.engine.human_answer import PersonAnswer, answer
from reviewloop.engine.runner import run
from reviewloop.engine.session import Session
from reviewloop.errors import ConfigError, UnknownSession
from reviewloop.ledger.sqlite import SqliteLedger
from reviewloop.ports import Agent, Ledger
from reviewloop.rules import check
from reviewloop.rules.repository import Directory
from reviewloop.workspace.constitution import standards
from reviewloop.workspace.project import ProjectWorkspace
from reviewloop.workspace.source import Source
from reviewloop.workspace.task_workspace import FirstVersion, RecordedChange


def _silent(_: str) -> None:
    return None


@dataclass(frozen=True, kw_only=True)
class Project:
    """A project with everything it is configured to have."""

    config: Config
    cwd: Path
    config_file: str | None = None
    warn: Callable[[str], None] = field(default=_silent)

    @property
    def root(self) -> Path:
        return self.config.root

    @cached_property
    def ledger(self) -> Ledger:
        if "://" in self.config.ledger:
            raise ConfigError("a PostgreSQL ledger is not available yet", hint="give `ledger` the path of a file")
        return SqliteLedger(Path(self.config.ledger))

    @cached_property
    def catalog(self) -> Catalog:
        return Catalog(ledger=self.ledger, services=self.services)

    @cached_property
    def outputs(self) -> Outputs:
        return Outputs(config=self.config, ledger=self.ledger, services=self.services, warn=self.warn)

    @cached_property
    def services(self) -> Services:
        return Services(patterns=self.config.services, otherwise=self.root.name or "project")

    @cached_property
    def _agents(self) -> dict[str, Agent]:
        return {}

    def agent(self, name: str) -> Agent:
        if name not in self._agents:
            entry = self.config.agents.get(name)
            if entry is None:
                raise ConfigError(f"there is no agent `{name}`", hint="name it under `agents`")
            with _told_where(entry):
                self._agents[name] = self._built(entry)
        return self._agents[name]

    def _built(self, entry: AgentEntry) -> Agent:
        from reviewloop.agents.assembly import assemble  # few commands ask anybody

        return assemble(entry.kind, entry.name, entry.settings, self.root, egress=self.config.egress, find=self.agent)

    def policy(self, source: Source, overrides: Mapping[str, Any]) -> Policy:
        """How strictly this artifact is reviewed, with what people have said is no issue in its service."""
        policy = resolve(self.config, source.kind, overrides)
        return replace(policy, suppressions=self.outputs.recall(source).suppressions)

    def context(
        self,
        source: Source,
        observers: Sequence[Observer] = (),
        commission: Commission | None = None,
        session: str = "",
        *,
        alone: bool = True,
    ) -> SessionContext:
        """Everything a session works with.

        Args:
            source: Where its artifact comes from.
            observers: Who watches, besides the views.
            commission: What it is to produce first, if it is a task's.
            session: Its id, if it is a task's.
            alone: Whether no other author is at work: only then one may work in the user's tree itself.
        """
        paths = source.paths or (commission.outputs if commission else ()) or (".",)
        told = standards(self.root, paths, [str(path) for path in self.config.constitution])
        known = self.outputs.recall(source)
        in_place = alone and self.config.review.workspace is WorkspaceMode.IN_PLACE
        kept: dict[str, Any] = {"in_place": in_place, "kept_by_us": self.outputs.plans}
        workspace = ProjectWorkspace(self.root, source, **kept)
        if commission and source.kind is Kind.CHANGE:
            changes = partial(self.catalog.changes, commission.written_in, *commission.reviews, session)
            workspace = RecordedChange(self.root, source, commission, changes, self.ledger.blob, **kept)
        return SessionContext(
            agents=self.agent,
            ledger=self.ledger,
            workspace=workspace,
            first_version=FirstVersion(self.root, source, commission, **kept) if commission else None,
            clock=SystemClock(),
            rules=self.rules,
            briefing=Briefing(
                standards=told,
                memory=known.text,
                stage_memory=known.stages,
                task=commission.told if commission else "",
                acceptance_criteria=commission.acceptance_criteria if commission else (),
            ),
            observers=(*self.outputs.views(), *observers),
            protected=self.root,
            identity=self._identity,
            verify=self._check_of(commission) if commission else None,
        )

    def _check_of(self, commission: Commission) -> Callable[[], Awaitable[Verification]] | None:
        if commission.verify is None:
            return None
        from reviewloop.agents.process.verify_command import verify  # few commands run any

        return partial(verify, commission.verify, self.root)

    def _identity(self, name: str) -> str:
        entry = self.config.agents.get(name)
        settings = [entry.kind, entry.settings] if entry else []
        return digest_of(json.dumps([name, *settings], sort_keys=True, default=str))

    async def rules(self, artifact: Artifact) -> tuple[Finding, ...]:
        if not artifact.files:
            return ()
        report = await asyncio.to_thread(check, artifact, Directory(self.root), self.config.rules)
        return report.findings

    async def run(
        self, source: Source, overrides: Mapping[str, Any], observers: Sequence[Observer] = (), *, fresh: bool = False
    ) -> SessionState:
        """Run the loop on an artifact. A session of that name that was cut short goes on where it was."""
        await self.outputs.remember(source)
        policy = await self.informed(self.policy(source, overrides))
        self.refuse_wrong_agents(policy)
        context = self.context(source, observers)
        async with self.ledger.hold(source.name):
            cut_short = None if fresh else await self._cut_short(source, context)
            if cut_short:
                self.warn(f"session {cut_short.id} was cut short: going on with it (--fresh starts anew)")
                await answer(cut_short, PersonAnswer(), policy, context)
                return SessionState(id=cut_short.id, history=cut_short.history)
            await context.workspace.read()
            session = Session.start(new_id(source.name), self.started(source, policy, overrides), context)
            await run(session, context)
            return SessionState(id=session.id, history=session.history)

    async def resume(
        self,
        name: str,
        said: PersonAnswer,
        observers: Sequence[Observer] = (),
        overrides: Mapping[str, Any] | None = None,
    ) -> SessionState:
        """Go on after a crash, a block or a person's answer."""
        head = await self.catalog.find(name)
        async with self.ledger.hold(head.feature):
            started = await self.catalog.started_of(head)
            known = dict(started.overrides) | {
                key: value for key, value in (overrides or {}).items() if value is not None
            }
            source = Source.from_json(started.source)
            project = self.under(started.config_file)
            await project.outputs.remember(source)
            context = project.context(source, observers, started.commission, head.session)
            session = await Session.open(head.session, context)
            assert session is not None
            policy = as_commissioned(started, await self.informed(project.policy(source, known)))
            if _goes_on(session.history) and started.commission is None and said.action is not Answer.REJECT:
                project.refuse_wrong_agents(policy)
                await context.workspace.read()  # whoever accepts it, or sends it back, means a text that is there
            await answer(session, said, policy, context)
            return SessionState(id=session.id, history=session.history)

    def refuse_wrong_agents(self, policy: Policy) -> None:
        """What is wrong with an agent is said before anything goes on record."""
        self.refuse_wrong_settings()
        for name in policy.agents:
            self.agent(name)

    def refuse_wrong_settings(self) -> None:
        """A setting that means nothing is an error, also of an agent that nobody asks this time."""
        from reviewloop.agents.assembly import check_settings

        for name, entry in self.config.agents.items():
            if name not in self._agents and not entry.implied:
                with _told_where(entry):
                    check_settings(entry.kind, name, entry.settings)

    async def informed(self, policy: Policy) -> Policy:
        """The policy with what people made of a panel's decisions in the newest sessions: all would cost time."""
        if policy.strategy is not Strategy.PARALLEL or not is_staged(policy):
            return policy
        recent = await self.catalog.recent()
        for one in recent.damaged:
            self.warn(f"decisions of session {one.head.feature} are left aside: {one.error.message}")
        past = [decision for one in recent.found for decision in decisions(one.session, one.payloads)]
        return replace(policy, experience=answers(past))

    def under(self, config_file: str) -> Project:
        """The same project under the configuration a session was started with, unless another one is named now."""
        if self.config_file or not config_file:
            return self
        config = load(self.cwd, os.environ, file=self.root / config_file)
        other = replace(self, config=config, config_file=config_file)
        other.__dict__["ledger"] = self.ledger
        return other

    def log_of(self, history: History) -> str | None:
        """Where a session's audit log is, as seen from where the user is."""
        path = self.outputs.log_of(history)
        return os.path.relpath(path, self.cwd) if path else None

    async def close(self) -> None:
        if "ledger" in self.__dict__:
            await self.ledger.close()

    async def _cut_short(self, source: Source, context: SessionContext) -> Session | None:
        with suppress(UnknownSession):
            head = await self.catalog.find(source.name)
            session = await Session.open(head.session, context)
            same = session and Source.from_json(session.history.started.source) == source
            mine = session and same and session.history.started.commission is None
            return session if session and mine and session.history.outcome is None else None
        return None

    def started(
        self, source: Source, policy: Policy, overrides: Mapping[str, Any], commission: Commission | None = None
    ) -> Started:
        """A session's first event."""
        upstream = [one.path for one in source.upstream]
        prds = [one.path for one in source.upstream if one.kind is Kind.PRD]
        return Started(
            feature=source.name,
            prd_path=prds[0] if prds else "",
            specs_path=source.paths[0] if source.paths else "",
            kind=source.kind,
            profile=policy.profile,
            policy=policy,
            paths=source.paths,
            upstream=tuple(upstream),
            source=source.to_json(),
            overrides={key: value for key, value in overrides.items() if value is not None},
            config_file=os.path.relpath(self.cwd / self.config_file, self.root) if self.config_file else "",
            version=__version__,
            commission=commission,
        )


def as_commissioned(started: Started, policy: Policy) -> Policy:
    """The policy with what a task asks for beyond the settings."""
    if started.commission is None:
        return policy
    kept = started.policy
    return replace(
        policy,
        rubric=kept.rubric,
        dialect=kept.dialect,
        exit_conditions=kept.exit_conditions,
        approval=kept.approval,
        seats=kept.seats if is_staged(kept) else policy.seats,
    )


@contextmanager
def _told_where(entry: AgentEntry) -> Generator[None]:
    """What is wrong with an agent, at the place where that is written."""
    try:
        yield
    except ConfigError as error:
        raise entry.error(error.message, *error.setting, hint=error.hint, at_key=error.unknown) from error


def _goes_on(history: History) -> bool:
    return history.outcome is None or history.outcome.waits


def new_id(name: str) -> str:
    return f"{name}-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


def open_project(config_file: str | None = None, warn: Callable[[str], None] | None = None) -> Project:
    """The app for the directory a command was started in."""
    cwd = Path.cwd()
    config = load(cwd, os.environ, file=Path(config_file) if config_file else None)
    return Project(config=config, cwd=cwd, config_file=config_file, warn=warn or _silent)
