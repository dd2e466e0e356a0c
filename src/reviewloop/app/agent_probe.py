"""One small question to an agent, to see that it answers."""

from __future__ import annotations

import time
from pathlib import Path

from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.rubric import FOUR_CRITERIA
from reviewloop.engine.calls import answer_within
from reviewloop.errors import AgentFailed
from reviewloop.ports import Agent, Job, Reply, Role
from reviewloop.temporary import own_folder

_TIMEOUT = 120.0
_NOTE = SourceFile(path="note.md", text="# Note\n\nThis file is only here to be looked at.\n")


async def call(agent: Agent, name: str, root: Path) -> str:
    """What the agent's answer was like. Raises `AgentError` if there is none."""
    with own_folder() as directory:
        (directory / _NOTE.path).write_text(_NOTE.text, encoding="utf-8")
        began = time.monotonic()
        reply = await answer_within(agent, _job(name, directory if agent.edits_files else None, root))
        seconds = time.monotonic() - began
    if not reply.text.strip() and reply.review is None:
        raise AgentFailed("it answered with nothing")
    return ", ".join([f"answered in {seconds:.1f} s", *_known(reply)])


def _job(name: str, directory: Path | None, root: Path) -> Job:
    return Job(
        key="doctor/1",
        agent=name,
        role=Role.REVIEW,
        prompt="This is a test of the connection. Use no tools. Answer with the one word: ready\n",
        session="doctor",
        iteration=1,
        artifact=Artifact(kind=Kind.SPEC, name="note", files=(_NOTE,)),
        rubric=FOUR_CRITERIA,
        directory=directory,
        protected=root,
        timeout=_TIMEOUT,
    )


def _known(reply: Reply) -> list[str]:
    usage = reply.usage
    known = {
        "model {}": reply.model,
        "version {}": reply.version,
        "{} tokens": usage.tokens or None,
        "{:.4f} USD": usage.cost_usd,
    }
    return [text.format(value) for text, value in known.items() if value is not None]
