"""Standard streams that a command can rely on, wherever they lead."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, TextIO, cast

from reviewloop.errors import ReviewloopError

if TYPE_CHECKING:
    from io import TextIOWrapper

_STANDARD_ERROR = 2


class Stream:
    """A standard stream. When nobody reads it any more, what is written goes nowhere and the work goes on.

    A gate whose output is cut off (`reviewloop review specs | head`) still has to say its verdict, and a loop must not
    stop in the middle because nobody watches it. What cannot be written for another reason, such as a full disk, is an
    error, unless the stream only carries `messages`.
    """

    def __init__(self, stream: TextIO, *, messages: bool) -> None:
        self._stream = stream
        self._messages = messages
        self.unread = False

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text) if text != "" else 0  # Click tries it out so, and hides what goes wrong
        except OSError as error:
            self._give_up(error)
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError as error:
            self._give_up(error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _give_up(self, error: OSError) -> None:
        self.unread = True
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)
        if not self._messages and not isinstance(error, BrokenPipeError):
            raise ReviewloopError(
                f"standard output cannot be written: {error.strerror}", hint="make room, or write it somewhere else"
            ) from error


def settle_streams() -> None:
    """Put such streams in place. A closed one leads nowhere, and no file of ours gets its number."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= _STANDARD_ERROR:
        pass
    os.close(descriptor)
    if not sys.stdin:
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = _settled(sys.stdout, 1, messages=False)
    sys.stderr = _settled(sys.stderr, _STANDARD_ERROR, messages=True)


def _settled(stream: TextIO | None, descriptor: int, *, messages: bool) -> TextIO:
    if not stream:  # it was closed when Python started
        stream = os.fdopen(descriptor, "w", encoding="utf-8", closefd=False)
    if not messages:
        cast("TextIOWrapper", stream).reconfigure(errors="replace")  # not every terminal knows every letter
    return cast("TextIO", Stream(stream, messages=messages))


def nobody_reads() -> bool:
    """Whether the reader of standard output is gone."""
    return getattr(sys.stdout, "unread", False)
