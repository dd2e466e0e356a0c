"""Asking the tie-break: one question about every pair of findings that may be the same."""

from __future__ import annotations

from dataclasses import replace

from reviewloop.engine.asking import failure_of
from reviewloop.engine.checking import reviewed_artifact
from reviewloop.engine.consulting import consult
from reviewloop.engine.desk import Desk
from reviewloop.engine.session import Session
from reviewloop.errors import AgentError
from reviewloop.ports import Reply
from reviewloop.review import tiebreak
from reviewloop.review.calls import Call
from reviewloop.review.events import Asked, Settled
from reviewloop.review.events.reviewing import PairRuling
from reviewloop.review.history import call_key
from reviewloop.review.panel import StagePair
from reviewloop.review.review import Usage


async def settle(session: Session, pairs: tuple[StagePair, ...], desk: Desk) -> None:
    """Ask once and put down the answer. If there is none, the pairs stay possibly the same."""
    iteration = session.history.current
    agent = session.history.policy.tie_break
    assert iteration is not None
    assert agent is not None
    marker = desk.clock.marker()
    prompt = tiebreak.question([one.pair for one in pairs], marker)
    stages = "+".join(dict.fromkeys(one.stage for one in pairs))
    call = Call(
        key=call_key(iteration.number, f"tie-break:{stages}"),
        agent=agent,
        attempt=1,
        marker=marker,
        prompt_chars=len(prompt),
    )
    session.record(Asked(iteration=iteration.number, calls=(call,)))
    await session.flush()
    started = desk.clock.now()
    settled = Settled(iteration=iteration.number, call=call, pairs=_rulings(pairs, ""))
    try:
        reply = await _answer(session, call, prompt, pairs, desk)
    except AgentError as error:
        seconds = (desk.clock.now() - started).total_seconds()
        settled = replace(settled, failure=failure_of(error), usage=Usage(seconds=seconds))
    else:
        seconds = reply.usage.seconds or (desk.clock.now() - started).total_seconds()
        settled = replace(
            settled,
            pairs=_rulings(pairs, reply.text),
            text=reply.text,
            usage=replace(reply.usage, seconds=seconds),
            model=reply.model,
        )
    session.record(settled)
    await session.flush()


async def _answer(session: Session, call: Call, prompt: str, pairs: tuple[StagePair, ...], desk: Desk) -> Reply:
    iteration = session.history.current
    assert iteration is not None
    artifact = await reviewed_artifact(session, iteration.checked, desk)
    return await consult(session, call, prompt, artifact, desk, tiebreak.schema([one.pair for one in pairs]))


def _rulings(pairs: tuple[StagePair, ...], text: str) -> tuple[PairRuling, ...]:
    said = tiebreak.read_answer(text, [one.pair for one in pairs]).rulings
    return tuple(
        PairRuling(
            pair=one.pair.id,
            stage=one.stage,
            first=one.pair.left.issue,
            second=one.pair.right.issue,
            ruling=said.get(one.pair.id),
        )
        for one in pairs
    )
