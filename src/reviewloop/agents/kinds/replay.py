r"""Kind `replay`: an agent that gives recorded answers, for tests, demonstrations and repeating a session.

A transcript is a JSON array of entries, or one JSON object a line:

    [{"role": "review", "text": "{\"verdict\": ...}", "usage": {"input_tokens": 900, "output_tokens": 120}},
     {"role": "author", "text": "Done.", "edits": {"spec.md": "# Spec\n..."}},
     {"role": "review", "iteration": 2, "attempt": 1, "text": "no JSON at all"},
     {"role": "review", "iteration": 2, "attempt": 2, "error": {"cause": "timed_out", "message": "gone"}}]

What an entry says: `text`; `edits`, new texts by path (null deletes the file); `usage` (`input_tokens`,
`output_tokens`, `cost_usd`, `seconds`); `model`; `delay` in seconds; or `error` with a `cause` (`failed`, `missing`,
`timed_out`, `refused`), a `message` and maybe a `hint`. `{{marker}}` in a text stands for the call's marker, so that a
recorded answer carries a valid receipt.

Which calls it answers: those that agree with every one of `role`, `agent`, `stage`, `iteration` and `attempt` that it
has. If several entries do, those that name the iteration go before those that do not, and then those that name more go
before those that name less. Of entries that name the same things, the nth answers iteration n; or, where they name the
iteration, attempt n, and the last one all further attempts.

So an answer depends on the call alone, never on what was asked before: a session that is killed and resumed gets the
same answers as one that is not.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

from reviewloop.agents.settings import read_as
from reviewloop.core.types.review import Stage, Usage
from reviewloop.errors import (
    AgentError,
    AgentFailed,
    AgentMissing,
    AgentRefused,
    AgentTimedOut,
    ConfigError,
)
from reviewloop.ports import Job, Reply, Role

_ERRORS: Mapping[str, type[AgentError]] = {
    "failed": AgentFailed,
    "missing": AgentMissing,
    "timed_out": AgentTimedOut,
    "refused": AgentRefused,
}
MARKER = "{{marker}}"
_MATCH_KEYS = ("role", "agent", "stage", "iteration", "attempt")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedError:
    """An agent that gave no answer."""

    cause: Literal["failed", "missing", "timed_out", "refused"]
    message: str
    hint: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One recorded answer, and which calls it answers."""

    text: str = ""
    role: Role | None = None
    agent: str | None = None
    stage: Stage | None = None
    iteration: int | None = None
    attempt: int | None = None
    edits: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"])
    usage: Usage | None = None
    model: str | None = None
    delay: float = 0.0
    error: RecordedError | None = None

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}

    @property
    def names(self) -> tuple[str, ...]:
        """What it says about the calls it answers."""
        return tuple(name for name in _MATCH_KEYS if getattr(self, name) is not None)

    def answers(self, call: Mapping[str, Any]) -> bool:
        return all(getattr(self, name) == call[name] for name in self.names)


class Replay:
    """An agent with recorded answers."""

    edits_files = False

    def __init__(self, entries: Iterable[Entry | Mapping[str, Any]]) -> None:
        self._entries = [
            entry if isinstance(entry, Entry) else read_as(Entry, entry, what=f"entry {number}")
            for number, entry in enumerate(entries, 1)
        ]

    async def ask(self, job: Job) -> Reply:
        entry = self._entry(job)
        began = time.monotonic()
        try:
            async with asyncio.timeout(job.timeout):
                await asyncio.sleep(entry.delay)
        except TimeoutError:
            message = f"no answer within {job.timeout:g} s"
            raise AgentTimedOut(message, hint="the transcript's entry has a longer `delay`") from None
        if entry.error:
            raise _ERRORS[entry.error.cause](entry.error.message, hint=entry.error.hint)
        usage = entry.usage or Usage()
        return Reply(
            text=entry.text.replace(MARKER, job.marker),
            usage=usage if usage.seconds else replace(usage, seconds=time.monotonic() - began),
            model=entry.model,
            edits=entry.edits,
        )

    def _entry(self, job: Job) -> Entry:
        call = _call(job)
        alike: dict[tuple[str, ...], list[Entry]] = {}
        for entry in self._entries:
            if entry.answers(call):
                alike.setdefault(entry.names, []).append(entry)
        for names in sorted(alike, key=lambda names: ("iteration" not in names, -len(names))):
            if "iteration" in names:
                return alike[names][: call["attempt"]][-1]
            if job.iteration <= len(alike[names]):
                return alike[names][job.iteration - 1]
        said = ", ".join(f"{name} {value}" for name, value in call.items() if value is not None)
        raise AgentFailed(f"the transcript has no answer for this call: {said}", hint="add an entry for it")


def _call(job: Job) -> dict[str, Any]:
    """What an entry can ask of a call. The attempt is the last part of the call's key."""
    last = job.key.rpartition("/")[2]
    attempt = int(last) if last.isdecimal() else 1
    return {
        "role": job.role,
        "agent": job.agent,
        "stage": job.stage,
        "iteration": job.iteration,
        "attempt": max(1, attempt),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptSettings:
    """Where the recorded answers are."""

    transcript: str

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}


class Transcript(Replay):
    """A replay whose entries are in a file."""

    Settings = TranscriptSettings

    def __init__(self, name: str, settings: TranscriptSettings, base: Path) -> None:
        file = base / Path(settings.transcript).expanduser()
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            message = f"agent `{name}`: the transcript cannot be read: {error}"
            raise ConfigError(message, hint="`transcript` is relative to the configuration file") from error
        super().__init__(
            read_as(Entry, entry, what=f"entry {number}", file=str(file))
            for number, entry in enumerate(_parsed(text, str(file)), 1)
        )


def _parsed(text: str, file: str) -> Sequence[object]:
    if text.lstrip().startswith("["):
        return _json(text, file, line=1)
    return [_json(line, file, line=number) for number, line in enumerate(text.split("\n"), 1) if line.strip()]


def _json(text: str, file: str, *, line: int) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        at = line + error.lineno - 1
        raise ConfigError(f"not JSON: {error.msg}", file=file, line=at, column=error.colno) from error
