"""The runner does what `next_step` says, writes down the result, and asks again."""

from __future__ import annotations

import shlex
from contextlib import nullcontext
from typing import Any

from reviewloop.engine.author import bring_back, revise
from reviewloop.engine.checking import check
from reviewloop.engine.desk import Desk
from reviewloop.engine.panel import ask
from reviewloop.engine.ruling import rule
from reviewloop.engine.session import Session
from reviewloop.engine.settling import settle
from reviewloop.engine.writing import write
from reviewloop.review.decision import Action
from reviewloop.review.events import Blocked, Discarded, Escalated, Iterated, Passed, Payload, Warned
from reviewloop.review.feature import is_of_specs
from reviewloop.review.history import History
from reviewloop.review.judge import Judgement
from reviewloop.review.loop import next_step
from reviewloop.review.outcome import Outcome, Reason
from reviewloop.review.panel import speculation, spent_in_vain
from reviewloop.review.record import FeedbackItem
from reviewloop.review.steps import Ask, BringBack, Check, Conclude, Finish, Revise, Rule, Settle, Write


async def run(session: Session, desk: Desk) -> History:
    """Go on until the session ends or waits for a person. Whatever happens, what was heard is on disk in the end."""
    try:
        await _steps(session, desk)
    finally:
        await session.flush()
    return session.history


async def _steps(session: Session, desk: Desk) -> None:
    while session.history.outcome is None:
        match next_step(session.history, session.history.policy):
            case Write() as step:
                await write(session, step, desk)
            case Check(number=number):
                await check(session, number, desk)
            case Ask(due=due):
                await ask(session, due, desk)
            case Settle(pairs=pairs):
                await settle(session, pairs, desk)
            case Conclude(judgement=judgement):
                _conclude(session, judgement)
            case Revise() as step:
                await revise(session, step, desk)
            case BringBack() as step:
                async with desk.delivery() if step.authored.iteration == 0 else nullcontext():
                    await bring_back(session, step, desk)
            case Rule() as step:
                await rule(session, step, desk)
            case Finish() as step:
                await _finish(session, step, desk)


async def _finish(session: Session, step: Finish, desk: Desk) -> None:
    iteration = session.history.current
    if step.passes and iteration and (await desk.workspace.read()).digest != iteration.checked.digest:
        await _look_again(session, desk)
        return
    for payload in ending(session.history, step):
        session.record(payload)


async def _look_again(session: Session, desk: Desk) -> None:
    """Somebody changed the artifact while it was reviewed: what passed is not what is there."""
    history = session.history
    if history.reviews_in_window < history.policy.max_iterations:
        await check(session, len(history.iterations) + 1, desk)
        return
    because = "the artifact changed while it was reviewed, and no review is left for the new text"
    step = Finish(outcome=Outcome.BLOCKED, because=because, reason=Reason.CONFLICT)
    for payload in ending(history, step):
        session.record(payload)


def _conclude(session: Session, judgement: Judgement) -> None:
    iteration = session.history.current
    assert iteration is not None
    if judgement.discarded:
        session.record(
            Discarded(
                iteration=iteration.number,
                keys=judgement.discarded,
                reason="the spec stage failed: quality was not the question yet",
                usage=spent_in_vain(iteration, judgement.discarded),
                waited=speculation(iteration).waited,
            )
        )
    session.record(iterated(judgement, session.history))


def iterated(judgement: Judgement, history: History) -> Iterated:
    iteration = history.current
    assert iteration is not None
    return Iterated(
        feature=history.feature,
        iteration=iteration.number,
        feedback=tuple(FeedbackItem.of(finding) for finding in judgement.findings if not finding.is_late),
        scores=judgement.scores,
        verdict=judgement.verdict,
        findings=judgement.findings,
        total=judgement.total,
        unjudged=judgement.unjudged,
        warnings=judgement.warnings,
        convergence=judgement.convergence,
        because=judgement.because,
        reason=judgement.reason,
        confidence=judgement.confidence,
        decision=judgement.decision,
        possible=judgement.possible,
    )


def ending(history: History, step: Finish) -> list[Payload]:
    """The events that end a session, or hand it to a person."""
    started = history.started
    if step.passes:
        last = history.current
        passed = Passed(
            feature=history.feature,
            prd_path=started.prd_path,
            specs_path=started.specs_path,
            outcome=step.outcome,
            because=step.because,
            digest=last.checked.digest if last else "",
        )
        number = last.number if last else 0
        warned = Warned(feature=history.feature, iteration=number, warnings=step.warnings)
        return [warned, passed] if step.warnings else [passed]
    assert step.reason is not None
    stopped: dict[str, Any] = {
        "feature": history.feature,
        "reason": step.because,
        "iterations": history.records,
        "recovery_actions": recovery_actions(history, step.reason),
        "current_specs_path": started.specs_path,
        "code": step.reason,
        "malformed": history.malformed,
    }
    if step.outcome is Outcome.BLOCKED:
        return [Blocked(**stopped)]
    proposal = str(step.decision.action) if step.decision and step.reason is Reason.PROPOSAL else None
    if step.reason is Reason.DECISION:
        proposal = str(Action.APPROVE)
    return [Escalated(**stopped, proposal=proposal, decision=step.decision)]


_FIRST_AID = {
    Reason.MALFORMED: "See what the reviewer said: reviewloop log {name} --full",
    Reason.UNANSWERED: "See which agents work: reviewloop doctor",
    Reason.TAMPERED: "See which files changed: reviewloop log {name}",
    Reason.BUDGET: "Raise the budget in the configuration",
    Reason.CONFLICT: "Compare both versions and keep what you want",
    Reason.NO_AUTHOR: "Edit the artifact, or name an author in the configuration",
    Reason.AUTHOR_FAILED: "See why the author failed: reviewloop log {name} --full",
    Reason.VALIDATION: "Edit the artifact until the rules have nothing left: reviewloop log {name}",
}


def recovery_actions(history: History, reason: Reason) -> tuple[str, ...]:
    """What a person can do. The last one is a command that works when pasted."""
    name = shlex.quote(history.feature)
    usual = "Edit the artifact to address what is left"
    return (
        f"Review the feedback of all iterations: reviewloop log {name}",
        _FIRST_AID.get(reason, usual).format(name=name),
        *_ways_around(history, name),
        f"Accept it as it is: reviewloop resume {name} --accept",
        f"reviewloop resume {name}",
    )


def _ways_around(history: History, name: str) -> tuple[str, ...]:
    """How a feature from a PRD goes on without another review, if there is anything to go on with."""
    commission = history.started.commission
    if commission is None or not commission.feature:
        return ()
    edited = f"After editing it by hand, let only the rules check it: reviewloop resume {name} --from-validation"
    skip = f"Go on although nobody passed it: reviewloop resume {name} --skip-review"
    anew = f"Have it written again: reviewloop resume {shlex.quote(commission.feature)} --from-tasks"
    return (edited, *((skip,) if history.iterations else ()), *(() if is_of_specs(history) else (anew,)))
