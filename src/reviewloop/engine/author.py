"""Asks the author to revise, in a scratch workspace. Its work is recorded before it reaches the user's tree."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from reviewloop.core.dialects import Answer
from reviewloop.core.judging.contest import contestable, latest_contests, read_contests
from reviewloop.core.loop.author_routing import author_of
from reviewloop.core.loop.steps import BringBack, Revise
from reviewloop.core.prompts.author import AuthorBrief, author_prompt
from reviewloop.core.session.events import Authored, AuthorFailed, Conflicted, Contested, Feedback, Iterated, Revised
from reviewloop.core.session.history import History, Iteration, call_key
from reviewloop.core.types.artifact import Artifact, SourceFile
from reviewloop.core.types.calls import Call, FileChange
from reviewloop.core.types.iteration_record import FeedbackItem
from reviewloop.core.types.policy import Policy
from reviewloop.core.types.review import Verdict
from reviewloop.engine.calls import (
    WorkRefused,
    answer_within,
    author_failure,
    hidden_from,
    paid_for,
    quotable,
    time_limit,
)
from reviewloop.engine.context import SessionContext
from reviewloop.engine.session import Session
from reviewloop.errors import AgentError, WorkspaceError
from reviewloop.ports import Agent, Job, Role


async def revise(session: Session, step: Revise, context: SessionContext) -> None:
    """Let the author address the findings. On return, its work is recorded, but not yet in the tree."""
    iteration = session.history.current
    assert iteration is not None
    author = step.turn.author
    call = Call(
        key=call_key(iteration.number, f"author:{author}"),
        agent=author,
        attempt=step.attempt,
        marker=context.clock.marker(),
    )
    _record_feedback(session, iteration, step, call)
    await session.flush()
    artifact = await context.workspace.read()
    started = context.clock.now()
    try:
        authored = await _work(session, iteration, step, call, artifact, context)
    except (AgentError, WorkspaceError, WorkRefused) as error:
        failure, usage = author_failure(error, (context.clock.now() - started).total_seconds())
        session.record(AuthorFailed(iteration=iteration.number, call=call, failure=failure, usage=usage))
    else:
        seconds = authored.usage.seconds or (context.clock.now() - started).total_seconds()
        session.record(replace(authored, usage=replace(authored.usage, seconds=seconds)))
        _record_contests(session, step, authored, artifact)
    await session.flush()


async def bring_back(session: Session, step: BringBack, context: SessionContext) -> None:
    """Put recorded work into the user's tree. After a crash, this runs again with the same result."""
    authored = step.authored
    conflict = await context.workspace.bring_back(authored.changes, await _texts_of(authored, session))
    if conflict:
        session.record(Conflicted(iteration=authored.iteration, paths=conflict.paths, kept_at=conflict.kept_at))
    else:
        paths = tuple(change.path for change in authored.changes)
        session.record(Revised(iteration=authored.iteration, paths=paths))


async def _texts_of(authored: Authored, session: Session) -> dict[str, bytes]:
    """Return the new texts that an author's recorded work refers to."""
    blobs: dict[str, bytes] = {}
    for digest in {change.after for change in authored.changes if change.after}:
        data = await session.text(digest)
        if data is None:
            raise WorkspaceError(
                f"the ledger does not contain the author's text {digest[:12]}",
                hint="restore the ledger from a backup, or start again with `reviewloop run --fresh`",
            )
        blobs[digest] = data
    return blobs


def _record_contests(session: Session, step: Revise, authored: Authored, artifact: Artifact) -> None:
    """Record the findings that the author calls wrong."""
    sources = [file.text for document in (artifact, *artifact.upstream) for file in document.files]
    text = _outside_files(authored.text, authored.call.marker)
    answer = Answer(text=text, marker=authored.call.marker, sources=quotable(text, sources))
    findings = {finding.id: finding for finding in contestable(step.turn.findings, session.history)}
    for name, reason in read_contests(answer, tuple(findings.values())).items():
        session.record(
            Contested(iteration=authored.iteration, finding=findings[name], reason=reason, by=authored.call.agent)
        )


def _outside_files(text: str, marker: str) -> str:
    """Return an author's own words: its answer without the texts of files."""
    block = rf"^[`*\s]*BEGIN {re.escape(marker)} .*?^[`*\s]*END {re.escape(marker)}"
    return re.sub(block, "", text, flags=re.MULTILINE | re.DOTALL) if marker else text


def _record_feedback(session: Session, iteration: Iteration, step: Revise, call: Call) -> None:
    conclusion = step.conclusion
    recorded = iteration.feedback.call if iteration.feedback else None
    if recorded and (recorded.key, recorded.attempt) == (call.key, call.attempt):
        return
    session.record(
        Feedback(
            feature=session.history.feature,
            iteration=iteration.number,
            feedback=_items_for(step, session.history.policy),
            scores=conclusion.scores,
            call=call,
        )
    )


