"""Models asked directly, through the real client libraries, at a vendor of our own on loopback."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from model_server import Asked, Says, Server, serving

from reviewloop.agents.registry import build
from reviewloop.core.dialects import DIALECTS
from reviewloop.core.types.rubric import FOUR_CRITERIA
from reviewloop.errors import AgentError, AgentFailed, AgentMissing, AgentRefused, AgentTimedOut, ConfigError
from reviewloop.ports import Agent, Probed, Role
from reviewloop.testing.agents import AgentConformance, ask, job_for

pytestmark = pytest.mark.slow  # the model client takes seconds to load

VENDORS = ["anthropic", "openai", "google"]
NAMES = {"anthropic": "claude-of-ours", "openai": "gpt-5-mini", "google": "gemini-2.5-flash"}


def model(server: Server, vendor: str = "anthropic", **settings: Any) -> Agent:
    url = f"{server.url}/v1" if vendor == "openai" else server.url
    named = {"model": f"{vendor}:{NAMES[vendor]}", "base_url": url}
    return build("model", "mine", named | settings, Path("/"))


def error_of(server: Server, tmp_path: Path, vendor: str = "anthropic", **settings: Any) -> AgentError:
    with pytest.raises(AgentError) as raised:
        ask(model(server, vendor, **settings), job_for(tmp_path))
    return raised.value


class TestModel(AgentConformance):
    @pytest.fixture(autouse=True)
    def servers(self) -> Iterator[None]:
        with ExitStack() as self.open:
            yield

    def answering(self, tmp_path: Path) -> Agent:
        return model(self.open.enter_context(serving("It is fine.")))

    def numbering(self, tmp_path: Path) -> Agent:
        def echo(asked: Asked) -> Says:
            return Says(text=f"answer {asked.prompt.removeprefix('Question ')}")

        return model(self.open.enter_context(serving(by=echo)), "openai")

    def hanging(self, tmp_path: Path) -> Agent:
        return model(self.open.enter_context(serving(Says(hangs=True))))

    def missing(self, tmp_path: Path) -> Agent:
        return model(self.open.enter_context(serving("never asked")), api_key_env="NO_SUCH_KEY_ANYWHERE")

    def failing(self, tmp_path: Path) -> Agent:
        return model(self.open.enter_context(serving(Says(status=500))))


@pytest.mark.parametrize("vendor", VENDORS)
def test_the_answer_comes_with_its_model_and_its_usage(tmp_path: Path, vendor: str) -> None:
    with serving("Looks good.") as server:
        reply = ask(model(server, vendor), job_for(tmp_path, prompt="Review ✓ this."))

    assert "Review ✓ this." == server.asked[0].prompt
    assert ("Looks good.", NAMES[vendor]) == (reply.text, reply.model)
    assert (1200, 90, None) == (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.cost_usd)
    assert reply.agent_session


def test_settings_reach_the_model(tmp_path: Path) -> None:
    with serving("ok") as server:
        ask(model(server, temperature=0.5, max_tokens=77), job_for(tmp_path))
        ask(model(server), job_for(tmp_path))

    assert [(0.5, 77), (None, 16_000)] == [
        (request.body.get("temperature"), request.body["max_tokens"]) for request in server.asked
    ]


class TestKeys:
    def test_a_named_key_is_sent(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OUR_KEY", "k-123")
        with serving("ok") as server:
            for vendor in VENDORS:
                ask(model(server, vendor, api_key_env="OUR_KEY"), job_for(tmp_path))

        assert [True] * 3 == [any("k-123" in value for value in request.headers.values()) for request in server.asked]

    def test_the_vendors_key_is_not_sent_to_another_server(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-real")
        with serving("ok") as server:
            ask(model(server, "openai"), job_for(tmp_path))

        assert "sk-real" not in server.asked[0].headers["authorization"]

    def test_without_a_key_nothing_is_sent(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY"):
            monkeypatch.delenv(name, raising=False)
        agent = build("model", "mine", {"model": "google:gemini-2.5-flash"}, tmp_path)

        with pytest.raises(AgentMissing) as raised:
            ask(agent, job_for(tmp_path))

        assert "agent `mine` has no key: GOOGLE_API_KEY or GEMINI_API_KEY is not set" == raised.value.message
        assert "export GOOGLE_API_KEY=..., or name another variable with `api_key_env`" == raised.value.hint


class TestSchema:
    SCHEMA = DIALECTS["scored"].schema(FOUR_CRITERIA)

    @pytest.mark.parametrize("vendor", VENDORS)
    def test_the_server_is_told_the_form_of_the_answer_if_that_is_asked_for(self, tmp_path: Path, vendor: str) -> None:
        with serving("{}") as server:
            ask(
                model(server, vendor, answer_schema=True, model=_with_schemas(vendor)),
                job_for(tmp_path, answer_schema=self.SCHEMA),
            )

        assert "testability" in json.dumps(server.asked[0].body)

    def test_other_servers_are_not_told_by_default(self, tmp_path: Path) -> None:
        with serving("{}") as server:
            ask(model(server, "openai"), job_for(tmp_path, answer_schema=self.SCHEMA))

        assert "response_format" not in server.asked[0].body


def _with_schemas(vendor: str) -> str:
    return "anthropic:claude-opus-4-8" if vendor == "anthropic" else f"{vendor}:{NAMES[vendor]}"


class TestCauses:
    @pytest.mark.parametrize("vendor", VENDORS)
    def test_a_wrong_key_is_refused_at_once_with_what_to_do(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, vendor: str
    ) -> None:
        monkeypatch.setenv("OUR_KEY", "wrong")
        with serving(Says(status=401, text="invalid key")) as server:
            error = error_of(server, tmp_path, vendor, api_key_env="OUR_KEY")

        assert isinstance(error, AgentRefused)
        assert "mine's provider denied access: 401, invalid key" == error.message
        assert "check the key (key from OUR_KEY)" == error.hint
        assert 1 == len(server.asked)

    @pytest.mark.parametrize("vendor", VENDORS)
    def test_a_rate_limit_says_when_to_come_back(self, tmp_path: Path, vendor: str) -> None:
        with serving(Says(status=429, text="slow down", headers={"retry-after": "7"})) as server:
            error = error_of(server, tmp_path, vendor)

        assert isinstance(error, AgentFailed)
        assert (True, 7.0) == (error.transient, error.retry_after)
        assert "mine's provider is overloaded or limits calls: 429, slow down" == error.message
        assert 1 == len(server.asked)

    @pytest.mark.parametrize("status", [500, 503, 529])
    def test_an_overload_may_pass(self, tmp_path: Path, status: int) -> None:
        with serving(Says(status=status)) as server:
            error = error_of(server, tmp_path)

        assert isinstance(error, AgentFailed)
        assert (True, None) == (error.transient, error.retry_after)

    def test_a_server_that_is_not_there_may_come_back(self, tmp_path: Path) -> None:
        with serving("gone") as server:
            pass
        error = error_of(server, tmp_path, "openai")

        assert isinstance(error, AgentFailed)
        assert error.transient
        assert error.hint
        assert "base_url" in error.hint

    @pytest.mark.parametrize(
        ("vendor", "raw"),
        [
            *((vendor, b"<html>hello</html>") for vendor in VENDORS),
            ("anthropic", b'{"content": 2}'),
            ("openai", b'{"choices": 1}'),
            ("openai", b'{"choices": []}'),
        ],
    )
    def test_an_answer_nobody_can_read_is_no_answer_and_not_worth_a_retry(
        self, tmp_path: Path, vendor: str, raw: bytes
    ) -> None:
        with serving(Says(raw=raw)) as server:
            error = error_of(server, tmp_path, vendor)

        assert isinstance(error, AgentFailed)
        assert not error.transient

    @pytest.mark.parametrize("vendor", VENDORS)
    def test_half_an_answer_is_none(self, tmp_path: Path, vendor: str) -> None:
        with serving(Says(text='{"verdict": "pass"', stop="length")) as server:
            error = error_of(server, tmp_path, vendor)

        assert ("mine's answer was cut off", '{"verdict": "pass"') == (error.message, error.stderr)

    @pytest.mark.parametrize("vendor", VENDORS)
    def test_a_refusal_is_one(self, tmp_path: Path, vendor: str) -> None:
        with serving(Says(text="I cannot", stop="filter")) as server:
            assert isinstance(error_of(server, tmp_path, vendor), AgentRefused)

    def test_its_own_time_limit_holds(self, tmp_path: Path) -> None:
        with serving(Says(hangs=True)) as server:
            error = error_of(server, tmp_path, timeout=0.2)

        assert isinstance(error, AgentTimedOut)
        assert "no answer within 0.2 s" == error.message

    def test_the_status_of_a_model_that_is_not_there_is_shown(self, tmp_path: Path) -> None:
        with serving(Says(status=404, text="no such model")) as server:
            assert "404, no such model" in error_of(server, tmp_path).message


class TestAuthor:
    TEXT = "# Export\n\nFR-1: rows are exported as CSV, 10,000 in 5 s.\n"

    def ask(self, tmp_path: Path, says: str) -> Any:
        with serving(says) as server:
            return ask(model(server), job_for(tmp_path, role=Role.AUTHOR, marker="5f3a", directory=None))

    def test_it_gives_the_whole_new_text_of_a_file(self, tmp_path: Path) -> None:
        reply = self.ask(tmp_path, f"I gave it a limit.\n\nBEGIN 5f3a spec.md\n{self.TEXT}END 5f3a\n")

        assert ({"spec.md": self.TEXT}, ()) == (reply.edits, reply.denials)

    def test_files_that_are_not_the_artifacts_are_left_out_and_named(self, tmp_path: Path) -> None:
        answer = f"BEGIN 5f3a ../etc/passwd\nx\nEND 5f3a\nBEGIN 5f3a spec.md\n{self.TEXT}END 5f3a"
        reply = self.ask(tmp_path, answer)

        assert ({"spec.md": self.TEXT}, ("../etc/passwd is not part of the artifact",)) == (reply.edits, reply.denials)

    def test_an_answer_without_a_file_is_a_failure(self, tmp_path: Path) -> None:
        with pytest.raises(AgentFailed, match="contains no file"):
            self.ask(tmp_path, "I would add a limit to FR-1.")


@pytest.mark.parametrize("name", ["gpt-5", "mistral:large", "openai:", ":x", ""])
def test_a_model_names_its_vendor(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError) as raised:
        build("model", "mine", {"model": name}, tmp_path)

    assert "agent `mine`: `model` must name a vendor and a model, such as `anthropic:NAME`" == raised.value.message


def test_without_the_library_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "pydantic_ai"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    agent = build("model", "mine", {"model": "openai:x", "base_url": "http://127.0.0.1:9/v1"}, tmp_path)

    with pytest.raises(AgentMissing) as raised:
        ask(agent, job_for(tmp_path))

    assert "pip install 'reviewloop[models]'" == raised.value.hint


def test_it_can_be_looked_at_without_being_asked(tmp_path: Path) -> None:
    with serving("never asked") as server:
        agent = model(server, "openai")
        assert isinstance(agent, Probed)
        found = asyncio.run(agent.probe())

    assert (f"openai:gpt-5-mini at {server.url}/v1/, no key", []) == (found, server.asked)
