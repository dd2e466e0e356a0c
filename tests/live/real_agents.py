"""Real agents that talk to a model server of our own, and a look at their processes."""

from __future__ import annotations

import json
import os
import shutil
import uuid
from pathlib import Path
from typing import Any

import pytest

from live.model_server import ModelServer
from reviewloop.agents.registry import build
from reviewloop.ports import Agent

KINDS = ("claude", "codex")
PACKAGES = {"claude": "@anthropic-ai/claude-code", "codex": "@openai/codex"}
PINNED: dict[str, str] = json.loads((Path(__file__).parent / "agents.json").read_text())


def program(kind: str) -> str:
    """Where the agent's program is; the test is skipped if `scripts/test` did not install any."""
    if "LIVE_AGENTS" not in os.environ:
        pytest.skip("real agents are installed by ./scripts/agents, and LIVE_AGENTS says where")
    found = shutil.which(kind, path=os.environ["LIVE_AGENTS"])
    assert found, f"there is no {kind} in {os.environ['LIVE_AGENTS']}"
    return found


def settings_for(kind: str, server: ModelServer) -> dict[str, Any]:
    """The settings of an agent that uses our model server, and does not ask it twice."""
    if kind == "claude":
        env = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "test", "CLAUDE_CODE_MAX_RETRIES": "0"}
        return {"program": program(kind), "model": "haiku", "env": env}
    provider = {
        "name": "loopback",
        "base_url": f"{server.url}/v1",
        "wire_api": "responses",
        "env_key": "OPENAI_API_KEY",
        "request_max_retries": 0,
        "stream_max_retries": 0,
    }
    config = {"model_provider": "loopback", "model_providers.loopback": provider}
    return {"program": program(kind), "model": "gpt-5", "env": {"OPENAI_API_KEY": "test"}, "config": config}


class Real:
    """One kind of agent, and the processes it has."""

    def __init__(self, kind: str, server: ModelServer) -> None:
        self.kind = kind
        self.server = server
        self._mark = uuid.uuid4().hex

    @property
    def pinned(self) -> str:
        return PINNED[PACKAGES[self.kind]]

    def settings(self, **changes: Any) -> dict[str, Any]:
        settings = settings_for(self.kind, self.server) | changes
        return settings | {"env": settings["env"] | {"LIVE_TEST": self._mark}}

    def agent(self, base: Path = Path("/"), **changes: Any) -> Agent:
        return build(self.kind, self.kind, self.settings(**changes), base)

    def processes(self) -> list[str]:
        """The names of its processes that still run."""
        mark = f"LIVE_TEST={self._mark}".encode()
        return [_name(process) for process in Path("/proc").glob("[0-9]*") if _carries(process, mark)]


def _carries(process: Path, mark: bytes) -> bool:
    try:
        return mark in (process / "environ").read_bytes()
    except OSError:  # it has ended, or is somebody else's
        return False


def _name(process: Path) -> str:
    try:
        return (process / "comm").read_text().strip()
    except OSError:
        return "a process that has just ended"
