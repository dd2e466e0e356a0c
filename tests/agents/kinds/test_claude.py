"""Kind `claude`, with a program that prints what Claude Code was seen to print. The real one is in `tests/live`."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from agent_programs import python

from reviewloop.agents.registry import build
from reviewloop.errors import AgentFailed, AgentMissing, AgentRefused, ConfigError
from reviewloop.ports import Agent, Probed, Role
from reviewloop.testing.agents import AgentConformance, ask, job_for

RESULT: dict[str, Any] = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "num_turns": 2,
    "session_id": "42bbe5d2",
    "result": "It is fine.",
    "total_cost_usd": 0.25,
    "usage": {"input_tokens": 5, "output_tokens": 1},
    "modelUsage": {
        "claude-haiku-5-5": {"inputTokens": 10, "outputTokens": 2, "cacheReadInputTokens": 100},
        "claude-sonnet-5": {"inputTokens": 1000, "outputTokens": 20, "cacheCreationInputTokens": 4},
    },
    "permission_denials": [{"tool_name": "Write", "tool_use_id": "x", "tool_input": {"file_path": "/etc/passwd"}}],
}


def claude(tmp_path: Path, source: str, **settings: Any) -> Agent:
    says_version = 'if "--version" in sys.argv: print("2.1.325 (Claude Code)"); sys.exit()'
    (program,) = python(tmp_path, f"{says_version}\nimport json\n{source}")
    settings = {"program": program, "env": {"ANTHROPIC_API_KEY": "test"}} | settings
    return build("claude", "claude", settings, tmp_path)


def printing(tmp_path: Path, exit_code: int = 0, **changes: Any) -> Agent:
    text = json.dumps(RESULT | changes)
    return claude(tmp_path, f"print({text!r}); sys.exit({exit_code})")


def telling_its_arguments(tmp_path: Path, **settings: Any) -> Agent:
    return claude(tmp_path, 'print(json.dumps({"type": "result", "result": json.dumps(sys.argv[1:])}))', **settings)


class TestClaude(AgentConformance):
    def answering(self, tmp_path: Path) -> Agent:
        return printing(tmp_path)

    def numbering(self, tmp_path: Path) -> Agent:
        return claude(
            tmp_path,
            'print(json.dumps({"type": "result", "result": "answer " + os.environ["REVIEWLOOP_ITERATION"]}))',
        )

    def hanging(self, tmp_path: Path) -> Agent:
        return claude(tmp_path, "time.sleep(600)")

    def missing(self, tmp_path: Path) -> Agent:
        return build("claude", "claude", {"program": "./not-there"}, tmp_path)

    def failing(self, tmp_path: Path) -> Agent:
        return claude(tmp_path, "sys.exit('error: unknown option')")


def test_everything_it_says_about_itself_is_read(tmp_path: Path) -> None:
    reply = ask(printing(tmp_path), job_for(tmp_path))

    assert ("It is fine.", "42bbe5d2", "2.1.325") == (reply.text, reply.agent_session, reply.version)
    assert "claude-haiku-5-5" == reply.model
    assert ('Write {"file_path": "/etc/passwd"}',) == reply.denials


def test_tokens_count_for_all_models_cached_or_not(tmp_path: Path) -> None:
    usage = ask(printing(tmp_path), job_for(tmp_path)).usage

    assert (1114, 22, 0.25) == (usage.input_tokens, usage.output_tokens, usage.cost_usd)


def test_a_structured_answer_goes_before_the_text(tmp_path: Path) -> None:
    agent = printing(tmp_path, structured_output={"verdict": "pass", "note": "geprüft"})

    assert '{"verdict": "pass", "note": "geprüft"}' == ask(agent, job_for(tmp_path)).text


def test_a_reviewer_is_started_with_tools_that_read_and_nothing_of_anybodys_settings(tmp_path: Path) -> None:
    job = job_for(tmp_path, answer_schema={"type": "object"})

    arguments = json.loads(ask(telling_its_arguments(tmp_path, model="haiku", turns=9, budget_usd=1.5), job).text)

    assert [
        *("-p", "--strict-mcp-config", "--no-session-persistence"),
        *("--output-format", "json"),
        *("--tools", "Read,Grep,Glob"),
        *("--permission-mode", "dontAsk"),
        *("--setting-sources", ""),
        *("--json-schema", '{"type": "object"}'),
        *("--model", "haiku"),
        *("--max-turns", "9"),
        *("--max-budget-usd", "1.5"),
    ] == arguments


def test_an_author_may_also_edit_and_has_the_stricter_limit_of_turns(tmp_path: Path) -> None:
    job = job_for(tmp_path, role=Role.AUTHOR, turns=5, model="opus")

    arguments = json.loads(ask(telling_its_arguments(tmp_path, model="haiku", turns=9), job).text)

    assert [
        *("-p", "--strict-mcp-config", "--no-session-persistence"),
        *("--output-format", "json"),
        *("--tools", "Read,Grep,Glob,Edit,Write"),
        *("--permission-mode", "acceptEdits"),
        *("--setting-sources", ""),
        *("--model", "opus"),
        *("--max-turns", "5"),
    ] == arguments


def test_with_a_key_it_gets_a_configuration_directory_of_its_own(tmp_path: Path) -> None:
    says_where = 'where = os.environ["CLAUDE_CONFIG_DIR"]; print(json.dumps({"type": "result", "result": where}))'
    agent = claude(tmp_path, f"{says_where}; open(where + '/left-behind', 'w')")

    first, second = (Path(ask(agent, job_for(tmp_path)).text) for _ in range(2))

    assert first != second
    assert [False, False] == [first.exists(), second.exists()]


def test_without_one_the_users_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/home/me/.claude")
    source = 'print(json.dumps({"type": "result", "result": os.environ["CLAUDE_CONFIG_DIR"]}))'

    assert "/home/me/.claude" == ask(claude(tmp_path, source, env=[]), job_for(tmp_path)).text
    assert str(tmp_path / "copy") == ask(claude(tmp_path, source, config_dir="copy"), job_for(tmp_path)).text


def test_a_configuration_directory_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(AgentMissing, match=r"directory .* not found"):
        ask(claude(tmp_path, "", config_dir="nowhere"), job_for(tmp_path))


def test_success_in_name_only_is_a_failure(tmp_path: Path) -> None:
    agent = printing(tmp_path, exit_code=1, is_error=True, api_error_status=529, result="API Error: 529 Overloaded")

    with pytest.raises(AgentFailed, match="529") as raised:
        ask(agent, job_for(tmp_path))

    assert (True, None, 1) == (raised.value.transient, raised.value.retry_after, raised.value.returncode)


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("Rate limit reached. Please try again in 6s.", 6.0),
        ("please retry after 1.5 seconds", 1.5),
        ("try again in 250ms", 0.25),
        ("Try again in 2 minutes", 120.0),
        ("try again in a moment", None),
    ],
)
def test_a_pause_the_provider_asks_for_is_kept(tmp_path: Path, said: str, seconds: float | None) -> None:
    with pytest.raises(AgentFailed) as raised:
        ask(printing(tmp_path, exit_code=1, is_error=True, api_error_status=429, result=said), job_for(tmp_path))

    assert seconds == raised.value.retry_after


def test_an_error_with_exit_code_zero_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(AgentFailed):
        ask(printing(tmp_path, is_error=True, result="interrupted"), job_for(tmp_path))


def test_an_exit_code_without_an_error_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(AgentFailed, match="exited with 3"):
        ask(printing(tmp_path, exit_code=3), job_for(tmp_path))


@pytest.mark.parametrize("printed", ["", "Hello!", "[]", '{"type": "system"}', '{"type": "result"'])
def test_what_is_no_result_is_no_answer(tmp_path: Path, printed: str) -> None:
    with pytest.raises(AgentFailed, match="printed no result"):
        ask(claude(tmp_path, f"print({printed!r})"), job_for(tmp_path))


def test_somebody_who_is_not_logged_in_is_told_how(tmp_path: Path) -> None:
    agent = printing(tmp_path, exit_code=1, is_error=True, result="Not logged in · Please run /login")

    with pytest.raises(AgentRefused, match="not logged in") as raised:
        ask(agent, job_for(tmp_path))

    assert "run `claude` and log in" in (raised.value.hint or "")


@pytest.mark.parametrize(
    ("version", "about"),
    [("2.1.400", "(supported)"), ("3.0.0", "(not supported: tested with 2.1.325)")],
)
def test_a_version_nobody_tried_is_named(tmp_path: Path, version: str, about: str) -> None:
    source = f'print("{version}" if "--version" in sys.argv else \'{{"loggedIn": true, "authMethod": "claude.ai"}}\')'
    (program,) = python(tmp_path, source)
    agent = build("claude", "claude", {"program": program}, tmp_path)
    assert isinstance(agent, Probed)

    seen = asyncio.run(agent.probe())

    assert f"{program}, version {version} {about}, logged in with claude.ai" == seen


def test_settings_it_does_not_have_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="unknown key `turn`") as raised:
        build("claude", "mine", {"turn": 3}, tmp_path)

    assert "did you mean `turns`?" == raised.value.hint
