"""Kind `gemini`: Gemini CLI, as the user has installed it and logged in.

Without a terminal, its approval modes do not keep it from writing. An admin policy does: it denies every tool except
those that the role needs. `VENDOR.tested` is the version that `tests/live` runs against.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reviewloop.agents.kinds.vendor_program import Program, ProgramSettings, Vendor, options, printed_object, table_in
from reviewloop.agents.process import host
from reviewloop.agents.process.processes import Completed
from reviewloop.core.types.review import Usage
from reviewloop.errors import AgentError, AgentFailed
from reviewloop.ports import Job, Reply, Role
from reviewloop.temporary import own_folder

VENDOR = Vendor(
    program="gemini",
    tested="0.61.0",
    home="GEMINI_CLI_HOME",
    keys=("GEMINI_API_KEY",),
    login="run `gemini` and log in, or set GEMINI_API_KEY",
    needs=(
        "GOOGLE_GEMINI_BASE_URL",
        "GOOGLE_API_KEY",
        "GOOGLE_CLOUD_PROJECT",
        "GOOGLE_CLOUD_LOCATION",
        "GOOGLE_GENAI_USE_VERTEXAI",
    ),
)
_READ = ("read_file", "list_directory", "glob", "grep_search")
_TOOLS = {Role.REVIEW: _READ, Role.AUTHOR: (*_READ, "write_file", "replace")}
_MODES = {Role.REVIEW: "default", Role.AUTHOR: "auto_edit"}
_POLICY = """\
[[rule]]
toolName = "*"
decision = "deny"
priority = 900

[[rule]]
toolName = {tools}
decision = "allow"
priority = 950
"""
# For a run with an API key. One attempt is enough, because Reviewloop does the retrying.
_SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {"maxAttempts": 1, "enableAutoUpdate": False},
    "privacy": {"usageStatisticsEnabled": False},
}
# Its exit code is the HTTP status of the failed request, of which the system keeps the last eight bits.
_STATUSES = {status % 256: status for status in (400, 401, 403, 404, 408, 429, 500, 502, 503, 504, 529)}
_NO_LOGIN = 41


@dataclass(frozen=True, slots=True, kw_only=True)
class GeminiSettings(ProgramSettings):
    """The settings of a Gemini agent."""


class Gemini:
    Settings = GeminiSettings
    edits_files = True

    def __init__(self, name: str, settings: GeminiSettings, base: Path) -> None:
        self._name = name
        self._settings = settings
        self._program = Program(VENDOR, base, settings)

    async def ask(self, job: Job) -> Reply:
        version = await self._program.version()
        with self._program.environment() as env, own_folder() as folder:
            if self._program.key and not self._settings.config_dir:
                _write_settings(Path(env[VENDOR.home]))
            policy = _write_policy(folder, job.role)
            completed = await host.run_program(
                job, self._command(job, policy), base=self._program.base, env=env, timeout=self._settings.timeout
            )
        result = self._result(completed)
        models = _tables(table_in(table_in(result, "stats"), "models"))
        return Reply(
            text=str(result.get("response") or ""),
            usage=_usage(models, completed.seconds),
            model=next(iter(models), None),
            version=version,
            agent_session=result.get("session_id"),
            denials=_denials(result, job.role),
        )

    def hides(self, path: str) -> bool:
        """Hide GEMINI.md files: Gemini CLI obeys them in every folder, and no setting prevents that."""
        return path.rpartition("/")[2].lower() == "gemini.md"

    async def probe(self) -> str:
        found = await self._program.describe()
        if key := self._program.key:
            return f"{found}, logged in with {key}"
        with self._program.environment() as env:
            home = Path(env.get(VENDOR.home) or Path.home())
        if not (home / ".gemini" / "oauth_creds.json").is_file():
            raise self._program.not_logged_in()
        return f"{found}, logged in with an account"

    def _command(self, job: Job, policy: Path) -> list[str]:
        flags = {
            "--output-format": "json",
            "--model": job.model or self._settings.model,
            "--approval-mode": _MODES[job.role],
            "--admin-policy": str(policy),
            "--extensions": "none",
            "--prompt": "",
        }
        return [self._program.name, "--skip-trust", *options(flags)]

    def _result(self, completed: Completed) -> Mapping[str, Any]:
        result = printed_object(completed.stdout)
        if completed.returncode or "error" in result:
            raise self._failure(result, completed)
        if "response" not in result:
            # A killed run also ends here, because it exits with 0.
            raise AgentFailed(
                f"{self._name} printed no result", returncode=completed.returncode, stderr=completed.stderr
            )
        host.check_exit(self._name, completed)
        return result

    def _failure(self, result: Mapping[str, Any], completed: Completed) -> AgentError:
        if completed.returncode == _NO_LOGIN:
            return self._program.not_logged_in()
        error = table_in(result, "error") or table_in(
            printed_object(completed.stderr[completed.stderr.rfind("\n{") + 1 :]), "error"
        )
        message = str(error.get("message") or "")
        if status := _STATUSES.get(completed.returncode):
            return self._program.provider_error(status, message or f"status {status}", completed)
        if not message:
            host.check_exit(self._name, completed)
        return AgentFailed(f"{self._name}: {message}", returncode=completed.returncode, stderr=completed.stderr)


def _write_policy(folder: Path, role: Role) -> Path:
    policy = folder / "policy.toml"
    policy.write_text(_POLICY.format(tools=json.dumps(_TOOLS[role])), encoding="utf-8")
    return policy


def _write_settings(home: Path) -> None:
    folder = home / ".gemini"
    folder.mkdir(exist_ok=True)
    (folder / "settings.json").write_text(json.dumps(_SETTINGS), encoding="utf-8")


def _tables(table: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    return {key: table_in(table, key) for key in table}


def _usage(models: Mapping[str, Mapping[str, Any]], seconds: float) -> Usage:
    tokens = [table_in(model, "tokens") for model in models.values()]
    return Usage(
        input_tokens=sum(used.get("prompt", 0) for used in tokens) if tokens else None,
        output_tokens=sum(used.get("candidates", 0) + used.get("thoughts", 0) for used in tokens) if tokens else None,
        seconds=seconds,
    )


def _denials(result: Mapping[str, Any], role: Role) -> tuple[str, ...]:
    """List the tools that the model called although its role does not have them."""
    tools = _tables(table_in(table_in(table_in(result, "stats"), "tools"), "byName"))
    return tuple(f"{name}, {tool.get('fail')} times" for name, tool in tools.items() if name not in _TOOLS[role])
