"""What Reviewloop owes every agent that is a program, and the user: a clean environment, bounds, an honest exit."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator

from reviewloop.agents.process import processes
from reviewloop.agents.process.processes import Conversation, Done
from reviewloop.errors import AgentFailed
from reviewloop.ports import Job, Role
from reviewloop.temporary import own_folder


def _without_value(name: str) -> str:
    if "=" in name:
        raise ValueError("holds a value: write names with values as a mapping, {NAME: value}")
    return name


Variables = list[Annotated[str, AfterValidator(_without_value)]] | dict[str, str]
"""Names of environment variables to pass on, or names with values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversing:
    """A program that is spoken with, and where it works."""

    directory: Path
    program: Conversation


_PASSED_ON = ("PATH", "HOME", "LANG", "TERM", "USER", "SHELL")
_LOOK_SECONDS = 30.0


async def run_program(
    job: Job,
    command: Sequence[str],
    *,
    base: Path,
    env: Variables | None = None,
    timeout: float | None = None,  # noqa: ASYNC109 - the program has to be ended, not only our waiting
    confined: bool = True,
    limit: int = processes.STDOUT_LIMIT,
) -> Done:
    """Run a program on a job: in the job's directory, with its prompt, out of the user's tree.

    Args:
        job: What it is asked.
        command: The program and its arguments.
        base: What a program's relative path is relative to.
        env: What it needs of the environment, beyond what every program gets.
        timeout: Seconds it may take, if that is less than the job allows.
        confined: Without it, keeping out of the user's tree is left to a sandbox of the program's own.
        limit: Bytes it may print.

    Raises:
        AgentError: It did not run to its end. What it makes of its exit code is the caller's business: `check_exit`.
    """
    with own_folder() as own:
        variables = clean_environment(env or [], temporary=str(own)) | _about(job)
        return await processes.run(
            [processes.find_program(command[0], base=base, path=variables.get("PATH")), *command[1:]],
            stdin=job.prompt,
            cwd=job.directory or own,
            env=variables,
            timeout=min(timeout or job.timeout, job.timeout),
            confine=_out_of_bounds(job) if confined else None,
            limit=limit,
        )


@asynccontextmanager
async def converse(
    job: Job, command: Sequence[str], *, base: Path, env: Variables | None = None, line_limit: int
) -> AsyncGenerator[Conversing]:
    """Speak with a program about a job, on the same terms as `run_program`, but for the time, which is the caller's."""
    with own_folder() as own:
        variables = clean_environment(env or [], temporary=str(own)) | _about(job)
        program = processes.find_program(command[0], base=base, path=variables.get("PATH"))
        cwd = job.directory or own
        async with processes.conversing(
            [program, *command[1:]], cwd=cwd, env=variables, line_limit=line_limit, confine=_out_of_bounds(job)
        ) as conversation:
            yield Conversing(directory=cwd, program=conversation)


async def look_at(command: Sequence[str], *, base: Path, env: Variables | None = None) -> Done:
    """Run a program without a job, to learn something about it: in an empty directory, for some seconds at most."""
    with own_folder() as own:
        variables = clean_environment(env or [], temporary=str(own))
        program = processes.find_program(command[0], base=base, path=variables.get("PATH"))
        return await processes.run([program, *command[1:]], stdin="", cwd=own, env=variables, timeout=_LOOK_SECONDS)


def check_exit(name: str, done: Done) -> None:
    """Raise `AgentFailed` unless the program ended well and said all it had to say."""
    if done.truncated:
        message = f"{name} printed more than {len(done.stdout.encode()) / 1e6:.1f} MB and was ended"
        raise AgentFailed(message, returncode=done.returncode, stderr=done.stderr)
    if done.returncode:
        how = f"exited with {done.returncode}" if done.returncode > 0 else f"was ended by {_signal(-done.returncode)}"
        said = done.stderr.strip().splitlines()
        message = f"{name} {how}: {said[-1]}" if said else f"{name} {how}"
        raise AgentFailed(message, returncode=done.returncode, stderr=done.stderr)


def values_of(wanted: Variables) -> dict[str, str]:
    """Variables with their values: as given, or as they are in our own environment, if they are there."""
    if isinstance(wanted, Mapping):
        return dict(wanted)
    return {name: os.environ[name] for name in wanted if name in os.environ}


def clean_environment(wanted: Variables, *, temporary: str) -> dict[str, str]:
    """What every program needs, what was asked for, and nothing else: no keys and tokens of other tools."""
    passed_on = [name for name in os.environ if name in _PASSED_ON or name.startswith("LC_")]
    return {name: os.environ[name] for name in passed_on} | {"TMPDIR": temporary} | values_of(wanted)


def _about(job: Job) -> dict[str, str]:
    """What a program can know about its job."""
    paths = [str(job.directory / path) for path in job.artifact.paths] if job.directory else []
    return {
        "REVIEWLOOP_ROLE": job.role,
        "REVIEWLOOP_AGENT": job.agent,
        "REVIEWLOOP_SUBAGENT": job.subagent_type,
        "REVIEWLOOP_SESSION": job.session,
        "REVIEWLOOP_ITERATION": str(job.iteration),
        "REVIEWLOOP_STAGE": job.stage or "",
        "REVIEWLOOP_KIND": job.artifact.kind,
        "REVIEWLOOP_ARTIFACT": os.pathsep.join(paths),
    }


def _out_of_bounds(job: Job) -> Path | None:
    """The tree that the job's agent must not write to: the user's, unless an author is to work right there."""
    if job.protected is None or job.directory is None or job.role is Role.REVIEW:
        return job.protected
    in_place = job.directory.resolve().is_relative_to(job.protected.resolve())
    return None if in_place else job.protected


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # the real-time ones have no names
        return f"signal {number}"
