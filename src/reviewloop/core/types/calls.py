"""Calls to agents, and the files they read or change."""

from __future__ import annotations

from dataclasses import dataclass

from reviewloop.core.types.review import Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class FileState:
    path: str
    digest: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """A file that an author changed: digests before and after, None if the file does not exist.

    `mode_before` has the file's permission bits before the change, None if they are not known. `mode_after` sets them;
    None keeps those of the file that is replaced, except for what `executable` says.
    """

    path: str
    before: str | None
    after: str | None
    executable: bool = False
    mode_before: int | None = None
    mode_after: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """How much of the artifact a reviewer was sent.

    `key` identifies the reviewer and its criteria. If `whole` is false, `sections` are the digests of the sections that
    were sent in full; the reviewer had reviewed the others before, unchanged, under the same key.
    """

    key: str
    whole: bool = True
    sections: tuple[str, ...] = ()
    saved_chars: int = 0
    saved_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call to one agent. After a crash, the same key means the same call."""

    key: str
    agent: str
    attempt: int
    stage: Stage | None = None
    marker: str = ""
    prompt_chars: int = 0
    sent: Sent | None = None
