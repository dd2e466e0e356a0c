"""Kind `codex`: Codex, as the user has it installed and logged in.

Its own sandbox keeps a reviewer from writing anything, and an author from writing outside its workspace. That sandbox
cannot be set up inside ours, so ours is used only if `sandbox` turns Codex's off. Settings, rules and instructions that
lie in the project are not loaded. Everything here was tried with the version in `VENDOR`; `tests/live` keeps it true.
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
from reviewloop.agents.process.processes import Done
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
    # What commands of the model see of the environment: no keys.
    "shell_environment_policy.inherit": "core",
    "project_doc_max_bytes": 0,
    "web_search": "disabled",
    "features.apps": False,
    "features.hooks": False,
    "features.plugins": False,
    "features.multi_agent": False,
    # The user's project may lie below /tmp; the run has a temporary directory of its own.
    "sandbox_workspace_write.exclude_slash_tmp": True,
}
# It reports everything that its commands print.
_EVENTS_LIMIT = 64 * 1024 * 1024
_STATUS = re.compile(r"status:? (\d{3})\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandboxes:
    """Which of Codex's sandboxes each role works in."""

    review: Sandbox = "read-only"
    author: Sandbox = "workspace-write"

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}

    def of(self, role: Role) -> Sandbox:
        return self.review if role is Role.REVIEW else self.author


@dataclass(frozen=True, slots=True, kw_only=True)
class CodexSettings(ProgramSettings):
    """How Codex is run. `config` are settings as in its `config.toml`, by dotted name."""

    sandbox: Sandboxes = field(default_factory=Sandboxes)
    append_system_prompt: str | None = None
    config: dict[str, Any] = field(default_factory=dict[str, Any])


class Codex:
    """An agent that is Codex."""

    Settings = CodexSettings
    edits_files = True

    def __init__(self, name: str, settings: CodexSettings, base: Path) -> None:
        self._name = name
        self._settings = settings
        self._program = Program(VENDOR, base, settings)
        # Headless, it takes a key from this variable only.
        if self._program.key:
            self._program.variables.setdefault("CODEX_API_KEY", self._program.variables[self._program.key])

    async def ask(self, job: Job) -> Reply:
        version = await self._program.version()
        sandbox = self._settings.sandbox.of(job.role)
        with self._program.environment() as env, _schema_file(job) as schema:
            done = await host.run_program(
                job,
                self._command(job, sandbox, schema),
                base=self._program.base,
                env=env,
                timeout=self._settings.timeout,
                confined=sandbox == "danger-full-access",
                limit=_EVENTS_LIMIT,
            )
        said = _said(done.stdout)
        if said.failure is not None or said.usage is None:
            raise self._failure(said, done)
        host.check_exit(self._name, done)
        return Reply(
            text=said.text if schema is None else without_nulls(said.text),
            usage=Usage(
                input_tokens=said.usage.get("input_tokens"),
                output_tokens=said.usage.get("output_tokens"),
                seconds=done.seconds,
            ),
            model=job.model or self._settings.model,
            version=version,
            agent_session=said.thread,
            denials=said.denials,
        )

    async def probe(self) -> str:
        found = await self._program.found()
        sandboxed = await self._program.look("sandbox", "--", "true")
        works = "its sandbox works" if sandboxed.returncode == 0 else "its sandbox does NOT work here: see `sandbox`"
        return f"{found}, {works}, {await self._login()}"

    async def _login(self) -> str:
        if "model_provider" in self._settings.config:
            return f"model provider {self._settings.config['model_provider']}"
        if self._program.key:
            return f"logged in by {self._program.key}"
        done = await self._program.look("login", "status")
        if done.returncode:
            raise self._program.not_logged_in()
        said = [line for line in (done.stdout + done.stderr).splitlines() if "logged in" in line.lower()]
        return said[0].strip().lower() if said else "logged in"

    def _command(self, job: Job, sandbox: Sandbox, schema: str | None) -> list[str]:
        mine = self._settings
        config = {**_CONFIG, **mine.config}
        if mine.append_system_prompt:
            config["developer_instructions"] = mine.append_system_prompt
        flags = {
            "--sandbox": sandbox,
            "--model": job.model or mine.model,
            "--cd": None if job.directory is None else str(job.directory),
            "--output-schema": schema,
        }
        return [
            *(self._program.name, "exec", "--json", "--skip-git-repo-check", "--ephemeral", "--ignore-rules"),
            *([] if mine.config_dir else ["--ignore-user-config"]),
            *options(flags),
            *(word for key, value in config.items() for word in ("-c", f"{key}={_toml(value)}")),
            "-",
        ]

    def _failure(self, said: _Said, done: Done) -> AgentError:
        if said.failure is None:
            host.check_exit(self._name, done)
            return AgentFailed(f"{self._name} ended without an answer", returncode=done.returncode, stderr=done.stderr)
        status = _STATUS.search(said.failure)
        if status or "stream disconnected" in said.failure:
            return self._program.refusal(int(status[1]) if status else None, said.failure, done)
        return AgentFailed(f"codex: {said.failure}", returncode=done.returncode, stderr=done.stderr)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """What its events come to. `usage` is there if the turn was completed, `failure` if it failed."""

    text: str
    thread: str | None
    usage: Mapping[str, Any] | None
    failure: str | None
    denials: tuple[str, ...]


def _said(stdout: str) -> _Said:
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
    return _Said(text=text, thread=thread, usage=usage, failure=failure, denials=tuple(denials))


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
    with own_folder() as own:
        file = own / "schema.json"
        file.write_text(json.dumps(strict(job.answer_schema)), encoding="utf-8")
        yield str(file)


def _toml(value: Any) -> str:
    """A value as TOML, which is JSON but for tables."""
    if isinstance(value, Mapping):
        pairs = cast("Mapping[str, Any]", value).items()
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(one)}" for key, one in pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(one) for one in cast("list[Any]", value)) + "]"
    return json.dumps(value, ensure_ascii=False)
