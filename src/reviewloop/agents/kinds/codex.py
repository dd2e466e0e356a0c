"""Kind `codex`: Codex, as the user has installed it and logged in.

Codex's own sandbox keeps a reviewer from writing anything, and an author from writing outside its workspace. It cannot
be set up inside Reviewloop's confinement, so the confinement is used only if `sandbox` turns Codex's sandbox off.
The project's settings, rules and instructions are not loaded. `VENDOR.tested` is the version that `tests/live` runs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, cast

from reviewloop.agents.kinds.answer_schema import strict, without_nulls
from reviewloop.agents.kinds.vendor_program import Program, ProgramSettings, Vendor, options
from reviewloop.agents.process import host
from reviewloop.agents.process.processes import Completed
from reviewloop.core.types.review import Usage
from reviewloop.errors import AgentError, AgentFailed
from reviewloop.ports import Job, Reply, Role
from reviewloop.temporary import own_folder

Sandbox = Literal["read-only", "workspace-write", "danger-full-access"]

VENDOR = Vendor(
    program="codex",
    tested="0.166.0",
    home="CODEX_HOME",
    keys=("CODEX_API_KEY", "OPENAI_API_KEY"),
    login="run `codex login`, or set OPENAI_API_KEY",
    needs=("OPENAI_BASE_URL", "OPENAI_ORGANIZATION", "OPENAI_PROJECT"),
)
_CONFIG = {
    # Commands that the model runs see no keys.
    "shell_environment_policy.inherit": "core",
    "project_doc_max_bytes": 0,
    "web_search": "disabled",
    "features.apps": False,
    "features.hooks": False,
    "features.plugins": False,
    "features.multi_agent": False,
    # The user's project may be below /tmp. The run has its own temporary directory.
    "sandbox_workspace_write.exclude_slash_tmp": True,
}
# The event stream contains everything that Codex's commands print.
_EVENTS_LIMIT = 64 * 1024 * 1024
_STATUS = re.compile(r"status:? (\d{3})\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandboxes:
    """The Codex sandbox for each role."""

    review: Sandbox = "read-only"
    author: Sandbox = "workspace-write"

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}

    def of(self, role: Role) -> Sandbox:
        return self.review if role is Role.REVIEW else self.author


@dataclass(frozen=True, slots=True, kw_only=True)
class CodexSettings(ProgramSettings):
    """The settings of a Codex agent. `config` holds settings of Codex's `config.toml` by dotted name."""

    sandbox: Sandboxes = field(default_factory=Sandboxes)
    append_system_prompt: str | None = None
    config: dict[str, Any] = field(default_factory=dict[str, Any])


