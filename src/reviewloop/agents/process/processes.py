"""Runs an agent's program: the prompt goes in, the answer comes out, and nothing of it stays behind."""

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

from reviewloop.agents.process import confinement as confining
from reviewloop.agents.process import descendants
from reviewloop.agents.process.pipes import STDERR_TAIL, Pipes
from reviewloop.errors import AgentFailed, AgentMissing, AgentTimedOut

STDOUT_LIMIT = 4 * 1024 * 1024
GRACE = 5.0
_POLL = 0.02
_SEARCH = 0.1
_LINUX = sys.platform == "linux"


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What a program left. A negative `returncode` is the signal that ended it; `stderr` is the last of it."""

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
    timeout: float,  # noqa: ASYNC109 - the program has to be ended, not only our waiting
    limit: int = STDOUT_LIMIT,
    confine: Path | None = None,
    grace: float = GRACE,
) -> Done:
    """Run a program to its end, and end with it everything it started.

    Args:
        command: The program, as an absolute path (see `find_program`), and its arguments.
        stdin: What the program reads.
        cwd: Where it runs.
        env: Its whole environment.
        timeout: Seconds until it is ended.
        limit: Bytes of output after which it is ended, with `truncated` set.
        confine: The tree it must not write to, where this machine can see to that (`confine.confinement`).
        grace: Seconds between SIGTERM and SIGKILL.

    Raises:
        AgentMissing: It could not be started.
        AgentTimedOut: It was ended after `timeout` seconds.
        AgentFailed: It could not be confined, or there is no such directory.
    """
    run_mark = uuid.uuid4().hex
    began = time.monotonic()
    with _guard(run_mark) as guard, _start(command, cwd, {**env, descendants.VARIABLE: run_mark}, confine) as started:
        process = started.process
        guard.watch(process.pid)
        pipes = Pipes(process, stdin.encode(errors="replace"), limit)
        try:
            timed_out = not await _finished(process, pipes, timeout)
        finally:
            await _end(process, pipes, run_mark, grace)
        if why := started.reason_not_to_start():
            raise _not_started(command[0], why)
    if timed_out:
        message = f"no answer within {timeout:g} s"
        raise AgentTimedOut(message, stderr=pipes.stderr, hint="give it more time with `timeout`, or see why it hangs")
    return Done(
        stdout=pipes.stdout,
        stderr=pipes.stderr,
        returncode=-signal.SIGKILL if process.returncode is None else process.returncode,
        seconds=time.monotonic() - began,
        truncated=pipes.overflowed,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A program that is spoken with: what it says, and what it is told, as streams."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    process: subprocess.Popen[bytes]
    messages: bytearray

    @property
    def stderr(self) -> str:
        return self.messages.decode(errors="replace")

    async def ended(self) -> int:
        """Wait until the program exits; its exit code."""
        while self.process.poll() is None:  # noqa: ASYNC110 - for the reason given in `_finished`
            await asyncio.sleep(_POLL)
        return self.process.returncode

    def close(self) -> None:
        self.writer.close()


@asynccontextmanager
async def conversing(
    command: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    line_limit: int,
    confine: Path | None = None,
    grace: float = GRACE,
) -> AsyncGenerator[Conversation]:
    """Speak with a program for as long as the block runs, and end with it everything it started.

    Args:
        command: The program, as an absolute path, and its arguments.
        cwd: Where it runs.
        env: Its whole environment.
        line_limit: Bytes that a line it prints may have.
        confine: The tree it must not write to, where this machine can see to that.
        grace: Seconds between SIGTERM and SIGKILL.

    Raises:
        AgentMissing: It could not be started.
        AgentFailed: It could not be confined, or there is no such directory.
    """
    run_mark = uuid.uuid4().hex
    with _guard(run_mark) as guard, _start(command, cwd, {**env, descendants.VARIABLE: run_mark}, confine) as started:
        guard.watch(started.process.pid)
        async with AsyncExitStack() as stack:
            conversation = None
            try:
                conversation = await _streams(started.process, line_limit, stack)
                yield conversation
            finally:
                await _end(started.process, conversation, run_mark, grace)
                if why := started.reason_not_to_start():
                    raise _not_started(command[0], why)


async def _streams(process: subprocess.Popen[bytes], line_limit: int, stack: AsyncExitStack) -> Conversation:
    assert process.stdin
    assert process.stdout
    assert process.stderr
    for pipe in (process.stdin, process.stdout, process.stderr):
        stack.callback(pipe.close)  # also if we are cancelled before it has a transport
    loop = asyncio.get_running_loop()
    reader, errors = asyncio.StreamReader(limit=line_limit), asyncio.StreamReader()
    for stream, pipe in ((reader, process.stdout), (errors, process.stderr)):
        transport, _ = await loop.connect_read_pipe(partial(asyncio.StreamReaderProtocol, stream), pipe)
        stack.callback(transport.close)
    told, protocol = await loop.connect_write_pipe(
        partial(asyncio.StreamReaderProtocol, asyncio.StreamReader()), process.stdin
    )
    stack.callback(_hang_up, told)
    messages = bytearray()
    listening = asyncio.create_task(_listen(errors, messages))
    stack.callback(listening.cancel)
    writer = asyncio.StreamWriter(told, protocol, None, loop)
    return Conversation(reader=reader, writer=writer, process=process, messages=messages)


def _hang_up(transport: asyncio.WriteTransport) -> None:
    """Close it at once: what the program was not told yet, it will never hear."""
    if not transport.is_closing() or transport.get_write_buffer_size():
        transport.abort()


async def _listen(errors: asyncio.StreamReader, messages: bytearray) -> None:
    while chunk := await errors.read(STDERR_TAIL):
        messages += chunk
        del messages[:-STDERR_TAIL]


def find_program(name: str, *, base: Path, path: str | None = None) -> str:
    """The absolute path of a program; one with a slash in it is relative to `base`, others are looked up on `path`."""
    place = base / Path(name).expanduser() if "/" in name else None
    if found := shutil.which(place or name, path=path):
        return str(Path(found).absolute())
    if place is None:
        raise AgentMissing(f"there is no program `{name}`", hint="install it, or give its path")
    if place.is_dir():
        raise AgentMissing(f"`{name}` is a directory, not a program", hint=f"it stands for {place}")
    if place.exists():
        raise AgentMissing(f"`{name}` is not executable", hint=f"run `chmod +x {place}`")
    raise AgentMissing(f"there is no program `{name}`", hint=f"it stands for {place}")


@dataclass(frozen=True, slots=True)
class _Guard:
    process: subprocess.Popen[bytes] | None

    def watch(self, leader: int) -> None:
        if self.process and self.process.stdin:
            with suppress(BrokenPipeError):
                os.write(self.process.stdin.fileno(), str(leader).encode())


@contextmanager
def _guard(run_mark: str) -> Generator[_Guard, None, None]:
    """A process beside us that ends the run's processes if we are killed before we can."""
    if not _LINUX:
        yield _Guard(None)
        return
    try:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", descendants.__file__, run_mark],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={},
            cwd="/",
            start_new_session=True,
        )
    except OSError as error:
        raise AgentFailed(f"no process could be started: {error}") from error
    with process:
        try:
            yield _Guard(process)
        finally:
            process.kill()


