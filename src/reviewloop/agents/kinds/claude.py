"""Kind `claude`: Claude Code, as the user has installed it and logged in.

A reviewer gets tools that read, an author also tools that edit; neither gets a shell. Settings, hooks and MCP servers
are not loaded. `VENDOR.tested` is the version that `tests/live` runs against.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field

from reviewloop.agents.kinds.vendor_program import (
    Program,
    ProgramSettings,
    Vendor,
    least,
    options,
    printed_object,
    table_in,
)
from reviewloop.agents.process import host
from reviewloop.agents.process.processes import Completed
from reviewloop.core.types.review import Usage
from reviewloop.errors import AgentError, AgentFailed
from reviewloop.ports import Job, Reply, Role

VENDOR = Vendor(
    program="claude",
    tested="2.1.325",
    home="CLAUDE_CONFIG_DIR",
    keys=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
    login="run `claude` and log in, or set ANTHROPIC_API_KEY",
    needs=("ANTHROPIC_BASE_URL", "ANTHROPIC_CUSTOM_HEADERS"),
    fixed={
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
        "DISABLE_AUTOUPDATER": "1",
        # Its own retries can take minutes, even after a provider_error. Reviewloop does the retrying.
        "CLAUDE_CODE_MAX_RETRIES": "2",
    },
)
_TOOLS = {Role.REVIEW: "Read,Grep,Glob", Role.AUTHOR: "Read,Grep,Glob,Edit,Write"}
_MODES = {Role.REVIEW: "dontAsk", Role.AUTHOR: "acceptEdits"}
_EXHAUSTED = {
    "error_max_turns": "raise `turns`",
    "error_max_budget_usd": "raise `budget_usd`",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Subagent:
    """A sub-agent of Claude Code: what it is for, and its system prompt."""

    prompt: str
    description: str = "asked for by Reviewloop"

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaudeSettings(ProgramSettings):
    """The settings of a Claude agent. `subagents` maps a job's `subagent_type` to the sub-agent that answers it."""

    turns: Annotated[int, Field(ge=1)] | None = None
    budget_usd: Annotated[float, Field(gt=0)] | None = None
    append_system_prompt: str | None = None
    subagents: dict[str, Subagent] = field(default_factory=dict[str, Subagent])


class Claude:
    Settings = ClaudeSettings
    edits_files = True

    def __init__(self, name: str, settings: ClaudeSettings, base: Path) -> None:
        self._name = name
        self._settings = settings
        self._program = Program(VENDOR, base, settings)

    async def ask(self, job: Job) -> Reply:
        version = await self._program.version()
        with self._program.environment() as env:
            completed = await host.run_program(
                job, self._command(job), base=self._program.base, env=env, timeout=self._settings.timeout
            )
        result = self._result(completed)
        return Reply(
            text=_text(result),
            usage=_usage(result, completed.seconds),
            model=next(iter(table_in(result, "modelUsage")), None),
            version=version,
            agent_session=result.get("session_id"),
            denials=tuple(_denial(denied) for denied in result.get("permission_denials") or ()),
        )

    async def probe(self) -> str:
        found = await self._program.describe()
        completed = await self._program.query("auth", "status", "--json")
        status = printed_object(completed.stdout)
        if not status.get("loggedIn"):
            raise self._program.not_logged_in()
        return f"{found}, logged in with {status.get('authMethod', 'an unknown method')}"

    def _command(self, job: Job) -> list[str]:
        settings = self._settings
        schema = None if job.answer_schema is None else json.dumps(job.answer_schema)
        subagent = settings.subagents.get(job.subagent_type)
        flags = {
            "--output-format": "json",
            "--tools": _TOOLS[job.role],
            "--permission-mode": _MODES[job.role],
            "--setting-sources": "",
            "--json-schema": schema,
            "--model": job.model or settings.model,
            "--max-turns": least(job.turns, settings.turns),
            "--max-budget-usd": settings.budget_usd,
            "--append-system-prompt": settings.append_system_prompt,
            "--agents": subagent and _definition(job.subagent_type, subagent),
            "--agent": subagent and job.subagent_type,
        }
        return [self._program.name, "-p", "--strict-mcp-config", "--no-session-persistence", *options(flags)]

    def _result(self, completed: Completed) -> Mapping[str, Any]:
        result = printed_object(completed.stdout)
        if result.get("type") != "result":
            host.check_exit(self._name, completed)
            raise AgentFailed(
                f"{self._name} printed no result", returncode=completed.returncode, stderr=completed.stderr
            )
        if result.get("is_error"):
            raise self._failure(result, completed)
        host.check_exit(self._name, completed)
        return result

    def _failure(self, result: Mapping[str, Any], completed: Completed) -> AgentError:
        message = "; ".join(result.get("errors") or ()) or str(result.get("result") or "no reason given")
        if hint := _EXHAUSTED.get(str(result.get("subtype"))):
            return AgentFailed(
                f"claude: {message}", returncode=completed.returncode, stderr=completed.stderr, hint=hint
            )
        status = result.get("api_error_status")
        # Without a login no request is made, so there is no status.
        if status is None and "logged in" in message.lower():
            return self._program.not_logged_in()
        return self._program.provider_error(status, message, completed)


def _definition(name: str, subagent: Subagent) -> str:
    return json.dumps({name: {"description": subagent.description, "prompt": subagent.prompt}})


def _text(result: Mapping[str, Any]) -> str:
    """Return the structured answer, or the plain text if the model ignored the schema."""
    structured = result.get("structured_output")
    return str(result.get("result") or "") if structured is None else json.dumps(structured, ensure_ascii=False)


def _usage(result: Mapping[str, Any], seconds: float) -> Usage:
    # `usage` leaves out retried requests, which cost money too.
    models: list[Mapping[str, Any]] = list(table_in(result, "modelUsage").values())
    inputs = ("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
    return Usage(
        input_tokens=sum(model.get(kind, 0) for model in models for kind in inputs) if models else None,
        output_tokens=sum(model.get("outputTokens", 0) for model in models) if models else None,
        cost_usd=result.get("total_cost_usd"),
        seconds=seconds,
    )


def _denial(denied: Mapping[str, Any]) -> str:
    return f"{denied.get('tool_name')} {json.dumps(denied.get('tool_input'), ensure_ascii=False)}"[:500]
