"""What the real programs do, and what we make of it. These programs drift; these tests say where."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from live.model_apis import INPUT_TOKENS, OUTPUT_TOKENS
from live.model_server import FAIL, PASS, ModelServer
from live.real_agents import KINDS, Real
from reviewloop.core.dialects import DIALECTS
from reviewloop.core.types.rubric import FOUR_CRITERIA
from reviewloop.errors import AgentFailed, AgentRefused, AgentTimedOut
from reviewloop.ports import Job, Probed, Role
from reviewloop.testing.agents import ask, job_for

pytestmark = pytest.mark.live
SCHEMA = DIALECTS["scored"].schema(FOUR_CRITERIA)


def scripted(tmp_path: Path, script: str, **changes: Any) -> Job:
    return job_for(tmp_path, prompt=f"Review the spec.\n\nSCRIPT: {script}\n", **changes)


def copy_of(tmp_path: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in (tmp_path / "copy").iterdir()}


def heard(server: ModelServer) -> str:
    """What the model was told last."""
    return json.dumps(server.requests[-1])


@pytest.mark.parametrize(("script", "verdict"), [("verdict-pass", PASS), ("verdict-fail", FAIL), ("text-pass", PASS)])
def test_a_reviewer_answers_in_the_form_it_is_asked_for(real: Real, tmp_path: Path, script: str, verdict: dict) -> None:
    reply = ask(real.agent(), scripted(tmp_path, script, answer_schema=SCHEMA))

    assert verdict == json.loads(reply.text)


def test_a_reply_says_what_it_cost_who_gave_it_and_in_which_session(real: Real, tmp_path: Path) -> None:
    reply = ask(real.agent(), scripted(tmp_path, "verdict-pass"))

    assert (INPUT_TOKENS, OUTPUT_TOKENS) == (reply.usage.input_tokens, reply.usage.output_tokens)
    assert (reply.usage.cost_usd is not None) is (real.kind == "claude")
    assert reply.usage.seconds > 0
    assert {"claude": "claude-haiku-", "codex": "gpt-5"}[real.kind] in (reply.model or "")
    assert real.pinned == reply.version
    assert reply.agent_session


@pytest.mark.parametrize("script", ["write new.md text", "replace spec.md rows lines", "shell echo > new.md"])
def test_a_reviewer_cannot_write(real: Real, tmp_path: Path, script: str) -> None:
    job = scripted(tmp_path, script, answer_schema=SCHEMA)
    before = copy_of(tmp_path)

    reply = ask(real.agent(), job)

    assert PASS == json.loads(reply.text)
    assert before == copy_of(tmp_path)
    assert 1 < len(real.server.requests), "the model did try"


def test_an_author_writes_and_edits_in_its_workspace(real: Real, tmp_path: Path) -> None:
    agent = real.agent()
    ask(agent, scripted(tmp_path, "write new.md text", role=Role.AUTHOR))
    ask(agent, scripted(tmp_path, "replace spec.md rows lines", role=Role.AUTHOR))

    assert {"spec.md": "# Export\n\nFR-1: lines are exported as CSV.\n", "new.md": "text"} == copy_of(tmp_path)


def test_an_author_writes_nowhere_else(real: Real, tmp_path: Path) -> None:
    protected = tmp_path / "project"
    protected.mkdir()

    ask(real.agent(), scripted(tmp_path, f"write {protected}/new.md text", role=Role.AUTHOR, protected=protected))
    ask(real.agent(), scripted(tmp_path, f"write {tmp_path}/new.md text", role=Role.AUTHOR, protected=protected))

    assert [] == [*protected.iterdir(), *tmp_path.glob("*.md")]


@pytest.mark.parametrize("kind", ["claude"])
def test_a_denied_tool_is_on_record(kind: str, server: ModelServer, tmp_path: Path) -> None:
    reply = ask(Real(kind, server).agent(), scripted(tmp_path, f"write {tmp_path}/new.md text", role=Role.AUTHOR))

    assert [f'Write {{"file_path": "{tmp_path}/new.md", "content": "text"}}'] == list(reply.denials)


@pytest.mark.parametrize("kind", ["claude"])
def test_claude_code_has_no_shell_not_even_as_an_author(kind: str, server: ModelServer, tmp_path: Path) -> None:
    ask(Real(kind, server).agent(), scripted(tmp_path, "shell touch new.md", role=Role.AUTHOR))

    offered = {tool["name"] for tool in server.requests[0]["tools"]}
    assert {"Read", "Grep", "Glob", "Edit", "Write"} == offered - {"DeferredToolPlaceholder"}
    assert ["spec.md"] == list(copy_of(tmp_path))


@pytest.mark.parametrize("kind", ["claude"])
def test_claude_code_reads_nothing_outside_its_copy(kind: str, server: ModelServer, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret text")

    ask(Real(kind, server).agent(), scripted(tmp_path, f"read {secret}"))

    assert 2 == len(server.requests)
    assert "the secret text" not in heard(server)


@pytest.mark.parametrize("kind", ["codex"])
def test_commands_that_codex_runs_see_no_keys(kind: str, server: ModelServer, tmp_path: Path) -> None:
    ask(Real(kind, server).agent(), scripted(tmp_path, "shell env"))

    seen = server.requests[-1]["input"][-1]["output"]
    assert "PATH=" in seen
    assert [] == [line for line in seen.splitlines() if "API_KEY" in line or "REVIEWLOOP" in line]


def test_a_wrong_key_is_refused_at_once_and_says_what_to_do(real: Real, tmp_path: Path) -> None:
    with pytest.raises(AgentRefused) as raised:
        ask(real.agent(), scripted(tmp_path, "401"))

    assert "401" in raised.value.message
    assert "API_KEY" in (raised.value.hint or "")


@pytest.mark.parametrize("script", ["429", "529", "cut"])
def test_a_provider_that_is_busy_or_gone_may_answer_later(real: Real, tmp_path: Path, script: str) -> None:
    with pytest.raises(AgentFailed) as raised:
        ask(real.agent(), scripted(tmp_path, script))

    assert raised.value.transient
    assert raised.value.returncode == 1


def test_a_request_that_is_wrong_stays_wrong(real: Real, tmp_path: Path) -> None:
    with pytest.raises(AgentFailed) as raised:
        ask(real.agent(), scripted(tmp_path, "400"))

    assert not raised.value.transient
    assert "the script says 400" in raised.value.message


def test_a_model_that_hangs_is_a_time_out_and_no_process_stays(real: Real, tmp_path: Path) -> None:
    with pytest.raises(AgentTimedOut):
        ask(real.agent(timeout=3), scripted(tmp_path, "hang"))

    assert 1 <= len(real.server.requests)
    assert [] == real.processes()


def test_parallel_questions_do_not_mix_up(real: Real, tmp_path: Path) -> None:
    agent = real.agent()
    jobs = [scripted(tmp_path, f"verdict-{word}", answer_schema=SCHEMA) for word in ("pass", "fail", "pass")]

    async def ask_all() -> list[str]:
        return [json.loads(reply.text)["verdict"] for reply in await asyncio.gather(*map(agent.ask, jobs))]

    assert ["pass", "needs_revision", "pass"] == asyncio.run(ask_all())


def test_a_doctor_sees_where_it_is_which_version_and_the_login(real: Real) -> None:
    agent = real.agent()
    assert isinstance(agent, Probed)

    seen = asyncio.run(agent.probe())

    assert real.settings()["program"] in seen
    assert f"version {real.pinned} (supported)" in seen
    assert {"claude": "logged in with api_key", "codex": "model provider loopback"}[real.kind] in seen


def test_without_a_login_it_says_so(real: Real, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if "API_KEY" in name or name.startswith(("ANTHROPIC", "CLAUDE", "CODEX"))]:
        monkeypatch.delenv(name)
    agent = real.agent(env={}, config_dir=str(tmp_path), **({"config": {}} if real.kind == "codex" else {}))
    assert isinstance(agent, Probed)

    with pytest.raises(AgentRefused, match="not logged in"):
        asyncio.run(agent.probe())


@pytest.mark.parametrize("kind", ["claude"])
def test_turns_and_money_are_capped_by_claude_code_itself(kind: str, server: ModelServer, tmp_path: Path) -> None:
    real = Real(kind, server)
    script = "replace spec.md rows lines"

    with pytest.raises(AgentFailed, match="turns") as turns:
        ask(real.agent(turns=1), scripted(tmp_path, script))
    with pytest.raises(AgentFailed, match="budget") as money:
        ask(real.agent(budget_usd=0.0001), scripted(tmp_path, script))

    assert [False, False] == [turns.value.transient, money.value.transient]


def test_the_system_prompt_can_be_added_to(real: Real, tmp_path: Path) -> None:
    ask(real.agent(append_system_prompt='Be "kind".\nBe brief.'), scripted(tmp_path, "verdict-pass"))

    assert json.dumps('Be "kind".\nBe brief.')[1:-1] in heard(real.server)


@pytest.mark.parametrize("kind", ["claude"])
def test_a_subagent_answers_itself_in_one_request(kind: str, server: ModelServer, tmp_path: Path) -> None:
    agent = Real(kind, server).agent(subagents={"critic": {"prompt": "You are a critic."}})

    ask(agent, scripted(tmp_path, "verdict-pass", subagent_type="critic"))
    critic = heard(server)
    ask(agent, scripted(tmp_path, "verdict-pass"))

    assert 2 == len(server.requests)
    assert ["You are a critic." in told for told in (critic, heard(server))] == [True, False]


@pytest.mark.parametrize("kind", KINDS)
def test_flags_it_does_not_know_are_a_failure_with_its_words(kind: str, server: ModelServer, tmp_path: Path) -> None:
    real = Real(kind, server)
    wrapped = tmp_path / kind
    wrapped.write_text(
        f'#!/bin/sh\n[ "$1" = --version ] && echo 9.9.9 || exec {real.settings()["program"]} --bogus "$@"\n'
    )
    wrapped.chmod(0o755)

    with pytest.raises(AgentFailed) as raised:
        ask(real.agent(program=str(wrapped)), scripted(tmp_path, "verdict-pass"))

    assert "--bogus" in raised.value.stderr
    assert not raised.value.transient
