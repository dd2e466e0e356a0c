"""Runs a program, and ends it together with every process it started."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from reviewloop.agents.process import confinement, descendants
from reviewloop.agents.process.pipes import STDERR_TAIL, Pipes
from reviewloop.errors import AgentFailed, AgentMissing, AgentTimedOut

STDOUT_LIMIT = 4 * 1024 * 1024
GRACE = 5.0
_POLL = 0.02
_SEARCH = 0.1
_LINUX = sys.platform == "linux"


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """A program that has ended. A negative `returncode` is the signal that ended it. `stderr` is its last part."""

    stdout: str
    stderr: str
    returncode: int
    seconds: float
    truncated: bool = False


async def run(
    command: Sequence[str],
    *,
    stdin: str,
    cwd: Path,
    env: Mapping[str, str],
    timeout: float,  # noqa: ASYNC109 - the program has to be ended, not only the wait for it
    limit: int = STDOUT_LIMIT,
    confine: Path | None = None,
    grace: float = GRACE,
) -> Completed:
    """Run a program to its end, and end everything it started.

    Args:
        command: The program, as an absolute path (see `find_program`), and its arguments.
        stdin: The program's input.
        cwd: The working directory.
        env: The whole environment.
        timeout: Seconds until the program is ended.
        limit: Bytes of output after which the program is ended, with `truncated` set.
        confine: The tree that is write-protected, if this machine supports it (`confinement.confinement`).
        grace: Seconds between SIGTERM and SIGKILL.

    Raises:
        AgentMissing: The program could not be started.
        AgentTimedOut: The program was ended after `timeout` seconds.
        AgentFailed: The program could not be confined, or the directory does not exist.
    """
    run_mark = uuid.uuid4().hex
    began = time.monotonic()
    with _guard(run_mark) as guard, _start(command, cwd, {**env, descendants.VARIABLE: run_mark}, confine) as started:
        process = started.process
        guard.watch(process.pid)
        pipes = Pipes(process, stdin.encode(errors="replace"), limit)
        try:
            timed_out = not await _wait(process, pipes, timeout)
        finally:
            await _end_run(process, pipes, run_mark, grace)
        if reason := started.launch_error():
            raise _not_started(command[0], reason)
    if timed_out:
        message = f"no answer within {timeout:g} s"
        raise AgentTimedOut(message, stderr=pipes.stderr, hint="raise `timeout`, or find out why it hangs")
    return Completed(
        stdout=pipes.stdout,
        stderr=pipes.stderr,
        returncode=-signal.SIGKILL if process.returncode is None else process.returncode,
        seconds=time.monotonic() - began,
        truncated=pipes.overflowed,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A running program that exchanges messages over its standard input and output."""

    directory: Path
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    process: subprocess.Popen[bytes]
    messages: bytearray

    @property
    def stderr(self) -> str:
        return self.messages.decode(errors="replace")

    async def ended(self) -> int:
        """Wait until the program exits, and return its exit code."""
        while self.process.poll() is None:  # noqa: ASYNC110 - for the reason given in `_wait`
            await asyncio.sleep(_POLL)
        return self.process.returncode

    def close(self) -> None:
        self.writer.close()


@asynccontextmanager
async def converse(
    command: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    line_limit: int,
    confine: Path | None = None,
    grace: float = GRACE,
) -> AsyncGenerator[Conversation]:
    """Start a program, and end it with everything it started when the block ends.

    Args:
        command: The program, as an absolute path, and its arguments.
        cwd: The working directory.
        env: The whole environment.
        line_limit: The longest line that the program may print, in bytes.
        confine: The tree that is write-protected, if this machine supports it.
        grace: Seconds between SIGTERM and SIGKILL.

    Raises:
        AgentMissing: The program could not be started.
        AgentFailed: The program could not be confined, or the directory does not exist.
    """
    run_mark = uuid.uuid4().hex
    with _guard(run_mark) as guard, _start(command, cwd, {**env, descendants.VARIABLE: run_mark}, confine) as started:
        guard.watch(started.process.pid)
        async with AsyncExitStack() as stack:
            conversation = None
            try:
                conversation = await _connect(started.process, cwd, line_limit, stack)
                yield conversation
            finally:
                await _end_run(started.process, conversation, run_mark, grace)
                if reason := started.launch_error():
                    raise _not_started(command[0], reason)


async def _connect(
    process: subprocess.Popen[bytes], directory: Path, line_limit: int, stack: AsyncExitStack
) -> Conversation:
    assert process.stdin
    assert process.stdout
    assert process.stderr
    for pipe in (process.stdin, process.stdout, process.stderr):
        stack.callback(pipe.close)  # also if the task is cancelled before the pipe has a transport
    loop = asyncio.get_running_loop()
    reader, errors = asyncio.StreamReader(limit=line_limit), asyncio.StreamReader()
    for stream, pipe in ((reader, process.stdout), (errors, process.stderr)):
        transport, _ = await loop.connect_read_pipe(partial(asyncio.StreamReaderProtocol, stream), pipe)
        stack.callback(transport.close)
    input_pipe, protocol = await loop.connect_write_pipe(
        partial(asyncio.StreamReaderProtocol, asyncio.StreamReader()), process.stdin
    )
    stack.callback(_abort, input_pipe)
    messages = bytearray()
    collecting = asyncio.create_task(_collect(errors, messages))
    stack.callback(collecting.cancel)
    writer = asyncio.StreamWriter(input_pipe, protocol, None, loop)
    return Conversation(directory=directory, reader=reader, writer=writer, process=process, messages=messages)