def _items_for(step: Revise, policy: Policy) -> tuple[FeedbackItem, ...]:
    if not policy.authors:
        return step.conclusion.feedback
    return tuple(FeedbackItem.of(finding) for finding in step.turn.findings if finding.is_open)


async def _work(
    session: Session, iteration: Iteration, step: Revise, call: Call, artifact: Artifact, context: SessionContext
) -> Authored:
    agent = context.agents(call.agent)
    before = iteration.authored
    handed_on = await _handed_on(before, session) if before else {}
    async with context.workspace.scratch(artifact, hides=hidden_from(agent)) as scratch:
        if handed_on:
            await scratch.write(handed_on)
        job = _job(session, iteration, step, call, _with(artifact, handed_on), agent, context)
        reply = await answer_within(agent, replace(job, directory=scratch.directory if agent.edits_files else None))
        with paid_for(reply):
            if reply.edits:
                await scratch.write(reply.edits)
            work = await scratch.work()
    session.keep(work.blobs)
    return Authored(
        iteration=iteration.number,
        call=call,
        text=reply.text,
        changes=_since(before, work.changes),
        refused=work.refused,
        usage=reply.usage,
        model=reply.model,
        version=reply.version,
        agent_session=reply.agent_session,
        denials=reply.denials,
    )


async def _handed_on(authored: Authored, session: Session) -> dict[str, str | None]:
    """Return the texts of the previous author, from which the next author continues."""
    blobs = await _texts_of(authored, session)
    texts: dict[str, str | None] = {}
    for change in authored.changes:
        try:
            texts[change.path] = blobs[change.after].decode("utf-8", "surrogatepass") if change.after else None
        except UnicodeDecodeError as error:
            raise WorkspaceError(
                f"{change.path} is not text, so the next author cannot continue from it",
                hint="use a single author: remove `authors`",
            ) from error
    return texts


def _with(artifact: Artifact, texts: Mapping[str, str | None]) -> Artifact:
    files = (
        SourceFile(path=file.path, text=text) if (text := texts.get(file.path)) else file for file in artifact.files
    )
    return replace(artifact, files=tuple(files))


def _since(before: Authored | None, changes: tuple[FileChange, ...]) -> tuple[FileChange, ...]:
    """Return the changes since the first author began, so that edits in between are not overwritten."""
    began = {change.path: change for change in before.changes} if before else {}
    return tuple(
        replace(change, before=first.before, mode_before=first.mode_before)
        if (first := began.get(change.path))
        else change
        for change in changes
    )


def _job(
    session: Session,
    iteration: Iteration,
    step: Revise,
    call: Call,
    artifact: Artifact,
    agent: Agent,
    context: SessionContext,
) -> Job:
    history = session.history
    policy = history.policy
    author = step.turn.author
    facts = tuple(fact for fact in iteration.checked.facts if author_of(fact, policy) == author)
    failures = [failed for failed in iteration.author_failures if failed.call.agent == author]
    prompt = author_prompt(
        AuthorBrief(
            artifact=artifact,
            marker=call.marker,
            findings=step.turn.findings,
            iteration=iteration.number,
            fix=history.fixes_in_window + 1,
            max_fixes=history.max_fixes,
            facts=facts,
            notes=history.notes,
            standards=context.briefing.standards,
            task=context.briefing.task,
            acceptance_criteria=context.briefing.acceptance_criteria,
            verified=iteration.checked.verified,
            edits_files=agent.edits_files,
            problem=failures[-1].failure.message if failures else _idle_before(history, author),
            contests=latest_contests(history),
            sent_back=_sent_back(step.conclusion, history),
        )
    )
    limit = time_limit(history)
    return Job(
        key=f"{session.id}/{call.key}/{call.attempt}",
        agent=call.agent,
        role=Role.AUTHOR,
        prompt=prompt,
        session=session.id,
        iteration=iteration.number,
        artifact=artifact,
        rubric=policy.criteria,
        protected=context.protected,
        timeout=limit.seconds,
        budget=limit.budget,
        turns=policy.fix_timeout_turns,
        facts=iteration.checked.facts,
        marker=call.marker,
        feature=history.feature,
    )


def _idle_before(history: History, author: str) -> str:
    """What to tell an author who is asked again after it left the text as it was."""
    earlier = history.iterations[-2] if len(history.iterations) > 1 else None
    if earlier is None or not earlier.is_unchanged or author not in {work.call.agent for work in earlier.works}:
        return ""
    return "You changed nothing and contested no finding. Address each finding, or contest it."


def _sent_back(conclusion: Iterated, history: History) -> str:
    """What to tell an author whom a person, not the reviewers, asks for a revision."""
    if not conclusion.by_person:
        return ""
    opened = history.window.opened
    who = (opened.by if opened else "") or "A person"
    reviewed = [past.conclusion for past in history.iterations if past.conclusion and past.is_reviewed]
    passed = " The reviewers had passed it." if reviewed and reviewed[-1].verdict is Verdict.PASS else ""
    why = " The newest of the notes above says why." if opened and opened.note else ""
    return f"{who} sent the work back.{passed}{why}"
