"""Stored cases, asked again: each is a session of its own in a ledger of its own, so nothing is asked twice."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from reviewloop import __version__
from reviewloop.app.project import Project
from reviewloop.app.sessions import Replay, open_replay, session_context
from reviewloop.config.resolve import resolve
from reviewloop.core.loop.budget import over
from reviewloop.core.session.history import History
from reviewloop.core.statistics.cases import Case, Retried, case_of, comparison, retried
from reviewloop.core.types.artifact import Artifact, Kind, SourceFile, digest_of
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.policy import Budget, Gate, OnInconclusive, Policy, Seat, Strategy
from reviewloop.core.types.review import Usage, Verdict
from reviewloop.core.types.verification import Verification
from reviewloop.engine.context import Observer, SessionContext
from reviewloop.errors import DamagedRecord, ReviewloopError, SessionHeld, UsageError
from reviewloop.ledger.sqlite import SqliteLedger
from reviewloop.ports import Ledger
from reviewloop.workspace.files import Limits
from reviewloop.workspace.in_memory import MemoryWorkspace
from reviewloop.workspace.source import Source, read_artifact

__all__ = ["Budget", "Candidate", "Replayed", "cases", "chosen_agent", "comparison", "replay"]

LEASE = "replay-cases"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Who is tried out, and with what: rubric and dialect as configured now, a text instead of the Standards."""

    agent: str
    configured: bool = False
    prompt: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What was asked and answered, now or before; `left` cases were not, for the reason `stopped` gives."""

    tried: tuple[Retried, ...]
    asked: int
    left: int
    stopped: str = ""


async def cases(project: Project, *, against: str | None, limit: int) -> list[Case]:
    """The newest sessions that say something about who was right, the newest first."""
    found: list[Case] = []
    for head in await project.ledger.heads():
        if len(found) == limit:
            break
        try:
            history = await project.catalog.history(head.session)
        except DamagedRecord as error:
            project.warn(f"session {head.feature} is not used as a case: {error.message}")
            continue
        case = case_of(head.session, history, against)
        if case and await _artifact(project, case):
            found.append(case)
    return found


async def replay(
    project: Project,
    cases: list[Case],
    candidate: Candidate,
    budget: Budget,
    observers: Sequence[Observer] = (),
    *,
    fresh: bool,
) -> Replayed:
    """Ask the candidate about every case that it has not answered before, while the budget lasts."""
    project = project.without_fallbacks()
    ledger = SqliteLedger(project.outputs.beside_ledger("replays.db"))
    tried: list[Retried] = []
    spent, asked, stopped = Usage(), 0, ""
    try:
        async with ledger.hold(LEASE):
            for case in cases:
                question = await _question(project, case, candidate, ledger, observers, fresh=fresh)
                is_new = question.history.outcome is None
                if is_new and (stopped := over(budget, spent) or ""):
                    break
                tried.append(retried(case, await question.ask()))
                if is_new:
                    asked += 1
                    spent += tried[-1].usage
    except SessionHeld as error:
        error.message, error.hint = f"cases are being replayed by {error.owner}", "wait for it, or stop that process"
        raise
    finally:
        await ledger.close()
    return Replayed(tried=tuple(tried), asked=asked, left=len(cases) - len(tried), stopped=stopped)


async def _question(
    project: Project, case: Case, candidate: Candidate, ledger: Ledger, observers: Sequence[Observer], *, fresh: bool
) -> Replay:
    """The session in which the candidate was asked; a new one if it gave no answer, or has to be asked again."""
    policy = _policy(project, case, candidate)
    context = replace(await _context(project, case, candidate), observers=tuple(observers))
    started = replace(case.history.started, policy=policy, profile=policy.profile, version=__version__, commission=None)

    def is_usable(history: History) -> bool:
        return not fresh and not _unheard(history)

    return await open_replay(_name(case, candidate, policy, context), started, context, ledger, is_usable)


def _unheard(history: History) -> bool:
    conclusion = history.iterations[0].conclusion if history.iterations else None
    return conclusion is None or conclusion.verdict is Verdict.INCONCLUSIVE


def _name(case: Case, candidate: Candidate, policy: Policy, context: SessionContext) -> str:
    """The same for the same question about the same text, so that its answer is found again."""
    rubrics = [asdict(policy.rubric_of(seat)) for seat in policy.seats]
    asked = [context.identity(candidate.agent), context.briefing.standards, policy.dialect, rubrics]
    key = digest_of(json.dumps([asked, case.iteration.checked.digest], sort_keys=True, default=str))[:12]
    return f"{case.session}/{candidate.agent}/{key}/"


async def _context(project: Project, case: Case, candidate: Candidate) -> SessionContext:
    """As it was then: the recorded text, what the rules found in it, and what a task's check printed.

    Memory is not told: it knows the answers.
    """
    artifact = await _artifact(project, case)
    assert artifact is not None
    checked = case.iteration.checked
    verified = checked.verified

    async def recorded(_: Artifact) -> tuple[Finding, ...]:
        return checked.facts[len(verified.findings) :] if verified else checked.facts

    async def not_run_again() -> Verification:
        assert verified is not None
        return verified

    started = case.history.started
    whole = session_context(project, Source.from_json(started.source), commission=started.commission)
    standards = whole.briefing.standards if candidate.prompt is None else candidate.prompt
    briefing = replace(whole.briefing, standards=standards, memory="", stage_memory={})
    return replace(
        whole,
        workspace=MemoryWorkspace(artifact),
        first_version=None,
        rules=recorded,
        verify=not_run_again if verified else None,
        briefing=briefing,
    )


def _policy(project: Project, case: Case, candidate: Candidate) -> Policy:
    """One review by the candidate for each rubric, and no other agent."""
    recorded = case.history.started.policy
    base = resolve(project.config, Kind(case.history.started.kind), {}) if candidate.configured else recorded
    places = dict.fromkeys((seat.stage, seat.rubric, seat.criterion) for seat in base.seats)
    return replace(
        base,
        seats=tuple(
            Seat(agent=candidate.agent, stage=stage, rubric=rubric, criterion=criterion)
            for stage, rubric, criterion in places
        ),
        author=None,
        max_iterations=1,
        static_gate=Gate.OFF,
        on_inconclusive=OnInconclusive.BLOCK,
        strategy=Strategy.SINGLE,
        speculative_quality=True,
        cache=False,
        tie_break=None,
        arbiter=None,
        approval=False,
        exit_conditions=(),
        experience={},
        suppressions=(),
        budget=Budget(),
    )


async def _artifact(project: Project, case: Case) -> Artifact | None:
    """The text of that time, from the ledger; what it builds on is not in it, and is read as it is now."""
    files: list[SourceFile] = []
    for state in case.iteration.checked.files:
        data = await project.ledger.blob(state.digest)
        if data is None:
            return None
        files.append(SourceFile(path=state.path, text=data.decode("utf-8", "surrogatepass")))
    started = case.history.started
    source = Source.from_json(started.source)
    upstream: tuple[Artifact, ...] = ()
    if source.upstream:
        try:
            upstream = read_artifact(project.root, source, Limits()).upstream
        except ReviewloopError:
            project.warn(
                f"{case.name}: its upstream documents cannot be read any more, so the candidate does not see them"
            )
    return Artifact(kind=Kind(started.kind), name=source.name, files=tuple(files), upstream=upstream)


def chosen_agent(project: Project, agent: str | None) -> str:
    """The candidate by name; the configured reviewer, of a panel the strongest, if none is named."""
    known = list(project.config.agents)
    name = agent or resolve(project.config, Kind.SPEC, {}).seats[-1].agent
    if name not in known:
        raise UsageError(f"there is no agent `{name}`", hint=f"the agents are {', '.join(known)}")
    return name