def _abort(transport: asyncio.WriteTransport) -> None:
    """Close the pipe at once, and drop what the program has not read."""
    if not transport.is_closing() or transport.get_write_buffer_size():
        transport.abort()


async def _collect(errors: asyncio.StreamReader, messages: bytearray) -> None:
    while chunk := await errors.read(STDERR_TAIL):
        messages += chunk
        del messages[:-STDERR_TAIL]


def find_program(name: str, *, base: Path, path: str | None = None) -> str:
    """Return a program's absolute path. A name with a slash is relative to `base`; others are searched on `path`."""
    file = base / Path(name).expanduser() if "/" in name else None
    if found := shutil.which(file or name, path=path):
        return str(Path(found).absolute())
    if file is None:
        raise AgentMissing(f"program `{name}` not found", hint="install it, or give its path")
    if file.is_dir():
        raise AgentMissing(f"`{name}` is a directory, not a program", hint=f"the path is {file}")
    if file.exists():
        raise AgentMissing(f"`{name}` is not executable", hint=f"run `chmod +x {file}`")
    raise AgentMissing(f"program `{name}` not found", hint=f"there is no file {file}")


@dataclass(frozen=True, slots=True)
class _Guard:
    process: subprocess.Popen[bytes] | None

    def watch(self, leader: int) -> None:
        if self.process and self.process.stdin:
            with suppress(BrokenPipeError):
                os.write(self.process.stdin.fileno(), str(leader).encode())


@contextmanager
def _guard(run_mark: str) -> Generator[_Guard, None, None]:
    """Start a process that kills the run's processes if Reviewloop itself is killed."""
    if not _LINUX:
        yield _Guard(None)
        return
    try:
        process = subprocess.Popen(
            descendants.guard_command(run_mark),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={},
            cwd="/",
            start_new_session=True,
        )
    except OSError as error:
        raise AgentFailed(f"cannot start a process: {error}") from error
    with process:
        try:
            yield _Guard(process)
        finally:
            process.kill()


@dataclass(frozen=True, slots=True)
class _Started:
    process: subprocess.Popen[bytes]
    report: int

    def launch_error(self) -> str:
        """Return the error that the launcher reported, or an empty text if it started the program."""
        with suppress(BlockingIOError):
            return os.read(self.report, 4096).decode(errors="replace")
        return ""


@contextmanager
def _start(
    command: Sequence[str], cwd: Path, env: Mapping[str, str], confine: Path | None
) -> Generator[_Started, None, None]:
    report, write_report = os.pipe()
    os.set_blocking(report, False)
    protected = None if confine is None else str(confine)
    argv = confinement.launch(command, report=write_report, deny_write=protected) if _LINUX else command
    try:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=env,
            start_new_session=True,
            pass_fds=(write_report,),
            bufsize=0,
        )
    except (OSError, ValueError) as error:
        os.close(report)
        raise AgentFailed(f"`{command[0]}` could not be started in {cwd}: {error}") from error
    finally:
        os.close(write_report)
    try:
        yield _Started(process, report)
    finally:
        os.close(report)


def _not_started(program: str, reason: str) -> AgentMissing | AgentFailed:
    if not reason.isdigit():
        return AgentFailed(f"`{program}` could not be confined: {reason}")
    return AgentMissing(
        f"`{program}` could not be started: {os.strerror(int(reason))}",
        hint="a script needs a first line such as `#!/bin/sh` that names an installed program",
    )


async def _wait(process: subprocess.Popen[bytes], pipes: Pipes, seconds: float) -> bool:
    """Wait until the program exits or exceeds the output limit. Returns False if it does neither in time."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            # In some Python versions, asyncio's own wait also waits for pipes that a grandchild holds open.
            while process.poll() is None and not pipes.overflowed:  # noqa: ASYNC110
                await asyncio.sleep(_POLL)
    return process.poll() is not None or pipes.overflowed


async def _end_run(
    process: subprocess.Popen[bytes], pipes: Pipes | Conversation | None, run_mark: str, grace: float
) -> None:
    """End every process of the run: SIGTERM first, SIGKILL after `grace` seconds or on cancellation."""
    if process.poll() is not None and pipes:
        # Output of processes that outlive the program is not part of the answer.
        pipes.close()
    until = time.monotonic() + grace
    try:
        alive = descendants.terminate(run_mark, process.pid)
        while alive and time.monotonic() < until:
            await asyncio.sleep(_SEARCH)
            process.poll()
            alive = bool(descendants.find(run_mark, process.pid))
    finally:
        descendants.kill(run_mark, process.pid)
        # A process that hangs in the kernel ignores even SIGKILL.
        with suppress(subprocess.TimeoutExpired):
            process.wait(1)
        if pipes:
            pipes.close()