class Codex:
    Settings = CodexSettings
    edits_files = True

    def __init__(self, name: str, settings: CodexSettings, base: Path) -> None:
        self._name = name
        self._settings = settings
        self._program = Program(VENDOR, base, settings)
        # `codex exec` reads its key only from this variable.
        if self._program.key:
            self._program.variables.setdefault("CODEX_API_KEY", self._program.variables[self._program.key])

    async def ask(self, job: Job) -> Reply:
        version = await self._program.version()
        sandbox = self._settings.sandbox.of(job.role)
        with self._program.environment() as env, _schema_file(job) as schema:
            completed = await host.run_program(
                job,
                self._command(job, sandbox, schema),
                base=self._program.base,
                env=env,
                timeout=self._settings.timeout,
                confined=sandbox == "danger-full-access",
                limit=_EVENTS_LIMIT,
            )
        turn = _read_turn(completed.stdout)
        if turn.failure is not None or turn.usage is None:
            raise self._failure(turn, completed)
        host.check_exit(self._name, completed)
        return Reply(
            text=turn.text if schema is None else without_nulls(turn.text),
            usage=Usage(
                input_tokens=turn.usage.get("input_tokens"),
                output_tokens=turn.usage.get("output_tokens"),
                seconds=completed.seconds,
            ),
            model=job.model or self._settings.model,
            version=version,
            agent_session=turn.thread,
            denials=turn.denials,
        )

    async def probe(self) -> str:
        found = await self._program.describe()
        check = await self._program.query("sandbox", "--", "true")
        sandbox = "its sandbox works" if check.returncode == 0 else "its sandbox does NOT work here: see `sandbox`"
        return f"{found}, {sandbox}, {await self._login()}"

    async def _login(self) -> str:
        if "model_provider" in self._settings.config:
            return f"model provider {self._settings.config['model_provider']}"
        if self._program.key:
            return f"logged in with {self._program.key}"
        completed = await self._program.query("login", "status")
        if completed.returncode:
            raise self._program.not_logged_in()
        lines = (completed.stdout + completed.stderr).splitlines()
        return next((line.strip().lower() for line in lines if "logged in" in line.lower()), "logged in")

    def _command(self, job: Job, sandbox: Sandbox, schema: str | None) -> list[str]:
        settings = self._settings
        config = {**_CONFIG, **settings.config}
        if settings.append_system_prompt:
            config["developer_instructions"] = settings.append_system_prompt
        flags = {
            "--sandbox": sandbox,
            "--model": job.model or settings.model,
            "--cd": None if job.directory is None else str(job.directory),
            "--output-schema": schema,
        }
        return [
            *(self._program.name, "exec", "--json", "--skip-git-repo-check", "--ephemeral", "--ignore-rules"),
            *([] if settings.config_dir else ["--ignore-user-config"]),
            *options(flags),
            *(word for key, value in config.items() for word in ("-c", f"{key}={_toml(value)}")),
            "-",
        ]

    def _failure(self, turn: _Turn, completed: Completed) -> AgentError:
        if turn.failure is None:
            host.check_exit(self._name, completed)
            return AgentFailed(
                f"{self._name} exited without an answer", returncode=completed.returncode, stderr=completed.stderr
            )
        status = _STATUS.search(turn.failure)
        if status or "stream disconnected" in turn.failure:
            return self._program.provider_error(int(status[1]) if status else None, turn.failure, completed)
        return AgentFailed(f"codex: {turn.failure}", returncode=completed.returncode, stderr=completed.stderr)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    """A turn as its events describe it. `usage` is set if the turn completed, `failure` if it failed."""

    text: str
    thread: str | None
    usage: Mapping[str, Any] | None
    failure: str | None
    denials: tuple[str, ...]


def _read_turn(stdout: str) -> _Turn:
    text, thread, failure = "", None, None
    usage: Mapping[str, Any] | None = None
    denials: list[str] = []
    for event in _events(stdout):
        match event:
            case {"type": "thread.started", "thread_id": str(thread)}:
                pass
            case {"type": "item.completed", "item": {"type": "agent_message", "text": str(text)}}:
                pass
            case {"type": "item.completed", "item": {"status": "declined", "type": kind, **rest}}:
                denials.append(f"{kind} {rest.get('command', '')}".strip()[:500])
            case {"type": "turn.completed"}:
                usage = event.get("usage") or {}
            case {"type": "turn.failed", "error": {"message": str(failure)}}:
                pass
            case _:
                pass
    return _Turn(text=text, thread=thread, usage=usage, failure=failure, denials=tuple(denials))


def _events(stdout: str) -> Iterator[dict[str, Any]]:
    for line in stdout.splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict):
            yield cast("dict[str, Any]", event)


@contextmanager
def _schema_file(job: Job) -> Generator[str | None, None, None]:
    if job.answer_schema is None:
        yield None
        return
    with own_folder() as folder:
        file = folder / "schema.json"
        file.write_text(json.dumps(strict(job.answer_schema)), encoding="utf-8")
        yield str(file)


def _toml(value: Any) -> str:
    """Format a value as TOML, which differs from JSON only in tables."""
    if isinstance(value, Mapping):
        pairs = cast("Mapping[str, Any]", value).items()
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(member)}" for key, member in pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(item) for item in cast("list[Any]", value)) + "]"
    return json.dumps(value, ensure_ascii=False)
