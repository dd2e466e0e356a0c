"""Gemini CLI as it behaves: its output and exit codes, from a program that plays it."""

from __future__ import annotations

import asyncio
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from agent_programs import python

from reviewloop.agents.registry import build
from reviewloop.errors import AgentError, AgentFailed, AgentRefused
from reviewloop.ports import Agent, HidesFiles, Probed, Reply, Role
from reviewloop.testing.agents import AgentConformance, ask, job_for

TOKENS = {"prompt": 12, "candidates": 9, "thoughts": 2, "total": 23}
DONE = {
    "session_id": "s-1",
    "response": "All good.",
    "stats": {
        "models": {"gemini-2.5-flash": {"tokens": TOKENS}},
        "tools": {"byName": {"read_file": {"fail": 0}, "write_file": {"fail": 2}}},
    },
}


def gemini(tmp_path: Path, does: str, **settings: Any) -> Agent:
    """Gemini CLI, which does this unless it is asked for its version."""
    version = "if '--version' in sys.argv: print('0.61.0'); sys.exit(0)\n"
    program = python(tmp_path, version + does)[0]
    return build("gemini", "mine", {"program": program, "env": {"GEMINI_API_KEY": "k"}, **settings}, tmp_path)


def printing(tmp_path: Path, result: object, code: int = 0, **settings: Any) -> Agent:
    return gemini(tmp_path, f"sys.stdin.read(); print({json.dumps(result)!r}); sys.exit({code})", **settings)


def call_seen(tmp_path: Path, role: Role = Role.REVIEW, **settings: Any) -> dict[str, Any]:
    """What the program sees: its arguments, its policy, its settings."""
    source = """
import json
policy = open(sys.argv[sys.argv.index('--admin-policy') + 1]).read()
home = os.environ['GEMINI_CLI_HOME']
config = open(home + '/.gemini/settings.json').read() if os.path.exists(home + '/.gemini/settings.json') else '{}'
seen = {'argv': sys.argv[1:], 'policy': policy, 'settings': json.loads(config), 'prompt': sys.stdin.read(), 'home': home}
print(json.dumps({'response': json.dumps(seen)}))
"""
    return json.loads(ask(gemini(tmp_path, source, **settings), job_for(tmp_path, role=role)).text)


class TestGemini(AgentConformance):
    def answering(self, tmp_path: Path) -> Agent:
        return printing(tmp_path, DONE)

    def hanging(self, tmp_path: Path) -> Agent:
        return gemini(tmp_path, "time.sleep(600)")

    def missing(self, tmp_path: Path) -> Agent:
        return build("gemini", "mine", {"program": "./not-there"}, tmp_path)

    def failing(self, tmp_path: Path) -> Agent:
        return gemini(tmp_path, "sys.exit(1)")


def test_its_answer_comes_with_usage_and_what_it_was_denied(tmp_path: Path) -> None:
    reply: Reply = ask(printing(tmp_path, DONE), job_for(tmp_path))

    assert ("All good.", "gemini-2.5-flash", "0.61.0", "s-1") == (
        reply.text,
        reply.model,
        reply.version,
        reply.agent_session,
    )
    assert (12, 11, None) == (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.cost_usd)
    assert ("write_file, 2 times",) == reply.denials


@pytest.mark.parametrize(
    ("role", "mode", "more"), [(Role.REVIEW, "default", []), (Role.AUTHOR, "auto_edit", ["write_file", "replace"])]
)
def test_a_policy_denies_every_tool_but_those_of_the_role(
    tmp_path: Path, role: Role, mode: str, more: list[str]
) -> None:
    seen = call_seen(tmp_path, role)
    denied, allowed = tomllib.loads(seen["policy"])["rule"]

    assert {"toolName": "*", "decision": "deny", "priority": 900} == denied
    tools = ["read_file", "list_directory", "glob", "grep_search", *more]
    assert {"toolName": tools, "decision": "allow", "priority": 950} == allowed
    assert mode == seen["argv"][seen["argv"].index("--approval-mode") + 1]


