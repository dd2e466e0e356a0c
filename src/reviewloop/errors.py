"""All errors, as one tree.

```
ReviewloopError                 exit 3 unless a branch says otherwise
├── UsageError                  2  the command cannot be carried out as given
│   ├── ConfigError             2  a setting is invalid, with file, line and column
│   ├── ArtifactError           2  the artifact is missing, empty, binary, too large, ...
│   ├── ChangedSinceReview      2  a person accepts a text that changed since its review
│   └── UnknownSession          2  no session has that name
├── AgentError                  5  an agent gave no answer
│   ├── AgentMissing            5  the agent's program was not found
│   ├── AgentFailed             5  the agent exited with an error
│   ├── AgentTimedOut           5  the agent did not answer in time
│   ├── BudgetSpent             5  the session's budget ended the call
│   └── AgentRefused            5  policy or provider forbids the call
├── LedgerError                 3  the ledger could not be read or written
│   ├── LedgerUnusable          3  the whole ledger cannot be opened, read or written
│   │   └── LedgerVersion       3  a newer Reviewloop wrote the ledger
│   ├── AppendConflict          3  another process appended first
│   ├── DamagedRecord           3  an event of a session cannot be read; other sessions can
│   │   └── NewerRecord         3  a newer Reviewloop wrote the event
│   └── SessionHeld             4  another process works on the session
└── WorkspaceError              3  files could not be copied or brought back
```

Errors carry data. The command line turns them into a message, a hint and an exit code.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from enum import IntEnum
from typing import Literal

Cause = Literal["failed", "missing", "timed_out", "refused", "tampered", "budget"]
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
    """The base of all errors that Reviewloop raises."""

    exit_code = ExitCode.INTERNAL

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    @property
    def text(self) -> str:
        """The error as people read it, with its hint if there is one."""
        return f"error: {self.message}" + (f"\nhint: {self.hint}" if self.hint else "")


class UsageError(ReviewloopError):
    exit_code = ExitCode.USAGE


class ConfigError(UsageError):
    """A setting is invalid, with its file, line and column.

    `setting` is the path of keys to the setting, for a caller that knows the file; `unknown` if no such setting exists.
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
    def __init__(self, message: str, *, path: str | None = None, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.path = path


class ChangedSinceReview(UsageError):
    """A person accepts a text that changed since its review. `diff` shows the changes."""

    def __init__(self, session: str, paths: Sequence[str], diff: str) -> None:
        command = shlex.join(["reviewloop", "resume", session])
        super().__init__(
            f"{', '.join(paths) or 'the text'} changed since its review, so it was not accepted\n\n{diff}".rstrip(),
            hint=f"accept it with these changes: {command} --accept --anyway; or have it reviewed: {command} --retry",
        )
        self.paths = tuple(paths)
        self.diff = diff


class UnknownSession(UsageError):
    """No session has that name."""


class AgentError(ReviewloopError):
    """An agent gave no answer; `stderr` is what it wrote there."""

    exit_code = ExitCode.INCONCLUSIVE
    cause: Cause = "failed"

    def __init__(self, message: str, *, stderr: str = "", hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.stderr = stderr


class AgentMissing(AgentError):
    cause: Cause = "missing"


class AgentFailed(AgentError):
    """The agent exited with an error.

    `transient` if the same call may succeed later, for example after a rate limit or a lost connection. `retry_after`
    is the number of seconds to wait, if the provider stated it.
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
    cause: Cause = "timed_out"


class BudgetSpent(AgentError):
    """The rest of the session's budget was not enough for the call."""

    cause: Cause = "budget"


class AgentRefused(AgentError):
    cause: Cause = "refused"


class LedgerError(ReviewloopError):
    """The ledger could not be read or written."""


class LedgerUnusable(LedgerError):
    """The whole ledger cannot be opened, read or written."""


class AppendConflict(LedgerError):
    """Another process appended to the session first, or its events are gone."""

    def __init__(self, session: str, *, expected: int, actual: int) -> None:
        gone = actual < expected
        super().__init__(
            f"session {session} has {actual} events, not {expected}: "
            + ("its record is gone" if gone else "another process wrote to it"),
            hint="restore the ledger if it was moved or deleted, or start again"
            if gone
            else "another process took over this session; see `reviewloop status`",
        )
        self.session = session
        self.expected = expected
        self.actual = actual


class DamagedRecord(LedgerError):
    """An event of a session cannot be read; other sessions can. `position` is its position in the feed, if known."""

    way_out = "restore the ledger from a backup, or start again with `reviewloop run --fresh`"

    def __init__(self, message: str, *, session: str = "", position: int | None = None) -> None:
        super().__init__(message, hint=self.way_out)
        self.session = session
        self.position = position


class NewerRecord(DamagedRecord):
    """A newer Reviewloop wrote the event."""

    way_out = "a newer Reviewloop wrote it: upgrade Reviewloop"


class SessionHeld(LedgerError):
    exit_code = ExitCode.BLOCKED

    def __init__(self, session: str, *, owner: str) -> None:
        super().__init__(
            f"session {session} is being worked on by {owner}",
            hint="wait for that process, or stop it and run `reviewloop resume " + session + "`",
        )
        self.session = session
        self.owner = owner


class LedgerVersion(LedgerUnusable):
    """A newer Reviewloop wrote the ledger."""


class WorkspaceError(ReviewloopError):
    """Files could not be copied or brought back."""
