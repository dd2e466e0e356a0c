"""Kind `codex`, with a program that prints what Codex was seen to print. The real one is in `tests/live`."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from agent_programs import python

from reviewloop.agents.process.confinement import confinement
from reviewloop.agents.registry import build
from reviewloop.errors import AgentFailed, AgentRefused, ConfigError
from reviewloop.ports import Agent, Probed, Role
from reviewloop.testing.agents import AgentConformance, ask, job_for

WARNING = {"type": "item.completed", "item": {"type": "error", "message": "Model metadata for `x` not found."}}
STARTED = {"type": "thread.started", "thread_id": "01a1e0f4"}
DONE = {"type": "turn.completed", "usage": {"input_tokens": 1200, "cached_input_tokens": 1000, "output_tokens": 34}}


def message(text: str) -> dict[str, Any]:
    return {"type": "item.completed", "item": {"type": "agent_message", "text": text}}


def failed(text: str) -> dict[str, Any]:
    return {"type": "turn.failed", "error": {"message": text}}


def codex(tmp_path: Path, source: str, **settings: Any) -> Agent:
    says_version = 'if "--version" in sys.argv: print("codex-cli 0.166.0"); sys.exit()'
    (program,) = python(tmp_path, f"{says_version}\nimport json\n{source}")
    return build("codex", "codex", {"program": program, "env": {"OPENAI_API_KEY": "test"}} | settings, tmp_path)


def printing(tmp_path: Path, *events: object, exit_code: int = 0) -> Agent:
    text = "\n".join(json.dumps(event) for event in events)
    return codex(tmp_path, f"print({text!r}); sys.exit({exit_code})")


def telling(tmp_path: Path, expression: str, **settings: Any) -> Agent:
    """One whose answer is the value of a Python expression."""
    answer = f'{{"type": "item.completed", "item": {{"type": "agent_message", "text": {expression}}}}}'
    return codex(tmp_path, f"print(json.dumps({answer})); print({json.dumps(DONE)!r})", **settings)


class TestCodex(AgentConformance):
    def answering(self, tmp_path: Path) -> Agent:
        return printing(tmp_path, STARTED, message("It is fine."), DONE)

    def numbering(self, tmp_path: Path) -> Agent:
        return telling(tmp_path, '"answer " + os.environ["REVIEWLOOP_ITERATION"]')

    def hanging(self, tmp_path: Path) -> Agent:
        return codex(tmp_path, "time.sleep(600)")

    def missing(self, tmp_path: Path) -> Agent:
        return build("codex", "codex", {"program": "./not-there"}, tmp_path)

    def failing(self, tmp_path: Path) -> Agent:
        return codex(tmp_path, "sys.exit('error: unexpected argument')")


def test_the_last_message_is_the_answer_and_warnings_are_none(tmp_path: Path) -> None:
    agent = printing(tmp_path, STARTED, WARNING, message("I will look."), message("It is fine."), DONE)

    reply = ask(agent, job_for(tmp_path, model="gpt-5"))

    assert ("It is fine.", "01a1e0f4", "0.166.0", "gpt-5") == (
        reply.text,
        reply.agent_session,
        reply.version,
        reply.model,
    )
    assert (1200, 34, None) == (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.cost_usd)


def test_a_declined_command_is_on_record(tmp_path: Path) -> None:
    declined = {"type": "command_execution", "command": "rm -rf /", "status": "declined"}
    agent = printing(tmp_path, {"type": "item.completed", "item": declined}, message("It is fine."), DONE)

    assert ("command_execution rm -rf /",) == ask(agent, job_for(tmp_path)).denials


@pytest.mark.parametrize(
    ("role", "sandbox"),
    [(Role.REVIEW, "read-only"), (Role.AUTHOR, "workspace-write")],
)
def test_each_role_has_its_sandbox(tmp_path: Path, role: Role, sandbox: str) -> None:
    agent = telling(tmp_path, "json.dumps(sys.argv[1:])", model="gpt-5", append_system_prompt='Say "no".')

    arguments = json.loads(ask(agent, job_for(tmp_path, role=role)).text)

    assert [
        *("exec", "--json", "--skip-git-repo-check", "--ephemeral", "--ignore-rules", "--ignore-user-config"),
        *("--sandbox", sandbox),
        *("--model", "gpt-5"),
        *("--cd", str(tmp_path / "copy")),
        *("-c", 'shell_environment_policy.inherit="core"'),
        *("-c", "project_doc_max_bytes=0"),
        *("-c", 'web_search="disabled"'),
        *("-c", "features.apps=false"),
        *("-c", "features.hooks=false"),
        *("-c", "features.plugins=false"),
        *("-c", "features.multi_agent=false"),
        *("-c", "sandbox_workspace_write.exclude_slash_tmp=true"),
        *("-c", 'developer_instructions="Say \\"no\\"."'),
        "-",
    ] == arguments


def test_its_own_settings_are_passed_as_toml(tmp_path: Path) -> None:
    config = {"model_reasoning_effort": "high", "model_providers.x": {"name": "x", "query_params": {"a": [1, True]}}}

    arguments = json.loads(ask(telling(tmp_path, "json.dumps(sys.argv[1:])", config=config), job_for(tmp_path)).text)

    assert 'model_reasoning_effort="high"' in arguments
    assert 'model_providers.x={"name" = "x", "query_params" = {"a" = [1, true]}}' in arguments


def test_the_answer_is_asked_for_in_the_strict_form_and_comes_back_without_what_was_left_open(tmp_path: Path) -> None:
    schema = {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}, "b": {"type": "number"}}}
    agent = telling(
        tmp_path,
        'json.dumps({"schema": json.load(open(sys.argv[sys.argv.index("--output-schema") + 1])), "b": None})',
    )

    answer = json.loads(ask(agent, job_for(tmp_path, answer_schema=schema)).text)

    optional = {"anyOf": [{"type": "number"}, {"type": "null"}]}
    strict = {
        "required": ["a", "b"],
        "additionalProperties": False,
        "properties": {"a": {"type": "string"}, "b": optional},
    }
    assert {"schema": {"type": "object", **strict}} == answer


@pytest.mark.skipif(confinement() is None, reason="this machine cannot confine a program")
@pytest.mark.parametrize("sandbox", ["workspace-write", "danger-full-access"])
def test_one_sandbox_at_a_time_codexs_own_or_ours(tmp_path: Path, sandbox: str) -> None:
    project = tmp_path / "project"
    project.mkdir()
    source = f"open({str(project / 'file')!r}, 'w')"
    agent = codex(
        tmp_path, f"try: {source}\nexcept OSError: pass\nprint({json.dumps(DONE)!r})", sandbox={"author": sandbox}
    )

    ask(agent, job_for(tmp_path, role=Role.AUTHOR, protected=project))

    assert (sandbox == "workspace-write") is (project / "file").exists()


@pytest.mark.parametrize(
    ("said", "transient"),
    [
        ("exceeded retry limit, last status: 429 Too Many Requests", True),
        ("unexpected status 529 <unknown status code>: overloaded, url: http://x", True),
        ("stream disconnected before completion: stream closed before response.completed", True),
        ("unexpected status 404 Not Found: no such model", False),
        ("You've hit your usage limit.", False),
    ],
)
def test_a_failed_turn_says_whether_it_may_work_later(tmp_path: Path, said: str, transient: bool) -> None:
    with pytest.raises(AgentFailed) as raised:
        ask(printing(tmp_path, STARTED, message("half"), failed(said), exit_code=1), job_for(tmp_path))

    assert (f"codex: {said}", transient) == (raised.value.message, raised.value.transient)


def test_a_wrong_key_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AgentRefused) as raised:
        ask(printing(tmp_path, failed("unexpected status 401 Unauthorized: no"), exit_code=1), job_for(tmp_path))

    assert "run `codex login`, or set OPENAI_API_KEY" == raised.value.hint


def test_a_turn_that_was_never_completed_is_no_answer(tmp_path: Path) -> None:
    with pytest.raises(AgentFailed, match="exited without an answer"):
        ask(printing(tmp_path, STARTED, message("It is fine.")), job_for(tmp_path))


def test_an_exit_code_counts_whatever_was_printed(tmp_path: Path) -> None:
    with pytest.raises(AgentFailed, match="exited with 1"):
        ask(printing(tmp_path, STARTED, message("It is fine."), DONE, exit_code=1), job_for(tmp_path))


def test_a_key_reaches_it_under_the_name_it_reads_when_headless(tmp_path: Path) -> None:
    assert "test" == ask(telling(tmp_path, 'os.environ["CODEX_API_KEY"]'), job_for(tmp_path)).text


@pytest.mark.parametrize(
    ("exit_code", "about"), [(0, "its sandbox works"), (1, "its sandbox does NOT work here: see `sandbox`")]
)
def test_a_doctor_hears_whether_the_sandbox_works_here(tmp_path: Path, exit_code: int, about: str) -> None:
    agent = codex(tmp_path, f"sys.exit({exit_code})")
    assert isinstance(agent, Probed)

    assert f", version 0.166.0 (supported), {about}, logged in with OPENAI_API_KEY" in asyncio.run(agent.probe())


def test_it_has_no_cap_on_turns_and_says_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="unknown key `turns`"):
        build("codex", "mine", {"turns": 3}, tmp_path)
