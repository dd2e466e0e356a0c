"""The conformance tests for agents, built in or your own.

Inherit from `AgentConformance`, build your agent in `answering`, and let pytest find the class:

    class TestMine(AgentConformance):
        def answering(self, tmp_path):
            return Mine(...)

The other methods build an agent for a special case. The tests of a case are skipped if its method is left out.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.rubric import FOUR_CRITERIA
from reviewloop.errors import AgentError, AgentFailed, AgentMissing, AgentTimedOut
from reviewloop.ports import Agent, Job, Reply, Role

# Far longer than any test takes: it keeps a broken agent from hanging the test run.
_TEST_SECONDS = 60.0


def job_for(tmp_path: Path, **changes: Any) -> Job:
    """Build a reviewer's job on a small spec, with a copy of the spec to work on."""
    spec = SourceFile(path="spec.md", text="# Export\n\nFR-1: rows are exported as CSV.\n")
    directory = tmp_path / "copy"
    directory.mkdir(exist_ok=True)
    (directory / spec.path).write_text(spec.text, encoding="utf-8")
    job = Job(
        key="1/reviewer",
        agent="reviewer",
        role=Role.REVIEW,
        prompt="Review the spec.",
        session="export",
        iteration=1,
        artifact=Artifact(kind=Kind.SPEC, name="spec", files=(spec,)),
        rubric=FOUR_CRITERIA,
        directory=directory,
        timeout=_TEST_SECONDS,
    )
    return replace(job, **changes)


def ask(agent: Agent, job: Job) -> Reply:
    """Call the agent in a new event loop."""
    return asyncio.run(_bounded(agent, job))


class AgentConformance:
    """The behaviour that the engine relies on."""

    def answering(self, tmp_path: Path) -> Agent:
        """An agent that answers every job."""
        raise NotImplementedError

    def numbering(self, tmp_path: Path) -> Agent | None:  # noqa: ARG002
        """An agent whose answer to iteration n is `answer n`, for n from 1 to 5."""
        return None

    def hanging(self, tmp_path: Path) -> Agent | None:  # noqa: ARG002
        """An agent that never answers."""
        return None

    def missing(self, tmp_path: Path) -> Agent | None:  # noqa: ARG002
        """An agent that is not installed."""
        return None

    def failing(self, tmp_path: Path) -> Agent | None:  # noqa: ARG002
        """An agent that fails."""
        return None

    def test_it_is_an_agent(self, tmp_path: Path) -> None:
        agent = self.answering(tmp_path)

        assert isinstance(agent, Agent)
        assert agent.edits_files in (True, False)

    def test_it_answers_a_reviewers_job(self, tmp_path: Path) -> None:
        reply = ask(self.answering(tmp_path), job_for(tmp_path))

        assert isinstance(reply, Reply)
        assert reply.text or reply.review

    def test_it_reports_the_cost_or_none(self, tmp_path: Path) -> None:
        usage = ask(self.answering(tmp_path), job_for(tmp_path)).usage

        assert usage.seconds >= 0
        assert all(cost is None or cost >= 0 for cost in (usage.input_tokens, usage.output_tokens, usage.cost_usd))

    def test_a_reviewer_leaves_its_copy_as_it_was(self, tmp_path: Path) -> None:
        job = job_for(tmp_path)
        before = _contents(tmp_path / "copy")

        ask(self.answering(tmp_path), job)

        assert before == _contents(tmp_path / "copy")

    def test_parallel_calls_do_not_mix_up(self, tmp_path: Path) -> None:
        agent = _or_skip(self.numbering(tmp_path))
        jobs = [job_for(tmp_path, key=f"{n}/reviewer", iteration=n, prompt=f"Question {n}") for n in range(1, 6)]

        async def ask_all() -> list[Reply]:
            return await asyncio.gather(*(_bounded(agent, job) for job in jobs))

        answers = [reply.text.strip() for reply in asyncio.run(ask_all())]

        assert [f"answer {n}" for n in range(1, 6)] == answers

    def test_an_answer_that_takes_too_long_is_a_time_out(self, tmp_path: Path) -> None:
        error = _error(_or_skip(self.hanging(tmp_path)), job_for(tmp_path, timeout=0.2))

        assert isinstance(error, AgentTimedOut)
        assert "0.2 s" in error.message

    def test_a_cancelled_call_ends(self, tmp_path: Path) -> None:
        agent = _or_skip(self.hanging(tmp_path))

        async def ask_and_cancel() -> bool:
            question = asyncio.create_task(agent.ask(job_for(tmp_path)))
            await asyncio.sleep(0.05)
            question.cancel()
            await asyncio.wait([question], timeout=_TEST_SECONDS)
            return question.cancelled()

        assert asyncio.run(ask_and_cancel())

    def test_a_missing_agent_says_so_and_gives_a_hint(self, tmp_path: Path) -> None:
        error = _error(_or_skip(self.missing(tmp_path)), job_for(tmp_path))

        assert isinstance(error, AgentMissing)
        assert error.hint

    def test_a_failing_agent_gives_no_answer(self, tmp_path: Path) -> None:
        error = _error(_or_skip(self.failing(tmp_path)), job_for(tmp_path))

        assert isinstance(error, AgentFailed)
        assert error.message


async def _bounded(agent: Agent, job: Job) -> Reply:
    return await asyncio.wait_for(agent.ask(job), _TEST_SECONDS)


def _error(agent: Agent, job: Job) -> AgentError:
    with pytest.raises(AgentError) as raised:
        ask(agent, job)
    return raised.value


def _or_skip(agent: Agent | None) -> Agent:
    if agent is None:
        pytest.skip("the suite has no agent for this case")
    return agent


def _contents(directory: Path) -> dict[str, bytes]:
    files = [path for path in sorted(directory.rglob("*")) if path.is_file()]
    return {str(path.relative_to(directory)): path.read_bytes() for path in files}
