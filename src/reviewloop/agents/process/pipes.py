"""The three pipes to a program. Prompt and output flow at the same time, so neither side blocks the other."""

from __future__ import annotations

import asyncio
import os
import subprocess
from typing import IO

STDERR_TAIL = 64 * 1024
_CHUNK = 64 * 1024
# The largest pipe that an unprivileged process can have on Linux.
_PIPE_SIZE = 1024 * 1024


class Pipes:
    """Writes the prompt, and keeps the first `limit` bytes of standard output and the end of standard error."""

    def __init__(self, process: subprocess.Popen[bytes], prompt: bytes, limit: int) -> None:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        self._stdin, self._stdout, self._stderr = process.stdin, process.stdout, process.stderr
        self._prompt = memoryview(prompt)
        self._limit = limit
        self._output = bytearray()
        self._messages = bytearray()
        self._loop = asyncio.get_running_loop()
        for pipe in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(pipe.fileno(), False)
        self._loop.add_writer(self._stdin, self._write_prompt)
        self._loop.add_reader(self._stdout, self._read_output)
        self._loop.add_reader(self._stderr, self._read_stderr)

    @property
    def overflowed(self) -> bool:
        return len(self._output) > self._limit

    @property
    def stdout(self) -> str:
        return self._output[: self._limit].decode(errors="replace")

    @property
    def stderr(self) -> str:
        return self._messages.decode(errors="replace")

    def close(self) -> None:
        """Read what is already in the pipes and close them. May be called twice."""
        while self._read_output():
            pass
        for _ in range(_PIPE_SIZE // _CHUNK):
            if not self._read_stderr():
                break
        self._close_stdin()
        self._close(self._stdout)
        self._close(self._stderr)

    def _write_prompt(self) -> None:
        try:
            written = os.write(self._stdin.fileno(), self._prompt[:_CHUNK])
        except BlockingIOError:
            return
        except BrokenPipeError:  # the program does not read its input, which is allowed
            written = len(self._prompt)
        self._prompt = self._prompt[written:]
        if not self._prompt:
            self._close_stdin()

    def _read_output(self) -> bool:
        """Read the next chunk. Returns False if there is none yet, or the pipe is closed."""
        chunk = self._read(self._stdout)
        self._output += chunk
        if self.overflowed:
            self._close(self._stdout)
        return bool(chunk)

    def _read_stderr(self) -> bool:
        chunk = self._read(self._stderr)
        self._messages += chunk
        del self._messages[:-STDERR_TAIL]
        return bool(chunk)

    def _read(self, pipe: IO[bytes]) -> bytes:
        if pipe.closed:
            return b""
        try:
            chunk = os.read(pipe.fileno(), _CHUNK)
        except BlockingIOError:
            return b""
        if not chunk:
            self._close(pipe)
        return chunk

    def _close_stdin(self) -> None:
        if not self._stdin.closed:
            self._loop.remove_writer(self._stdin)
            self._stdin.close()

    def _close(self, pipe: IO[bytes]) -> None:
        if not pipe.closed:
            self._loop.remove_reader(pipe)
            pipe.close()
