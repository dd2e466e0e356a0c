"""Kind `command`: the user's own program as an agent.

The program runs in the job's directory, reads the prompt from standard input and prints its answer. A non-zero exit
or a timeout is a failure, and its standard error is kept. The variables `REVIEWLOOP_ROLE`, `_AGENT`, `_SUBAGENT`,
`_SESSION`, `_ITERATION`, `_STAGE`, `_KIND`, `_ARTIFACT` (paths, joined like those in `PATH`) and `_MAX_TURNS` describe
the job.
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
    """The command, its timeout in seconds, and environment variables to pass on: names, or names with values."""

    command: Annotated[list[str], Field(min_length=1)]
    timeout: Annotated[float, Field(gt=0)] | None = None
    env: host.Variables = field(default_factory=list[str])

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}


class Command:
    Settings = CommandSettings
    edits_files = True

    def __init__(self, name: str, settings: CommandSettings, base: Path) -> None:
        self._name = name
        self._settings = settings
        self._base = base

    async def ask(self, job: Job) -> Reply:
        settings = self._settings
        completed = await host.run_program(
            job, settings.command, base=self._base, env=settings.env, timeout=settings.timeout
        )
        host.check_exit(self._name, completed)
        return Reply(text=completed.stdout, usage=Usage(seconds=completed.seconds))

    async def probe(self) -> str:
        return processes.find_program(self._settings.command[0], base=self._base)