@dataclass(frozen=True, slots=True)
class _Started:
    process: subprocess.Popen[bytes]
    report: int

    def reason_not_to_start(self) -> str:
        """What the launcher wrote instead of becoming the program."""
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
    argv = confining.launch(command, report=write_report, deny_write=protected) if _LINUX else command
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


def _not_started(program: str, why: str) -> AgentMissing | AgentFailed:
    if not why.isdigit():
        return AgentFailed(f"`{program}` could not be confined: {why}")
    return AgentMissing(
        f"`{program}` could not be started: {os.strerror(int(why))}",
        hint="a script needs a first line such as `#!/bin/sh`, and the program named there",
    )


async def _finished(process: subprocess.Popen[bytes], pipes: Pipes, seconds: float) -> bool:
    """Wait until the program exits or prints too much; False if it does neither in time."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            # Not asyncio's own wait: in some versions it also waits for pipes that a grandchild holds open.
            while process.poll() is None and not pipes.overflowed:  # noqa: ASYNC110
                await asyncio.sleep(_POLL)
    return process.poll() is not None or pipes.overflowed


async def _end(
    process: subprocess.Popen[bytes], pipes: Pipes | Conversation | None, run_mark: str, grace: float
) -> None:
    """End everything of the run: politely, and after `grace` seconds, or if we are hurried, by force."""
    if process.poll() is not None and pipes:
        # What its leftovers print from here on is not part of the answer.
        pipes.close()
    until = time.monotonic() + grace
    try:
        remain = descendants.ask_to_end(run_mark, process.pid)
        while remain and time.monotonic() < until:
            await asyncio.sleep(_SEARCH)
            process.poll()
            remain = bool(descendants.find(run_mark, process.pid))
    finally:
        descendants.end(run_mark, process.pid)
        # A process that hangs in the kernel does not even heed SIGKILL.
        with suppress(subprocess.TimeoutExpired):
            process.wait(1)
        if pipes:
            pipes.close()
