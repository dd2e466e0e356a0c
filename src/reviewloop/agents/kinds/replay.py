r"""Kind `replay`: recorded answers, for tests, demonstrations and repeating a session.

A transcript is a JSON array of entries, or one JSON object per line:

    [{"role": "review", "text": "{\"verdict\": ...}", "usage": {"input_tokens": 900, "output_tokens": 120}},
     {"role": "author", "text": "Done.", "edits": {"spec.md": "# Spec\n..."}},
     {"role": "review", "iteration": 2, "attempt": 1, "text": "no JSON at all"},
     {"role": "review", "iteration": 2, "attempt": 2, "error": {"cause": "timed_out", "message": "gone"}}]

An entry's answer: `text`; `edits`, new texts by path (null deletes the file); `usage` (`input_tokens`,
`output_tokens`, `cost_usd`, `seconds`); `model`; `answered_by`, the fallback that answered instead; `delay` in seconds;
or `error` with a `cause` (`failed`, `missing`, `timed_out`, `refused`, `budget`), a `message` and an optional `hint`.
`{{marker}}` in a text is replaced with the call's marker, so that a recorded answer carries a valid receipt.

An entry's conditions: `role`, `agent`, `stage`, `iteration`, `attempt`, `feature` (the session's name) and `call`, the
iteration and what is asked: `1/reviewer`, `1/spec:haiku`, `1/author:sonnet`, `1/ruling:F1:opus`. The entry answers the
calls that meet all conditions it has. If several entries match, entries with a call come first, then entries with an
iteration, then entries with more conditions. Among entries with the same conditions, the nth entry answers iteration n.
If they name the call or the iteration, the nth entry answers attempt n, and the last one all further attempts.

An answer depends only on the call, not on earlier calls. A session that is killed and resumed gets the same answers.
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
    BudgetSpent,
    ConfigError,
)
from reviewloop.ports import Job, Reply, Role

_ERRORS: Mapping[str, type[AgentError]] = {
    "failed": AgentFailed,
    "missing": AgentMissing,
    "timed_out": AgentTimedOut,
    "refused": AgentRefused,
    "budget": BudgetSpent,
}
MARKER = "{{marker}}"
_CONDITIONS = ("role", "agent", "stage", "iteration", "attempt", "feature", "call")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedError:
    """A recorded failure of an agent."""

    cause: Literal["failed", "missing", "timed_out", "refused", "budget"]
    message: str
    hint: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A recorded answer and its conditions."""

    text: str = ""
    role: Role | None = None
    agent: str | None = None
    stage: Stage | None = None
    iteration: int | None = None
    attempt: int | None = None
    feature: str | None = None
    call: str | None = None
    edits: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"])
    usage: Usage | None = None
    model: str | None = None
    answered_by: str | None = None
    delay: float = 0.0
    error: RecordedError | None = None

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}

    @property
    def conditions(self) -> tuple[str, ...]:
        return tuple(name for name in _CONDITIONS if getattr(self, name) is not None)

    def matches(self, call: Mapping[str, Any]) -> bool:
        return all(getattr(self, name) == call[name] for name in self.conditions)


class Replay:
    """An agent that gives recorded answers."""

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
            answered_by=entry.answered_by,
        )

    def _entry(self, job: Job) -> Entry:
        call = _call(job)
        matching: dict[tuple[str, ...], list[Entry]] = {}
        for entry in self._entries:
            if entry.matches(call):
                matching.setdefault(entry.conditions, []).append(entry)
        for names in sorted(matching, key=lambda names: ("call" not in names, "iteration" not in names, -len(names))):
            if "iteration" in names or "call" in names:
                return matching[names][: call["attempt"]][-1]
            if job.iteration <= len(matching[names]):
                return matching[names][job.iteration - 1]
        wanted = ", ".join(f"{name} {value}" for name, value in call.items() if value not in (None, ""))
        raise AgentFailed(f"the transcript has no answer for this call: {wanted}", hint="add an entry for it")


def _call(job: Job) -> dict[str, Any]:
    """Return the values that entries' conditions are compared with. A job's key is `SESSION/CALL/ATTEMPT`."""
    call, _, last = job.key.removeprefix(f"{job.session}/").rpartition("/")
    attempt = int(last) if last.isdecimal() else 1
    return {
        "role": job.role,
        "agent": job.agent,
        "stage": job.stage,
        "iteration": job.iteration,
        "attempt": max(1, attempt),
        "feature": job.feature,
        "call": call,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptSettings:
    transcript: str

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}


class Transcript(Replay):
    """A replay that reads its entries from a file."""

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
