"""A project: its configuration, agents, ledger and views, put together in one place."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reviewloop.app.catalog import Catalog
from reviewloop.app.outputs import Outputs
from reviewloop.config.discover import start_folder
from reviewloop.config.load import load
from reviewloop.core.session.services import Services
from reviewloop.core.types.artifact import Artifact, digest_of
from reviewloop.core.types.policy import STATIC, Policy, Strategy
from reviewloop.errors import ConfigError

if TYPE_CHECKING:
    from reviewloop.app.targets.resolver import Resolver
    from reviewloop.config.agents import AgentEntry
    from reviewloop.config.model import Config
    from reviewloop.core.session.history import History
    from reviewloop.core.types.finding import Finding
    from reviewloop.ports import Agent, Ledger
    from reviewloop.rules import RuleSettings
    from reviewloop.workspace.source import Source


def _silent(_: str) -> None:
    return None


class LedgerStore:
    """The ledger of a project, opened when it is first needed."""

    def __init__(self) -> None:
        self._ledger: Ledger | None = None

    def open(self, where: str) -> Ledger:
        if self._ledger is None:
            if "://" in where:
                raise ConfigError("a PostgreSQL ledger is not available yet", hint="give `ledger` the path of a file")
            from reviewloop.ledger.sqlite import SqliteLedger

            self._ledger = SqliteLedger(Path(where))
        return self._ledger

    async def close(self) -> None:
        if self._ledger:
            await self._ledger.close()


@dataclass(frozen=True, kw_only=True)
class Project:
    """A project with everything it is configured to have."""

    config: Config
    cwd: Path
    config_file: str | None = None
    warn: Callable[[str], None] = field(default=_silent)
    store: LedgerStore = field(default_factory=LedgerStore)
    reported: set[str] = field(default_factory=set[str], repr=False, compare=False)

    @property
    def root(self) -> Path:
        return self.config.root

    @property
    def ledger(self) -> Ledger:
        return self.store.open(self.config.ledger)

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

    def without_fallbacks(self) -> Project:
        """The same project, in which nobody answers in place of an agent: for figures about that agent."""
        agents = {
            name: replace(entry, settings={key: value for key, value in entry.settings.items() if key != "fallback"})
            for name, entry in self.config.agents.items()
        }
        return replace(self, config=replace(self.config, agents=agents))

    def _built(self, entry: AgentEntry) -> Agent:
        from reviewloop.agents.assembly import assemble  # few commands ask agents

        return assemble(entry.kind, entry.name, entry.settings, self.root, egress=self.config.egress, find=self.agent)

    def policy(
        self, source: Source, overrides: Mapping[str, Any], *, for_task: bool = False, within: str | None = None
    ) -> Policy:
        """How strictly this artifact is reviewed, with what people have said is no issue in its service.

        `for_task`: it is a task's work, whose own checks the offline rules alone cannot judge. So they never pass it.
        `within`: the profile whose work a panel reviews.
        """
        from reviewloop.config.resolve import asks_agents, judged_by_rules, resolve

        policy = resolve(self.config, source.kind, overrides, within=within)
        if not for_task and not asks_agents(self.config, policy):
            policy = judged_by_rules(policy, source.kind)
        return replace(policy, suppressions=self.outputs.recall(source).suppressions)

    def identity(self, name: str) -> str:
        entry = self.config.agents.get(name)
        settings = [entry.kind, entry.settings] if entry else []
        return digest_of(json.dumps([name, *settings], sort_keys=True, default=str))

    @cached_property
    def rule_settings(self) -> RuleSettings:
        """The project's rules, with its baseline."""
        from reviewloop.app.baseline import load_baseline

        return replace(self.config.rules, baseline=load_baseline(self.root))

    async def rules(self, artifact: Artifact) -> tuple[Finding, ...]:
        """What the offline rules find in an artifact."""
        if not artifact.files:
            return ()
        from reviewloop.rules import check
        from reviewloop.rules.repository import repository_at

        report = await asyncio.to_thread(check, artifact, repository_at(self.root), self.rule_settings)
        return report.findings + report.unused

    @property
    def resolver(self) -> Resolver:
        from reviewloop.app.targets.resolver import Resolver

        return Resolver(root=self.root, cwd=self.cwd, scope=self.config.scope)

    def has_author(self, overrides: Mapping[str, Any]) -> bool:
        """Whether an author is configured, or named for this run."""
        return bool(overrides.get("author") or self.config.review.author)

    def refuse_wrong_agents(self, policy: Policy) -> None:
        """Report invalid agents before anything is recorded."""
        self.refuse_wrong_settings()
        for name in policy.agents:
            self.agent(name)

    def refuse_wrong_settings(self) -> None:
        """Refuse invalid settings of any agent, also of one that this command does not ask.

        Settings that have no effect are reported, once.
        """
        from reviewloop.agents.assembly import check_settings

        for name, entry in self.config.agents.items():
            if name not in self._agents and not entry.implied:
                with _told_where(entry):
                    check_settings(entry.kind, name, entry.settings)
        self._report(self.config.unused)

    def report_unused(self, overrides: Mapping[str, Any]) -> None:
        """Report the settings of the project that the flags given for one run leave without a use."""
        if all(value is None for value in overrides.values()):
            return
        from reviewloop.config.build import override
        from reviewloop.config.setting_uses import unused_settings

        config = override(self.config, overrides)
        self._report([f"{unused.place}: {unused.message}" for unused in unused_settings(config)])

    def report_missing_standards(self, paths: Sequence[str], policy: Policy) -> None:
        """Report constitutions without a Standards section to people whose reviewers are to judge by it."""
        from reviewloop.config.resolve import asks_agents
        from reviewloop.workspace.constitution import without_standards

        if not asks_agents(self.config, policy):
            return
        is_judged = "code_standards_met" in policy.criteria.names
        extra = [str(path) for path in self.config.constitution]
        for path in without_standards(self.root, paths, extra):
            if is_judged or path.name != "CLAUDE.md":
                what = "`code_standards_met` is judged without it" if is_judged else "reviewers get nothing from it"
                self._report([f"{os.path.relpath(path, self.cwd)} has no Standards section: {what}"])

    def _report(self, texts: Iterable[str]) -> None:
        for text in texts:
            if text not in self.reported:
                self.reported.add(text)
                self.warn(text)

    def warn_of_idle_budget(self, policy: Policy, author: str | None = None) -> None:
        """Warn of a budget that can never be spent, because no agent says how much it used.

        `author` writes a first version, if the session begins with one.
        """
        if policy.budget.tokens is None and policy.budget.usd is None:
            return
        from reviewloop.agents.registry import reports_cost, reports_tokens

        asked = self._with_fallbacks((*policy.agents, *filter(None, [author])))
        entries = {name: self.config.agents[name] for name in asked if name in self.config.agents}
        kinds = {name: entry.kind for name, entry in entries.items() if entry.kind != STATIC}
        if not kinds:
            return
        agents = ", ".join(f"{name} is of kind {kind}" for name, kind in kinds.items())
        if policy.budget.tokens is not None and not any(map(reports_tokens, kinds.values())):
            self._warn_once(f"budget.tokens has no effect: no agent reports its tokens ({agents})")
        if policy.budget.usd is not None and not any(map(reports_cost, kinds.values())):
            self._warn_once(f"budget.usd has no effect: no agent reports its cost ({agents})")

    def _with_fallbacks(self, names: Sequence[str]) -> list[str]:
        found = list(names)
        for name in found:  # grows while it is read
            entry = self.config.agents.get(name)
            fallback = entry.settings.get("fallback") if entry else None
            if isinstance(fallback, str) and fallback not in found:
                found.append(fallback)
        return found

    def _warn_once(self, text: str) -> None:
        if text not in self._warned:
            self._warned.add(text)
            self.warn(text)

    @cached_property
    def _warned(self) -> set[str]:
        return set()

    async def informed(self, policy: Policy) -> Policy:
        """The policy with what people made of a panel's decisions in the newest sessions: all would cost time."""
        if policy.strategy is not Strategy.PARALLEL:
            return policy
        from reviewloop.core.panel.calibration import answers, decisions
        from reviewloop.core.panel.stages import is_staged

        if not is_staged(policy):
            return policy
        recent = await self.catalog.recent()
        for session in recent.damaged:
            self.warn(f"decisions of session {session.head.feature} are ignored: {session.error.message}")
        past = [decision for session in recent.found for decision in decisions(session.session, session.payloads)]
        return replace(policy, experience=answers(past))

    def under(self, config_file: str) -> Project:
        """The same project under the configuration a session was started with, unless another one is named now."""
        if self.config_file or not config_file:
            return self
        config = load(self.cwd, os.environ, file=self.root / config_file)
        return replace(self, config=replace(config, ledger=self.config.ledger), config_file=config_file)

    def log_of(self, history: History) -> str | None:
        """Where a session's audit log is, as seen from where the user is."""
        path = self.outputs.log_of(history)
        return os.path.relpath(path, self.cwd) if path else None

    async def close(self) -> None:
        await self.store.close()


@contextmanager
def _told_where(entry: AgentEntry) -> Generator[None]:
    """Report a problem with an agent at the place of its setting."""
    try:
        yield
    except ConfigError as error:
        raise entry.error(error.message, *error.setting, hint=error.hint, at_key=error.unknown) from error


def open_project(
    config_file: str | None = None,
    warn: Callable[[str], None] | None = None,
    *,
    near: Sequence[str] = (),
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Project:
    """The project of a directory.

    Args:
        config_file: A configuration file to use instead of the project's.
        warn: Told of problems that end nothing.
        near: Paths that are to be reviewed: if the directory is in no project, theirs is opened.
        cwd: The directory; the current one unless given.
        environment: Where `REVIEWLOOP_*` settings are looked up; the process's unless given.
    """
    cwd = cwd or Path.cwd()
    settings = os.environ if environment is None else environment
    config = load(start_folder(cwd, near), settings, file=Path(config_file) if config_file else None)
    return Project(config=config, cwd=cwd, config_file=config_file, warn=warn or _silent)
