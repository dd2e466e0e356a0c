"""Runs a program for a job: in a clean environment, with limits, and with its exit code checked."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator

from reviewloop.agents.process import processes
from reviewloop.agents.process.processes import Completed, Conversation
from reviewloop.errors import AgentFailed
from reviewloop.ports import Job, Role
from reviewloop.temporary import own_folder


def _without_value(name: str) -> str:
    if "=" in name:
        raise ValueError("contains a value: write names with values as a mapping, {NAME: value}")
    return name


Variables = list[Annotated[str, AfterValidator(_without_value)]] | dict[str, str]
"""Names of environment variables to pass on, or names with values."""


_PASSED_ON = ("PATH", "HOME", "LANG", "TERM", "USER", "SHELL")
_QUERY_SECONDS = 30.0


async def run_program(
    job: Job,
    command: Sequence[str],
    *,
    base: Path,
    env: Variables | None = None,
    timeout: float | None = None,  # noqa: ASYNC109 - the program has to be ended, not only the wait for it
    confined: bool = True,
    limit: int = processes.STDOUT_LIMIT,
) -> Completed:
    """Run a program on a job: in the job's directory, with the job's prompt, unable to write to the user's tree.

    Args:
        job: The job.
        command: The program and its arguments.
        base: The directory at which the program's relative path starts.
        env: Environment variables in addition to those that every program gets.
        timeout: Seconds the program may take, if that is less than the job allows.
        confined: False if the program's own sandbox protects the user's tree.
        limit: Bytes the program may print.

    Raises:
        AgentError: The program did not run to its end. Exit codes are left to the caller, see `check_exit`.
    """
    with own_folder() as own:
        variables = clean_environment(env or [], temporary=str(own)) | _job_variables(job)
        return await processes.run(
            [processes.find_program(command[0], base=base, path=variables.get("PATH")), *command[1:]],
            stdin=job.prompt,
            cwd=job.directory or own,
            env=variables,
            timeout=min(timeout or job.timeout, job.timeout),
            confine=_protected_tree(job) if confined else None,
            limit=limit,
        )


@asynccontextmanager
async def converse(
    job: Job, command: Sequence[str], *, base: Path, env: Variables | None = None, line_limit: int
) -> AsyncGenerator[Conversation]:
    """Start a program for a job as `run_program` does, and exchange messages with it. The caller limits the time."""
    with own_folder() as own:
        variables = clean_environment(env or [], temporary=str(own)) | _job_variables(job)
        program = processes.find_program(command[0], base=base, path=variables.get("PATH"))
        async with processes.converse(
            [program, *command[1:]],
            cwd=job.directory or own,
            env=variables,
            line_limit=line_limit,
            confine=_protected_tree(job),
        ) as conversation:
            yield conversation


async def query_program(command: Sequence[str], *, base: Path, env: Variables | None = None) -> Completed:
    """Run a program without a job, such as `--version`: in an empty directory, with a short timeout."""
    with own_folder() as own:
        variables = clean_environment(env or [], temporary=str(own))
        program = processes.find_program(command[0], base=base, path=variables.get("PATH"))
        return await processes.run([program, *command[1:]], stdin="", cwd=own, env=variables, timeout=_QUERY_SECONDS)


def check_exit(name: str, completed: Completed) -> None:
    """Raise `AgentFailed` if the program failed or its output was cut off."""
    if completed.truncated:
        message = f"{name} printed more than {len(completed.stdout.encode()) / 1e6:.1f} MB and was stopped"
        raise AgentFailed(message, returncode=completed.returncode, stderr=completed.stderr)
    if completed.returncode:
        code = completed.returncode
        ending = f"exited with {code}" if code > 0 else f"was killed by {_signal(-code)}"
        lines = completed.stderr.strip().splitlines()
        message = f"{name} {ending}: {lines[-1]}" if lines else f"{name} {ending}"
        raise AgentFailed(message, returncode=completed.returncode, stderr=completed.stderr)


def read_variables(wanted: Variables) -> dict[str, str]:
    """Return the variables with their values: as given, or from our own environment where they are set."""
    if isinstance(wanted, Mapping):
        return dict(wanted)
    return {name: os.environ[name] for name in wanted if name in os.environ}


def clean_environment(wanted: Variables, *, temporary: str) -> dict[str, str]:
    """Return the variables that every program needs and those in `wanted`, but no keys or tokens of other tools."""
    passed_on = [name for name in os.environ if name in _PASSED_ON or name.startswith("LC_")]
    return {name: os.environ[name] for name in passed_on} | {"TMPDIR": temporary} | read_variables(wanted)


def _job_variables(job: Job) -> dict[str, str]:
    """Return the environment variables that describe the job."""
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
        "REVIEWLOOP_MAX_TURNS": str(job.turns or ""),
    }


def _protected_tree(job: Job) -> Path | None:
    """Return the tree that the agent must not write to: the user's, unless an author works in it directly."""
    if job.protected is None or job.directory is None or job.role is Role.REVIEW:
        return job.protected
    in_place = job.directory.resolve().is_relative_to(job.protected.resolve())
    return None if in_place else job.protected


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # real-time signals have no names
        return f"signal {number}"
