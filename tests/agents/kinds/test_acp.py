"""Agents of the Agent Client Protocol, with a tiny one of our own that is a real program."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from agent_programs import eventually, lives, pid_in

from reviewloop.agents.registry import build
from reviewloop.errors import AgentError, AgentFailed, AgentMissing, AgentRefused, AgentTimedOut
from reviewloop.ports import Agent, Job, Probed, Reply, Role
from reviewloop.testing.agents import AgentConformance, ask, job_for

pytestmark = pytest.mark.slow  # the protocol's library takes seconds to load

TINY = [sys.executable, "-IS", str(Path(__file__).parents[1] / "acp_agent.py")]


def tiny(*arguments: str, **settings: Any) -> Agent:
    return build("acp", "mine", {"command": [*TINY, *arguments], **settings}, Path("/"))


def answer(tmp_path: Path, prompt: str, role: Role = Role.REVIEW, **settings: Any) -> Reply:
    return ask(tiny(**settings), job_for(tmp_path, prompt=prompt, role=role))


def error_of(tmp_path: Path, prompt: str, **settings: Any) -> AgentError:
    with pytest.raises(AgentError) as raised:
        answer(tmp_path, prompt, **settings)
    return raised.value


class TestAcp(AgentConformance):
    def answering(self, tmp_path: Path) -> Agent:
        return Prompted(tiny(), "say fine")

    def numbering(self, tmp_path: Path) -> Agent:
        return Prompted(tiny(), "say answer {n}")

    def hanging(self, tmp_path: Path) -> Agent:
        return tiny("--silent")

    def missing(self, tmp_path: Path) -> Agent:
        return build("acp", "mine", {"command": ["./not-there"]}, tmp_path)

    def failing(self, tmp_path: Path) -> Agent:
        return Prompted(tiny(), "exit")


class Prompted:
    """Our tiny agent takes its orders from the prompt, which the conformance suite does not write for it."""

    edits_files = True

    def __init__(self, agent: Agent, prompt: str) -> None:
        self.agent = agent
        self.prompt = prompt

    async def ask(self, job: Job) -> Reply:
        return await self.agent.ask(replace(job, prompt=self.prompt.format(n=job.iteration)))


def test_its_last_words_are_its_answer(tmp_path: Path) -> None:
    reply = answer(tmp_path, "say REVIEW_PASS it is")

    assert ("REVIEW_PASS it is ", "s-1", "tiny 1.0") == (reply.text, reply.agent_session, reply.version)
    assert (12, 3) == (reply.usage.input_tokens, reply.usage.output_tokens)


def test_a_line_may_be_long(tmp_path: Path) -> None:
    assert 300_000 == len(answer(tmp_path, "long").text)


def test_the_session_mode_of_the_role_is_set(tmp_path: Path) -> None:
    mode = {"review": "read-only"}

    assert "read-only" == answer(tmp_path, "mode", mode=mode).text
    assert "default" == answer(tmp_path, "mode", Role.AUTHOR, mode=mode).text


def test_it_is_told_where_to_work_and_what_the_settings_say(tmp_path: Path) -> None:
    request = json.loads(answer(tmp_path, "meta", meta={"claudeCode": {"options": {"settingSources": []}}}).text)

    assert str(tmp_path / "copy") == request["cwd"]
    assert ([], {"claudeCode": {"options": {"settingSources": []}}}) == (request["mcpServers"], request["_meta"])


def test_its_environment_is_a_clean_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "s3cret")
    monkeypatch.setenv("MY_KEY", "key")

    names = answer(tmp_path, "env", env=["MY_KEY"]).text.split()

    assert (False, True, True) == ("SECRET_TOKEN" in names, "MY_KEY" in names, "REVIEWLOOP_ROLE" in names)


class TestPermission:
    @pytest.mark.parametrize(
        ("role", "kind", "granted"),
        [
            (Role.REVIEW, "read", True),
            (Role.REVIEW, "search", True),
            (Role.REVIEW, "edit", False),
            (Role.REVIEW, "delete", False),
            (Role.REVIEW, "execute", False),
            (Role.REVIEW, "fetch", False),
            (Role.REVIEW, "switch_mode", False),
            (Role.REVIEW, "other", False),
            (Role.AUTHOR, "read", True),
            (Role.AUTHOR, "edit", True),
            (Role.AUTHOR, "delete", False),
            (Role.AUTHOR, "execute", False),
        ],
    )
    def test_a_role_may_do_this_much(self, tmp_path: Path, role: Role, kind: str, granted: bool) -> None:
        reply = answer(tmp_path, f"ask {kind} spec.md", role)

        assert ("id-allow_once" if granted else "id-reject_once") == reply.text
        assert (() if granted else (f"{kind}: {kind} spec.md",)) == reply.denials

    def test_a_reviewer_that_wants_to_write_has_not_written(self, tmp_path: Path) -> None:
        answer(tmp_path, "ask edit spec.md")

        assert (tmp_path / "copy/spec.md").read_text().startswith("# Export")

    def test_an_author_that_may_has(self, tmp_path: Path) -> None:
        answer(tmp_path, "ask edit spec.md", Role.AUTHOR)

        assert "edited" == (tmp_path / "copy/spec.md").read_text()

    @pytest.mark.parametrize("path", ["/etc/passwd", "../outside.md"])
    def test_nobody_may_leave_the_copy(self, tmp_path: Path, path: str) -> None:
        assert "id-reject_once" == answer(tmp_path, f"ask read {path}").text
        assert "id-reject_once" == answer(tmp_path, f"ask edit {path}", Role.AUTHOR).text

    def test_we_write_no_files_for_it(self, tmp_path: Path) -> None:
        assert "-32601" == answer(tmp_path, "write spec.md", Role.AUTHOR).text


class TestFailures:
    @pytest.mark.parametrize(
        ("reason", "error", "message"),
        [
            ("refusal", AgentRefused, "mine refused to answer"),
            ("max_tokens", AgentFailed, "mine gave no complete answer: it reached its token limit"),
            ("max_turn_requests", AgentFailed, "mine gave no complete answer: it used all its turns"),
            ("cancelled", AgentFailed, "mine gave no complete answer: it cancelled the call"),
        ],
    )
    def test_a_turn_that_ends_badly_is_no_answer(
        self, tmp_path: Path, reason: str, error: type[AgentError], message: str
    ) -> None:
        found = error_of(tmp_path, f"stop {reason}")

        assert (error, message) == (type(found), found.message)

    def test_an_agent_that_is_not_logged_in_says_so(self, tmp_path: Path) -> None:
        error = error_of(tmp_path, "error -32000")

        assert isinstance(error, AgentRefused)
        assert ("mine: No: details because", "log in with the agent's own program first") == (error.message, error.hint)

    def test_an_error_is_no_answer(self, tmp_path: Path) -> None:
        assert "mine: No: details because" == error_of(tmp_path, "error -32603").message

    def test_an_agent_that_ends_early_is_heard(self, tmp_path: Path) -> None:
        error = error_of(tmp_path, "exit")

        assert isinstance(error, AgentFailed)
        assert "mine exited with code 3 before it answered: out of memory" == error.message

    def test_a_program_that_speaks_another_language_is_no_agent(self, tmp_path: Path) -> None:
        agent = build("acp", "mine", {"command": ["/bin/echo", "hello"]}, Path("/"))

        with pytest.raises(AgentFailed):
            ask(agent, job_for(tmp_path))

    def test_after_its_time_it_is_told_to_stop_and_ended(self, tmp_path: Path) -> None:
        file = tmp_path / "pid"
        error = error_of(tmp_path, f"hang {file}", timeout=5)

        assert isinstance(error, AgentTimedOut)
        assert "no answer within 5 s" == error.message
        assert not lives(pid_in(file))
        assert "yes" == Path(f"{file}.cancelled").read_text()

    def test_a_cancelled_question_leaves_no_process(self, tmp_path: Path) -> None:
        file = tmp_path / "pid"

        async def cancel() -> None:
            question = asyncio.create_task(tiny().ask(job_for(tmp_path, prompt=f"hang {file}")))
            await asyncio.to_thread(pid_in, file)
            question.cancel()
            await asyncio.wait([question])

        asyncio.run(cancel())

        eventually(lambda: not lives(pid_in(file)))


def test_it_can_be_looked_at(tmp_path: Path) -> None:
    agent, missing = tiny(), build("acp", "mine", {"command": ["./not-there"]}, tmp_path)
    assert isinstance(agent, Probed)
    assert isinstance(missing, Probed)

    assert sys.executable == asyncio.run(agent.probe())
    with pytest.raises(AgentMissing):
        asyncio.run(missing.probe())


def test_without_the_library_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "acp" or name.endswith(".acp_client")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "acp", None)

    with pytest.raises(AgentMissing) as raised:
        ask(tiny(), job_for(tmp_path))

    assert "pip install 'reviewloop[acp]'" == raised.value.hint
