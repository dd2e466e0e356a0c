"""What `doctor` looks at: the machine, the project's files, and every agent that is configured."""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from reviewloop.agents.process.confinement import confinement
from reviewloop.app.project import Project
from reviewloop.config.resolve import resolve
from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.rubric import FOUR_CRITERIA
from reviewloop.engine.calls import answer_within
from reviewloop.errors import AgentFailed, ConfigError, ReviewloopError
from reviewloop.ports import Agent, Job, Probed, Reply, Role
from reviewloop.temporary import own_folder

_TIMEOUT = 120.0
_NOTE = SourceFile(path="note.md", text="# Note\n\nThis file is only here to be looked at.\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at."""

    what: str
    ok: bool
    about: str
    hint: str | None = None


async def examine(project: Project, *, call: bool = False) -> list[Check]:
    """Look at everything; with `call`, also ask every agent something."""
    asked_for = [name for name, entry in project.config.agents.items() if not entry.implied or name in _in_use(project)]
    agents = [await _agent(project, name) for name in asked_for]
    if call:
        agents = [
            await _called(project, name) if seen.ok else seen for name, seen in zip(asked_for, agents, strict=True)
        ]
    return [*_machine(), *await _project(project), *agents]


def _in_use(project: Project) -> set[str]:
    return set(resolve(project.config, Kind.SPEC, {}).agents)


def _machine() -> list[Check]:
    git = shutil.which("git")
    confined = confinement()
    return [
        Check(what="python", ok=True, about=platform.python_version()),
        Check(what="sqlite", ok=True, about=sqlite3.sqlite_version),
        Check(what="git", ok=True, about=git or "not found: changes cannot be reviewed, documents can"),
        Check(
            what="write protection",
            ok=True,
            about=confined or "none: what agents change outside their copy is noticed, not prevented",
        ),
    ]


async def _project(project: Project) -> list[Check]:
    files = ", ".join(str(path) for path in project.config.files) or "none: the defaults hold"
    checks = [
        Check(what="project", ok=True, about=str(project.root)),
        Check(what="configuration", ok=True, about=files),
        *(Check(what="setting", ok=True, about=text) for text in project.config.unused),
    ]
    try:
        sessions = await project.catalog.everything()
    except ReviewloopError as error:
        return [*checks, Check(what="ledger", ok=False, about=error.message, hint=error.hint)]
    damaged = [
        Check(what=f"session {session.head.feature}", ok=False, about=session.error.message, hint=session.error.hint)
        for session in sessions.damaged
    ]
    return [*checks, _ledger(project, len(sessions.found) + len(damaged)), *damaged]


def _ledger(project: Project, sessions: int) -> Check:
    if closed := _cannot_be_written(Path(project.config.ledger)):
        return Check(
            what="ledger",
            ok=False,
            about=f"{closed} cannot be written",
            hint="make it writable: no run can be recorded",
        )
    return Check(what="ledger", ok=True, about=f"{project.config.ledger}, sessions: {sessions}")


def _cannot_be_written(file: Path) -> Path | None:
    """What keeps us from writing to a file, which may not be there yet: itself, or the nearest thing above it."""
    there = next(path for path in (file, *file.parents) if path.exists())
    return None if os.access(there, os.W_OK) and (there == file or there.is_dir()) else there


async def _agent(project: Project, name: str) -> Check:
    kind, settings = project.config.agents[name].kind, project.config.agents[name].settings
    try:
        agent = project.agent(name)
        found = await agent.probe() if isinstance(agent, Probed) else "ready"
    except ReviewloopError as error:
        where = f" ({error.where})" if isinstance(error, ConfigError) and error.where else ""
        return Check(what=f"agent {name}", ok=False, about=f"{kind}: {error.message}{where}", hint=error.hint)
    passed_on = cast("list[str]", settings.get("env")) if isinstance(settings.get("env"), list) else []
    missing = [name for name in passed_on if name not in os.environ]
    hint = f"not set, so not passed on to it: {', '.join(missing)}" if missing else None
    return Check(what=f"agent {name}", ok=True, about=f"{kind}: {found}", hint=hint)


async def _called(project: Project, name: str) -> Check:
    """Ask it one small thing, in a directory of its own, and say what came of it."""
    kind = project.config.agents[name].kind
    try:
        answered = await _ask(project.agent(name), name, project.root)
    except ReviewloopError as error:
        return Check(what=f"agent {name}", ok=False, about=f"{kind}: {error.message}", hint=error.hint)
    return Check(what=f"agent {name}", ok=True, about=f"{kind}: {answered}")


async def _ask(agent: Agent, name: str, root: Path) -> str:
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
