"""Applies a person's answer: accept, retry or reject the work; dismiss or add findings."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace

from reviewloop.core.judging.finding_status import dismiss
from reviewloop.core.loop.endings import ending
from reviewloop.core.loop.steps import Finish
from reviewloop.core.session.events import Added, Dismissed, Passed, Rejected, Resumed
from reviewloop.core.session.history import History
from reviewloop.core.types.decision import Action
from reviewloop.core.types.finding import Finding, Severity
from reviewloop.core.types.outcome import PASSING, Answer, Outcome
from reviewloop.core.types.policy import Policy
from reviewloop.core.types.review import Verdict
from reviewloop.engine.context import SessionContext
from reviewloop.engine.runner import run
from reviewloop.engine.session import Session
from reviewloop.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonAnswer:
    """A person's answer to a session."""

    action: Answer = Answer.CONTINUE
    note: str = ""
    by: str = ""
    dismiss: Sequence[str] = ()
    why: str = ""
    add: Sequence[str] = ()


async def apply_answer(session: Session, answer: PersonAnswer, policy: Policy, context: SessionContext) -> History:
    """Record a person's answer and continue the session."""
    await session.tell()
    if session.history.undo:
        await run(session, context)
    action = _action(session.history, answer)
    _findings(session, answer)
    if session.history.outcome is None or action is not Answer.CONTINUE:
        session.record(Resumed(action=action, note=answer.note, by=answer.by, policy=policy))
    match action:
        case Answer.ACCEPT:
            await _accept(session, answer, context)
        case Answer.REJECT:
            because = f"rejected by {answer.by or 'a person'}" + (f": {answer.note}" if answer.note else "")
            session.record(Rejected(feature=session.history.feature, because=because, by=answer.by))
        case _:
            pass
    await session.flush()
    return await run(session, context)


def _action(history: History, answer: PersonAnswer) -> Answer:
    """Return the action that the answer means: to continue a waiting session is to retry."""
    if answer.action.waives:
        return _waived(history, answer)
    if history.outcome is None:
        if answer.action in (Answer.CONTINUE, Answer.RETRY):
            return Answer.CONTINUE if not answer.note else Answer.RETRY
        return answer.action
    if history.outcome.waits:
        return Answer.RETRY if answer.action is Answer.CONTINUE else answer.action
    if answer.action is Answer.CONTINUE and not answer.note and not answer.dismiss and not answer.add:
        return Answer.CONTINUE
    raise _over(history)


def _waived(history: History, answer: PersonAnswer) -> Answer:
    """Return an action that skips reviews. Only features from a PRD have them."""
    name, option = history.feature, f"--{answer.action.replace('_', '-')}"
    if history.started.commission is None or not history.started.commission.feature:
        raise UsageError(
            f"{option} only works for features from a PRD, and session {name} is not one",
            hint=f"accept the work as it is: reviewloop resume {shlex.quote(name)} --accept",
        )
    if history.outcome is None or history.outcome.waits:
        return answer.action
    if answer.action is Answer.FROM_TASKS and history.outcome in PASSING:
        return answer.action
    raise _over(history)


def _over(history: History) -> UsageError:
    return UsageError(
        f"session {history.feature} is over: {history.outcome}", hint="start a new one with `reviewloop run`"
    )


async def _accept(session: Session, answer: PersonAnswer, context: SessionContext) -> None:
    """Accept the work as it is. Open findings become warnings."""
    history = session.history
    last = history.iterations[-1].conclusion if history.iterations else None
    left = [finding for finding in dismiss(last.findings, history) if finding.is_serious] if last else []
    who = answer.by or "a person"
    because = f"accepted as it is by {who}" + (f": {answer.note}" if answer.note else "")
    warnings = tuple(f"accepted although open: {finding.issue}" for finding in left)
    proposed = last and last.decision and last.decision.action is Action.APPROVE
    if history.policy.approval and last and last.verdict is Verdict.PASS:
        proposed, warnings = True, (*last.warnings, *warnings)
    if not proposed and not warnings:
        warnings = (because,)
    outcome = Outcome.PASSED_WITH_WARNINGS if warnings else Outcome.PASSED
    for payload in ending(history, Finish(outcome=outcome, because=because, warnings=warnings)):
        if isinstance(payload, Passed) and history.started.commission is None:
            # The person may have edited the text since the review, so the current text is the accepted one.
            payload = replace(payload, digest=(await context.workspace.read()).digest)
        session.record(payload)


def _findings(session: Session, answer: PersonAnswer) -> None:
    known = _open_findings(session.history)
    for name in answer.dismiss:
        if name not in known:
            raise UsageError(
                f"session {session.history.feature} has no finding {name}",
                hint=f"its findings are {', '.join(known) or 'none'}",
            )
        session.record(Dismissed(finding=known[name], why=answer.why or answer.note, by=answer.by))
    for number, issue in enumerate(answer.add, len(session.history.added) + 1):
        finding = Finding(issue=issue, severity=Severity.IMPORTANT, id=f"P{number}", by=(answer.by or "a person",))
        session.record(Added(finding=finding, by=answer.by))


def _open_findings(history: History) -> dict[str, Finding]:
    concluded = [iteration.conclusion for iteration in history.iterations if iteration.conclusion]
    return {finding.id: finding for finding in concluded[-1].findings} if concluded else {}
