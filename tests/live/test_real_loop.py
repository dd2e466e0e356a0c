"""The loop with real programs: Claude Code reviews, Codex revises."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from live.model_server import ModelServer
from live.real_agents import Real
from project import SPEC, Project

pytestmark = pytest.mark.live
PATIENCE = 60.0


def configure(project: Project, script: str, **agents: Real) -> None:
    project.write("spec.md", f"{SPEC}\nSCRIPT: {script}\n")
    lines = [f"  {name}: {json.dumps({'kind': real.kind, **real.settings()})}" for name, real in agents.items()]
    roles = ", ".join(f"{role}: {role}" for role in agents)
    project.write("reviewloop.yml", "\n".join(["agents:", *lines, f"review: {{{roles}}}"]) + "\n")


def test_claude_code_reviews_what_codex_revises(project: Project, server: ModelServer) -> None:
    configure(project, "verdict-fail", reviewer=Real("claude", server), author=Real("codex", server))

    result = project.run()

    assert (0, "passed") == (result.exit_code, result.session["outcome"])
    assert ["needs_revision", "pass"] == [one["result"]["verdict"] for one in result.session["iterations"]]
    assert f"{SPEC}\nSCRIPT: verdict-pass\n" == project.read()
    answered = [event["payload"] for event in project.events() if event["type"].endswith((".answered", ".authored"))]
    assert ["2.1.325", "0.166.0", "2.1.325"] == [one["version"] for one in answered]
    assert all(one["agent_session"] and one["usage"]["input_tokens"] for one in answered)


@pytest.mark.parametrize(("vendor", "path"), [("anthropic:haiku", ""), ("openai:qwen3", "/v1")])
def test_a_model_asked_directly_reviews_what_a_real_agent_revises(
    project: Project, server: ModelServer, vendor: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pydantic_ai")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test")
    project.write("spec.md", f"{SPEC}\nSCRIPT: verdict-fail\n")
    model = json.dumps({"kind": "model", "model": vendor, "base_url": server.url + path})
    author = json.dumps({"kind": "claude", **Real("claude", server).settings()})
    agents = f"agents:\n  model: {model}\n  author: {author}\n"
    project.write("reviewloop.yml", f"{agents}review: {{reviewer: model, author: author}}\n")

    result = project.run()

    assert "passed" == result.session["outcome"], result.stderr
    assert f"{SPEC}\nSCRIPT: verdict-pass\n" == project.read()


def test_an_answer_that_cannot_be_used_is_asked_for_again(real: Real, project: Project) -> None:
    configure(project, "malformed-then-pass", reviewer=real)

    result = project.run()

    assert "passed" == result.session["outcome"]
    assert ["malformed", "answered"] == project.answers()


def test_a_wrong_key_blocks_and_the_user_is_told_what_to_do(real: Real, project: Project) -> None:
    configure(project, "401", reviewer=real)

    result = project.run()

    assert (5, "blocked") == (result.exit_code, result.session["outcome"])
    (failure,) = [event["payload"]["failure"] for event in project.events() if event["type"].endswith(".unanswered")]
    assert "refused" == failure["cause"]
    assert "API_KEY" in failure["hint"]


def test_the_doctor_makes_a_small_call(real: Real, project: Project) -> None:
    configure(project, "verdict-pass", reviewer=real)

    result = project.cli("doctor", "--call")

    assert 0 == result.exit_code, result.stdout
    assert f"{real.kind}: answered in " in result.stdout
    assert f"version {real.pinned}, 1234 tokens" in result.stdout


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
def test_no_process_outlives_a_run_that_is_ended(real: Real, project: Project, number: signal.Signals) -> None:
    configure(project, "hang", reviewer=real)
    run = subprocess.Popen(
        [sys.executable, "-m", "reviewloop", "run", "spec.md"],
        cwd=project.root,
        env={"PATH": os.environ["PATH"], "HOME": str(project.root.parent)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        eventually(lambda: bool(real.server.requests) and bool(real.processes()))
        run.send_signal(number)
        run.wait(PATIENCE)
    finally:
        run.kill()

    eventually(lambda: not real.processes())


def test_with_the_users_own_login_in_a_home_above_the_project(
    project: Project, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The configuration directory is beside the project then, and nothing can be made directly in the home."""
    home = project.root.parent
    monkeypatch.setenv("HOME", str(home))
    (home / ".claude").mkdir()
    (home / ".claude.json").write_text("{}")
    (home / ".claude" / ".credentials.json").write_text(json.dumps({"claudeAiOauth": _login()}))
    real = Real("claude", server)
    settings = real.settings()
    env = {"ANTHROPIC_BASE_URL": settings["env"]["ANTHROPIC_BASE_URL"]}
    project.write("spec.md", f"{SPEC}\nSCRIPT: verdict-pass\n")
    agent = json.dumps({"kind": "claude", **settings, "env": env})
    project.write("reviewloop.yml", f"agents:\n  one: {agent}\nreview: {{reviewer: one}}\n")

    assert "passed" == project.run().session["outcome"]


def _login() -> dict[str, object]:
    later = int((time.time() + 86400) * 1000)
    scopes = ["user:inference", "user:profile"]
    return {
        "accessToken": "test",
        "refreshToken": "test",
        "expiresAt": later,
        "scopes": scopes,
        "subscriptionType": "max",
    }


def eventually(holds) -> None:
    until = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.05)
