"""Questions to agents, and the files they are about."""

from __future__ import annotations

from dataclasses import dataclass

from reviewloop.core.types.review import Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class FileState:
    """A file as it was read."""

    path: str
    digest: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """A file an author changed: digests before and after, None where there is no file."""

    path: str
    before: str | None
    after: str | None
    executable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """What of the artifact's text a reviewer was sent.

    `key` stands for the reviewer and all it judges by; `sections` are the digests of what was sent in full if that was
    not everything. The other sections it had reviewed before, word for word, under the same key.
    """

    key: str
    whole: bool = True
    sections: tuple[str, ...] = ()
    saved_chars: int = 0
    saved_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One question to one agent. The same key is the same call after a crash."""

    key: str
    agent: str
    attempt: int
    stage: Stage | None = None
    marker: str = ""
    prompt_chars: int = 0
    sent: Sent | None = None
