"""The real Gemini CLI and a real agent of the Agent Client Protocol. `./scripts/test --all` installs and runs them."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from model_server import Asked, Says, Server, serving

from live.model_server import serving as serving_scripts
from reviewloop.agents.registry import build
from reviewloop.errors import AgentFailed, AgentRefused, AgentTimedOut
from reviewloop.ports import Agent, Reply, Role
from reviewloop.testing.agents import ask, job_for

pytestmark = pytest.mark.live_all
PINNED = json.loads((Path(__file__).parent / "more_agents.json").read_text())
VERDICT = '{"verdict": "pass"}'


def program(name: str) -> str:
    if "MORE_AGENTS" not in os.environ:
        pytest.skip("./scripts/test --all installs these agents, and MORE_AGENTS says where")
    found = shutil.which(name, path=os.environ["MORE_AGENTS"])
    assert found, f"there is no {name} in {os.environ['MORE_AGENTS']}"
    return found


def files_in(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


class TestGeminiCli:
    def agent(self, server: Server, **settings: Any) -> Agent:
        env = {"GEMINI_API_KEY": "test", "GOOGLE_GEMINI_BASE_URL": server.url}
        return build(
            "gemini",
            "mine",
            {"program": program("gemini"), "model": "gemini-2.5-flash", "env": env, **settings},
            Path("/"),
        )

    def calling(self, tool: str, arguments: dict[str, Any]) -> Any:
        """A model that calls a tool once and then gives its verdict."""

        def answer(asked: Asked) -> Says:
            done = "functionResponse" in json.dumps(asked.body["contents"][-1])
            return Says(text=VERDICT) if done else Says(call=(tool, arguments))

        return serving(by=answer)

    def test_a_verdict(self, tmp_path: Path) -> None:
        with serving(VERDICT) as server:
            reply = ask(self.agent(server), job_for(tmp_path))

        assert (VERDICT, PINNED["@google/gemini-cli"], 1200, 90) == (
            reply.text,
            reply.version,
            reply.usage.input_tokens,
            reply.usage.output_tokens,
        )

    @pytest.mark.parametrize(
        ("tool", "arguments"),
        [
            ("write_file", {"file_path": "new.md", "content": "x"}),
            ("replace", {"file_path": "spec.md", "old_string": "CSV", "new_string": "XML"}),
            ("run_shell_command", {"command": "touch new.md"}),
        ],
    )
    def test_a_reviewer_cannot_write(self, tmp_path: Path, tool: str, arguments: dict[str, Any]) -> None:
        with self.calling(tool, arguments) as server:
            reply = ask(self.agent(server), job_for(tmp_path))

        assert ((f"{tool}, 1 times",), {"spec.md"}) == (reply.denials, files_in(tmp_path / "copy"))
        assert "CSV" in (tmp_path / "copy/spec.md").read_text()

    def test_an_author_can_write_and_has_no_shell(self, tmp_path: Path) -> None:
        author = job_for(tmp_path, role=Role.AUTHOR)
        with self.calling("write_file", {"file_path": "new.md", "content": "x"}) as server:
            ask(self.agent(server), author)
        with self.calling("run_shell_command", {"command": "touch more.md"}) as server:
            ask(self.agent(server), author)

        assert {"spec.md", "new.md"} == files_in(tmp_path / "copy")

    def test_a_wrong_key_and_a_limit(self, tmp_path: Path) -> None:
        with serving(Says(status=401)) as server, pytest.raises(AgentRefused):
            ask(self.agent(server), job_for(tmp_path))
        with serving(Says(status=429)) as server, pytest.raises(AgentFailed) as raised:
            ask(self.agent(server), job_for(tmp_path))

        assert raised.value.transient

    def test_a_hanging_model(self, tmp_path: Path) -> None:
        with serving(Says(hangs=True)) as server, pytest.raises(AgentTimedOut):
            ask(self.agent(server, timeout=15), job_for(tmp_path))


class TestClaudeAgentAcp:
    def ask(self, tmp_path: Path, script: str, role: Role = Role.REVIEW) -> Reply:
        with serving_scripts() as server:
            env = {
                "ANTHROPIC_BASE_URL": server.url,
                "ANTHROPIC_API_KEY": "test",
                "CLAUDE_CONFIG_DIR": str(tmp_path / "config"),
                "CLAUDE_CODE_MAX_RETRIES": "0",
            }
            command = [program("claude-agent-acp")]
            options = {"settingSources": [], "tools": ["Read", "Grep", "Glob", "Edit", "Write"]}
            settings = {"command": command, "meta": {"claudeCode": {"options": options}}, "env": env}
            agent = build("acp", "mine", settings, Path("/"))
            return ask(agent, job_for(tmp_path, prompt=f"Review.\nSCRIPT: {script}", role=role))

    def test_a_verdict(self, tmp_path: Path) -> None:
        reply = self.ask(tmp_path, "text-pass")

        assert '"verdict": "pass"' in reply.text
        assert PINNED["@agentclientprotocol/claude-agent-acp"] in (reply.version or "")

    def test_a_reviewer_asks_to_write_and_is_refused(self, tmp_path: Path) -> None:
        reply = self.ask(tmp_path, "write new.md hello")

        assert (1, {"spec.md"}) == (len(reply.denials), files_in(tmp_path / "copy"))

    def test_an_author_asks_and_may(self, tmp_path: Path) -> None:
        reply = self.ask(tmp_path, "write new.md hello", Role.AUTHOR)

        assert ((), {"spec.md", "new.md"}) == (reply.denials, files_in(tmp_path / "copy"))

    def test_a_wrong_key_is_no_answer(self, tmp_path: Path) -> None:
        with pytest.raises((AgentFailed, AgentRefused)):
            self.ask(tmp_path, "401")
