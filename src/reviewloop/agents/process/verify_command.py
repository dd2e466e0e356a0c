"""Runs a task's verify command in the project itself, because it needs what is installed there."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from reviewloop.agents.process import processes
from reviewloop.agents.process.host import clean_environment
from reviewloop.core.types.verification import Verification, Verify
from reviewloop.errors import AgentError, AgentTimedOut
from reviewloop.temporary import own_folder

KEPT = 16_000
"""The number of characters kept from the end of the output, where test runners report failures."""

# Standard error has no size limit and its end is kept, so the command prints everything there.
_TO_STDERR = "exec 1>&2\n"


async def verify(check: Verify, root: Path) -> Verification:
    """Run the command in a shell, without a terminal or keys, and end everything it started."""
    shell = shutil.which("bash") or shutil.which("sh") or "/bin/sh"
    began = time.monotonic()
    with own_folder() as own:
        try:
            completed = await processes.run(
                [shell, "-c", _TO_STDERR + check.command],
                stdin="",
                cwd=root,
                env=clean_environment([], temporary=str(own)),
                timeout=check.timeout,
            )
        except AgentError as error:
            timed_out = isinstance(error, AgentTimedOut)
            problem = (
                f"did not finish within {check.timeout:g} s" if timed_out else f"could not be run: {error.message}"
            )
            return Verification(
                command=check.command,
                exit_code=None,
                output=(error.stderr or "")[-KEPT:],
                seconds=time.monotonic() - began,
                problem=problem,
            )
    return Verification(
        command=check.command,
        exit_code=completed.returncode,
        output=completed.stderr[-KEPT:],
        seconds=completed.seconds,
    )
