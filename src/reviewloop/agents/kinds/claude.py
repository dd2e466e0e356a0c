"""Kind `claude`: Claude Code, as the user has it installed and logged in.

A reviewer gets tools that read, an author also those that edit; neither gets a shell. Settings, hooks and MCP servers
of any project are not loaded. Everything here was tried with the version in `VENDOR`; `tests/live` keeps it true.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field

from reviewloop.agents.kinds.printed_json import printed_object, table_in
from reviewloop.agents.kinds.vendor_program import Program, ProgramSettings, Vendor, least, options
from reviewloop.agents.process import host
from reviewloop.agents.process.processes import Done
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
        # It would go on for minutes, also after a refusal. Waiting longer is our business.
        "CLAUDE_CODE_MAX_RETRIES": "2",
    },
)
_TOOLS = {Role.REVIEW: "Read,Grep,Glob", Role.AUTHOR: "Read,Grep,Glob,Edit,Write"}
_MODES = {Role.REVIEW: "dontAsk", Role.AUTHOR: "acceptEdits"}
_EXHAUSTED = {
    "error_max_turns": "allow more `turns`",
    "error_max_budget_usd": "allow more with `budget_usd`",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Subagent:
    """A sub-agent of Claude Code: what it is for, and its system prompt."""

    prompt: str
    description: str = "asked for by Reviewloop"

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaudeSettings(ProgramSettings):
    """How Claude Code is run. `subagents` says who answers jobs for which `subagent_type`."""

    turns: Annotated[int, Field(ge=1)] | None = None
    budget_usd: Annotated[float, Field(gt=0)] | None = None
    append_system_prompt: str | None = None
    subagents: dict[str, Subagent] = field(default_factory=dict[str, Subagent])


class Claude:
    """An agent that is Claude Code."""

    Settings = ClaudeSettings
    edits_files = True

    def __init__(self, name: str, settings: ClaudeSettings, base: Path) -> None:
        self._name = name
        self._settings = settings
        self._program = Program(VENDOR, base, settings)

    async def ask(self, job: Job) -> Reply:
        version = await self._program.version()
        with self._program.environment() as env:
            done = await host.run_program(
                job, self._command(job), base=self._program.base, env=env, timeout=self._settings.timeout
            )
        result = self._result(done)
        return Reply(
            text=_text(result),
            usage=_usage(result, done.seconds),
            model=next(iter(table_in(result, "modelUsage")), None),
            version=version,
            agent_session=result.get("session_id"),
            denials=tuple(_denial(one) for one in result.get("permission_denials") or ()),
        )

    async def probe(self) -> str:
        found = await self._program.found()
        done = await self._program.look("auth", "status", "--json")
        status = printed_object(done.stdout)
        if not status.get("loggedIn"):
            raise self._program.not_logged_in()
        return f"{found}, logged in by {status.get('authMethod', 'some means')}"

    def _command(self, job: Job) -> list[str]:
        mine = self._settings
        schema = None if job.answer_schema is None else json.dumps(job.answer_schema)
        subagent = mine.subagents.get(job.subagent_type)
        flags = {
            "--output-format": "json",
            "--tools": _TOOLS[job.role],
            "--permission-mode": _MODES[job.role],
            "--setting-sources": "",
            "--json-schema": schema,
            "--model": job.model or mine.model,
            "--max-turns": least(job.turns, mine.turns),
            "--max-budget-usd": mine.budget_usd,
            "--append-system-prompt": mine.append_system_prompt,
            "--agents": subagent and _definition(job.subagent_type, subagent),
            "--agent": subagent and job.subagent_type,
        }
        return [self._program.name, "-p", "--strict-mcp-config", "--no-session-persistence", *options(flags)]

    def _result(self, done: Done) -> Mapping[str, Any]:
        result = printed_object(done.stdout)
        if result.get("type") != "result":
            host.check_exit(self._name, done)
            raise AgentFailed(f"{self._name} printed no result", returncode=done.returncode, stderr=done.stderr)
        if result.get("is_error"):
            raise self._failure(result, done)
        host.check_exit(self._name, done)
        return result

    def _failure(self, result: Mapping[str, Any], done: Done) -> AgentError:
        said = "; ".join(result.get("errors") or ()) or str(result.get("result") or "no reason given")
        if hint := _EXHAUSTED.get(str(result.get("subtype"))):
            return AgentFailed(f"claude: {said}", returncode=done.returncode, stderr=done.stderr, hint=hint)
        status = result.get("api_error_status")
        # There is no code for this one: it never got as far as a request.
        if status is None and "logged in" in said.lower():
            return self._program.not_logged_in()
        return self._program.refusal(status, said, done)


def _definition(name: str, subagent: Subagent) -> str:
    return json.dumps({name: {"description": subagent.description, "prompt": subagent.prompt}})


def _text(result: Mapping[str, Any]) -> str:
    """The structured answer, or the text: a model may ignore that a structure was asked for."""
    structured = result.get("structured_output")
    return str(result.get("result") or "") if structured is None else json.dumps(structured, ensure_ascii=False)


def _usage(result: Mapping[str, Any], seconds: float) -> Usage:
    # `usage` leaves out requests that were repeated, which are paid for all the same.
    models: list[Mapping[str, Any]] = list(table_in(result, "modelUsage").values())
    inputs = ("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
    return Usage(
        input_tokens=sum(one.get(kind, 0) for one in models for kind in inputs) if models else None,
        output_tokens=sum(one.get("outputTokens", 0) for one in models) if models else None,
        cost_usd=result.get("total_cost_usd"),
        seconds=seconds,
    )


def _denial(denied: Mapping[str, Any]) -> str:
    return f"{denied.get('tool_name')} {json.dumps(denied.get('tool_input'), ensure_ascii=False)}"[:500]
