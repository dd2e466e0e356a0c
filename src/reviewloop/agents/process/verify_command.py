"""Runs the command by which a task says it is done: in the project itself, since it needs what is installed there."""

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
"""How many characters of its output are kept: the last ones, where tests say what failed."""

# Everything it prints goes where the end of it is kept, however much it is.
_TOGETHER = "exec 1>&2\n"


async def verify(wanted: Verify, root: Path) -> Verification:
    """Run the command with a shell, without a terminal and without anybody's keys, and end all that it started."""
    shell = shutil.which("bash") or shutil.which("sh") or "/bin/sh"
    began = time.monotonic()
    with own_folder() as own:
        try:
            done = await processes.run(
                [shell, "-c", _TOGETHER + wanted.command],
                stdin="",
                cwd=root,
                env=clean_environment([], temporary=str(own)),
                timeout=wanted.timeout,
            )
        except AgentError as error:
            timed_out = isinstance(error, AgentTimedOut)
            problem = f"did not end within {wanted.timeout:g} s" if timed_out else f"could not be run: {error.message}"
            return Verification(
                command=wanted.command,
                exit_code=None,
                output=(error.stderr or "")[-KEPT:],
                seconds=time.monotonic() - began,
                problem=problem,
            )
    return Verification(
        command=wanted.command, exit_code=done.returncode, output=done.stderr[-KEPT:], seconds=done.seconds
    )
