"""Runs a session: does the step that `next_step` names, records the result, and repeats."""

from __future__ import annotations

from contextlib import nullcontext

from reviewloop.core.judging.judge import Judgement
from reviewloop.core.loop.endings import ending, iterated
from reviewloop.core.loop.next_step import next_step
from reviewloop.core.loop.steps import Ask, BringBack, Check, Conclude, Finish, Restore, Revise, Rule, Settle, Write
from reviewloop.core.panel.speculation import speculation, wasted_usage
from reviewloop.core.session.events import Discarded
from reviewloop.core.session.history import History
from reviewloop.core.types.outcome import Outcome, Reason
from reviewloop.engine.arbitration import rule, settle
from reviewloop.engine.author import bring_back, revise
from reviewloop.engine.checks import check
from reviewloop.engine.context import SessionContext
from reviewloop.engine.first_version import write
from reviewloop.engine.reviewers import ask
from reviewloop.engine.session import Session
from reviewloop.engine.undo import restore


async def run(session: Session, context: SessionContext) -> History:
    """Run until the session ends or waits for a person. All answers are on disk at the end, even after an error."""
    try:
        await _steps(session, context)
    finally:
        await session.flush()
    return session.history


async def _steps(session: Session, context: SessionContext) -> None:
    while session.history.outcome is None:
        match next_step(session.history, session.history.policy):
            case Write() as step:
                await write(session, step, context)
            case Check(number=number):
                await check(session, number, context)
            case Ask(due=due):
                await ask(session, due, context)
            case Settle(pairs=pairs):
                await settle(session, pairs, context)
            case Conclude(judgement=judgement):
                _conclude(session, judgement)
            case Revise() as step:
                await revise(session, step, context)
            case BringBack() as step:
                async with context.delivery() if step.authored.iteration == 0 else nullcontext():
                    await bring_back(session, step, context)
            case Rule() as step:
                await rule(session, step, context)
            case Restore() as step:
                await restore(session, step, context)
            case Finish() as step:
                await _finish(session, step, context)


async def _finish(session: Session, step: Finish, context: SessionContext) -> None:
    iteration = session.history.current
    if step.passes and iteration and (await context.workspace.read()).digest != iteration.checked.digest:
        await _review_again(session, context)
        return
    for payload in ending(session.history, step):
        session.record(payload)


async def _review_again(session: Session, context: SessionContext) -> None:
    """Continue with the new text: the artifact changed during the review, so the text that passed is outdated."""
    history = session.history
    if history.reviews_in_window < history.max_reviews:
        await check(session, len(history.iterations) + 1, context)
        return
    because = "the artifact changed during the review, and no review is left for the new text"
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
                reason="the spec stage failed, so the quality reviews do not count",
                usage=wasted_usage(iteration, judgement.discarded),
                waited=speculation(iteration).waited,
            )
        )
    session.record(iterated(judgement, session.history))
