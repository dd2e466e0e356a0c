"""What can go wrong, as one tree.

```
ReviewloopError                 exit 3 unless a branch says otherwise
├── UsageError                  2  what was asked for cannot be done as asked
│   ├── ConfigError             2  a setting is wrong, with file, line and column
│   ├── ArtifactError           2  the artifact is missing, empty, binary, too large, ...
│   └── UnknownSession          2  no session has that name
├── AgentError                  5  an agent gave no answer at all
│   ├── AgentMissing            5  its program is not there
│   ├── AgentFailed             5  it exited with an error
│   ├── AgentTimedOut           5  it did not answer in time
│   └── AgentRefused            5  policy or provider forbids the call
├── LedgerError                 3  the record could not be read or written
│   ├── LedgerUnusable          3  the whole of it cannot be opened, read or written
│   │   └── LedgerVersion       3  because it was written by a newer Reviewloop
│   ├── AppendConflict          3  somebody else appended first
│   ├── DamagedRecord           3  an event of a session cannot be read; other sessions can
│   │   └── NewerRecord         3  because a newer Reviewloop wrote it
│   └── SessionHeld             4  another process works on the session
└── WorkspaceError              3  files could not be copied or brought back
```

Errors carry data; the edge turns them into a message, a hint and an exit code.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Literal

Cause = Literal["failed", "missing", "timed_out", "refused", "tampered"]
"""Why an agent gave no usable answer."""


class ExitCode(IntEnum):
    """Every exit code of the command line."""

    PASSED = 0
    NEEDS_REVISION = 1
    USAGE = 2
    INTERNAL = 3
    BLOCKED = 4
    INCONCLUSIVE = 5
    INTERRUPTED = 130


class ReviewloopError(Exception):
    """Base of everything Reviewloop raises on purpose."""

    exit_code = ExitCode.INTERNAL

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(ReviewloopError):
    """What was asked for cannot be done as asked."""

    exit_code = ExitCode.USAGE


class ConfigError(UsageError):
    """A setting is wrong; says where, and shows the line.

    `setting` is the way to it in what was read, for whoever knows where that was written; `unknown` if there is no
    such setting.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        source: str | None = None,
        width: int = 1,
        hint: str | None = None,
        setting: Sequence[str] = (),
        unknown: bool = False,
    ) -> None:
        super().__init__(message, hint=hint)
        self.setting = setting
        self.unknown = unknown
        self.file = file
        self.line = line
        self.column = column
        self.source = source
        self.width = width

    @property
    def where(self) -> str:
        return ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)


class ArtifactError(UsageError):
    """The artifact cannot be reviewed as it is."""

    def __init__(self, message: str, *, path: str | None = None, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.path = path


class UnknownSession(UsageError):
    """No session has that name."""


class AgentError(ReviewloopError):
    """An agent gave no answer at all; `stderr` is what it said about it."""

    exit_code = ExitCode.INCONCLUSIVE
    cause: Cause = "failed"

    def __init__(self, message: str, *, stderr: str = "", hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.stderr = stderr


class AgentMissing(AgentError):
    """The agent's program is not there."""

    cause: Cause = "missing"


class AgentFailed(AgentError):
    """The agent exited with an error.

    `transient` says that the same call may well succeed later: a rate limit, an overload, a lost connection.
    `retry_after` is how many seconds to wait before that, where the provider said so.
    """

    def __init__(
        self,
        message: str,
        *,
        returncode: int | None = None,
        stderr: str = "",
        hint: str | None = None,
        transient: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, stderr=stderr, hint=hint)
        self.returncode = returncode
        self.transient = transient
        self.retry_after = retry_after


class AgentTimedOut(AgentError):
    """The agent did not answer in time."""

    cause: Cause = "timed_out"


class AgentRefused(AgentError):
    """Policy or provider forbids the call."""

    cause: Cause = "refused"


class LedgerError(ReviewloopError):
    """The record could not be read or written."""


class LedgerUnusable(LedgerError):
    """The whole of it cannot be opened, read or written."""


class AppendConflict(LedgerError):
    """Somebody else appended to the session first, or took its record away."""

    def __init__(self, session: str, *, expected: int, actual: int) -> None:
        gone = actual < expected
        super().__init__(
            f"session {session} has {actual} events, not {expected}: "
            + ("its record was taken away" if gone else "somebody else wrote to it"),
            hint="was the ledger moved or deleted? put it back, or start anew"
            if gone
            else "another process took this session over; see `reviewloop status`",
        )
        self.session = session
        self.expected = expected
        self.actual = actual


class DamagedRecord(LedgerError):
    """An event of a session cannot be read; other sessions can. `position` is its place in the feed, if known."""

    way_out = "it was damaged or edited: restore the ledger from a backup, or start anew with `reviewloop run --fresh`"

    def __init__(self, message: str, *, session: str = "", position: int | None = None) -> None:
        super().__init__(message, hint=self.way_out)
        self.session = session
        self.position = position


class NewerRecord(DamagedRecord):
    """A newer Reviewloop wrote the event."""

    way_out = "a newer Reviewloop wrote it: upgrade this one"


class SessionHeld(LedgerError):
    """Another process works on the session."""

    exit_code = ExitCode.BLOCKED

    def __init__(self, session: str, *, owner: str) -> None:
        super().__init__(
            f"session {session} is being worked on by {owner}",
            hint="wait for it, or stop that process and run `reviewloop resume " + session + "`",
        )
        self.session = session
        self.owner = owner


class LedgerVersion(LedgerUnusable):
    """The ledger was written by a newer Reviewloop."""


class WorkspaceError(ReviewloopError):
    """Files could not be copied or brought back."""
