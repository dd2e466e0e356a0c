"""When a question goes to disk: before it is put, or, where answers come at once, together with its answer."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

from reviewloop.engine.desk import Desk
from reviewloop.engine.session import Session
from reviewloop.errors import AgentError

T = TypeVar("T")

AT_ONCE = 0.005
"""Seconds within which an answer is put down together with its question. Every other question is on disk by then."""


async def put_down(session: Session, agents: Iterable[str], desk: Desk) -> float | None:
    """Bring the question to disk; or say after how many seconds, if the session's last one was answered at once."""
    if session.is_answered_at_once and not works_on_files(agents, desk):
        return AT_ONCE
    await session.flush()
    return None


async def on_record(work: Coroutine[Any, Any, T], session: Session, patience: float | None) -> T:
    """What the work comes to. If it takes longer than our patience, its question goes to disk meanwhile."""
    began = asyncio.get_running_loop().time()
    try:
        return await (work if patience is None else _at_once(work, session, patience))
    finally:
        note_pace(session, began)


def note_pace(session: Session, began: float) -> None:
    session.is_answered_at_once = asyncio.get_running_loop().time() - began < AT_ONCE


async def _at_once(work: Coroutine[Any, Any, T], session: Session, patience: float) -> T:
    task = asyncio.create_task(work)
    try:
        await asyncio.wait((task,), timeout=patience)
        if not task.done():
            await session.flush()
        return await task
    finally:
        if not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


def works_on_files(agents: Iterable[str], desk: Desk) -> bool:
    """Whether one of them gets files into its hands. What views write must be there before, or it looks like theirs."""
    try:
        return any(desk.agents(name).hands_on for name in agents)
    except AgentError:
        return True
