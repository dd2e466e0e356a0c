"""Kind `command`: anybody's program as an agent.

The program runs in the job's directory, reads the prompt on standard input and prints its answer. A non-zero exit or
a time-out is a failure, with what it wrote to standard error kept. It learns what the job is from `REVIEWLOOP_ROLE`,
`_AGENT`, `_SUBAGENT`, `_SESSION`, `_ITERATION`, `_STAGE`, `_KIND` and `_ARTIFACT` (paths, joined like those in `PATH`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field

from reviewloop.agents.process import host, processes
from reviewloop.core.types.review import Usage
from reviewloop.ports import Job, Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandSettings:
    """What to run, the seconds it may take, and variables to pass on: names, or names with values."""

    command: Annotated[list[str], Field(min_length=1)]
    timeout: Annotated[float, Field(gt=0)] | None = None
    env: host.Variables = field(default_factory=list[str])

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}


class Command:
    """An agent that is a program of the user's."""

    Settings = CommandSettings
    edits_files = True

    def __init__(self, name: str, settings: CommandSettings, base: Path) -> None:
        self._name = name
        self._settings = settings
        self._base = base

    async def ask(self, job: Job) -> Reply:
        mine = self._settings
        done = await host.run_program(job, mine.command, base=self._base, env=mine.env, timeout=mine.timeout)
        host.check_exit(self._name, done)
        return Reply(text=done.stdout, usage=Usage(seconds=done.seconds))

    async def probe(self) -> str:
        return processes.find_program(self._settings.command[0], base=self._base)