def test_the_prompt_goes_in_by_standard_input_and_extensions_stay_out(tmp_path: Path) -> None:
    seen = call_seen(tmp_path, model="gemini-2.5-pro")
    argv = seen["argv"]

    assert ("Review the spec.", "", "none", "gemini-2.5-pro") == (
        seen["prompt"],
        *(argv[argv.index(flag) + 1] for flag in ("--prompt", "--extensions", "--model")),
    )
    assert "--skip-trust" in argv


def test_with_a_key_it_gets_settings_of_its_own_that_are_gone_afterwards(tmp_path: Path) -> None:
    seen = call_seen(tmp_path)

    assert "gemini-api-key" == seen["settings"]["security"]["auth"]["selectedType"]
    assert 1 == seen["settings"]["general"]["maxAttempts"]
    assert not Path(seen["home"]).exists()


def test_with_a_directory_of_the_users_that_is_used_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()

    assert (str(tmp_path / "own"), {}) == tuple(
        call_seen(tmp_path, config_dir="own")[key] for key in ("home", "settings")
    )


@pytest.mark.parametrize(
    ("status", "error", "transient"),
    [
        (400, AgentFailed, False),
        (401, AgentRefused, None),
        (403, AgentRefused, None),
        (429, AgentFailed, True),
        (503, AgentFailed, True),
    ],
)
def test_its_exit_code_is_the_status_of_the_failed_request(
    tmp_path: Path, status: int, error: type[AgentError], transient: bool | None
) -> None:
    with pytest.raises(error) as raised:
        ask(gemini(tmp_path, f"sys.exit({status} % 256)"), job_for(tmp_path))

    assert transient == getattr(raised.value, "transient", None)
    assert f"status {status}" in raised.value.message


def test_the_providers_words_are_kept(tmp_path: Path) -> None:
    printed = json.dumps(
        {"session_id": "s", "error": {"type": "Error", "message": "quota is used up", "code": 429}}, indent=2
    )
    with pytest.raises(AgentFailed, match="gemini: quota is used up"):
        ask(gemini(tmp_path, f"sys.stderr.write('a warning\\n' + {printed!r}); sys.exit(173)"), job_for(tmp_path))


def test_without_a_login_it_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(AgentRefused) as raised:
        ask(gemini(tmp_path, "sys.exit(41)"), job_for(tmp_path))

    assert "run `gemini` and log in, or set GEMINI_API_KEY" == raised.value.hint


@pytest.mark.parametrize("does", ["pass", "print('{')", "print('{}')", "print('[1]')"])
def test_an_exit_without_a_result_is_no_answer(tmp_path: Path, does: str) -> None:
    with pytest.raises(AgentFailed, match="mine printed no result"):
        ask(gemini(tmp_path, does), job_for(tmp_path))


@pytest.mark.parametrize(("path", "hidden"), [("GEMINI.md", True), ("docs/Gemini.md", True), ("gemini.md.txt", False)])
def test_a_projects_instructions_for_it_are_not_in_its_copy(tmp_path: Path, path: str, hidden: bool) -> None:
    agent = gemini(tmp_path, "sys.exit(1)")
    assert isinstance(agent, HidesFiles)

    assert hidden == agent.hides(path)


def test_it_can_be_looked_at(tmp_path: Path) -> None:
    agent = gemini(tmp_path, "sys.exit(1)")
    assert isinstance(agent, Probed)

    assert asyncio.run(agent.probe()).endswith("version 0.61.0 (supported), logged in with GEMINI_API_KEY")


def test_without_key_and_account_it_is_not_logged_in(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    agent = gemini(tmp_path, "sys.exit(1)", env={}, config_dir="own")
    assert isinstance(agent, Probed)

    with pytest.raises(AgentRefused):
        asyncio.run(agent.probe())
