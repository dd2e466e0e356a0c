"""The tests that every agent has to pass, ours and other people's.

Inherit from `AgentConformance`, say how your agent is built, and let pytest find the class:

    class TestMine(AgentConformance):
        def answering(self, tmp_path):
            return Mine(...)

Each method that builds an agent for a special case may be left out; its tests are then skipped.
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

# Far longer than any of these tests takes; it only keeps a broken agent from hanging the test run.
_PATIENCE = 60.0


def job_for(tmp_path: Path, **changes: Any) -> Job:
    """A reviewer's job on a small spec, with a copy of it to work on."""
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
        timeout=_PATIENCE,
    )
    return replace(job, **changes)


def ask(agent: Agent, job: Job) -> Reply:
    """Ask outside of any event loop."""
    return asyncio.run(_bounded(agent, job))


class AgentConformance:
    """What the engine relies on."""

    def answering(self, tmp_path: Path) -> Agent:
        """An agent that answers every job."""
        raise NotImplementedError

    def telling(self, tmp_path: Path) -> Agent | None:  # noqa: ARG002
        """An agent whose answer to iteration n is `answer n`, for n from 1 to 5."""
        return None

    def hanging(self, tmp_path: Path) -> Agent | None:  # noqa: ARG002
        """An agent that never answers."""
        return None

    def missing(self, tmp_path: Path) -> Agent | None:  # noqa: ARG002
        """An agent that is not installed."""
        return None

    def failing(self, tmp_path: Path) -> Agent | None:  # noqa: ARG002
        """An agent that breaks down."""
        return None

    def test_it_is_an_agent(self, tmp_path: Path) -> None:
        agent = self.answering(tmp_path)

        assert isinstance(agent, Agent)
        assert agent.edits_files in (True, False)

    def test_it_answers_a_reviewers_job(self, tmp_path: Path) -> None:
        reply = ask(self.answering(tmp_path), job_for(tmp_path))

        assert isinstance(reply, Reply)
        assert reply.text or reply.review

    def test_it_says_what_the_call_cost_or_that_it_does_not_know(self, tmp_path: Path) -> None:
        usage = ask(self.answering(tmp_path), job_for(tmp_path)).usage

        assert usage.seconds >= 0
        assert all(cost is None or cost >= 0 for cost in (usage.input_tokens, usage.output_tokens, usage.cost_usd))

    def test_a_reviewer_leaves_its_copy_as_it_was(self, tmp_path: Path) -> None:
        job = job_for(tmp_path)
        before = _contents(tmp_path / "copy")

        ask(self.answering(tmp_path), job)

        assert before == _contents(tmp_path / "copy")

    def test_parallel_questions_do_not_mix_up(self, tmp_path: Path) -> None:
        agent = _or_skip(self.telling(tmp_path))
        jobs = [job_for(tmp_path, key=f"{n}/reviewer", iteration=n, prompt=f"Question {n}") for n in range(1, 6)]

        async def ask_all() -> list[Reply]:
            return await asyncio.gather(*(_bounded(agent, job) for job in jobs))

        answers = [reply.text.strip() for reply in asyncio.run(ask_all())]

        assert [f"answer {n}" for n in range(1, 6)] == answers

    def test_an_answer_that_takes_too_long_is_a_time_out(self, tmp_path: Path) -> None:
        error = _error(_or_skip(self.hanging(tmp_path)), job_for(tmp_path, timeout=0.2))

        assert isinstance(error, AgentTimedOut)
        assert "0.2 s" in error.message

    def test_a_cancelled_question_ends(self, tmp_path: Path) -> None:
        agent = _or_skip(self.hanging(tmp_path))

        async def ask_and_cancel() -> bool:
            question = asyncio.create_task(agent.ask(job_for(tmp_path)))
            await asyncio.sleep(0.05)
            question.cancel()
            await asyncio.wait([question], timeout=_PATIENCE)
            return question.cancelled()

        assert asyncio.run(ask_and_cancel())

    def test_an_agent_that_is_not_there_says_so_and_helps(self, tmp_path: Path) -> None:
        error = _error(_or_skip(self.missing(tmp_path)), job_for(tmp_path))

        assert isinstance(error, AgentMissing)
        assert error.hint

    def test_an_agent_that_breaks_down_gives_no_answer(self, tmp_path: Path) -> None:
        error = _error(_or_skip(self.failing(tmp_path)), job_for(tmp_path))

        assert isinstance(error, AgentFailed)
        assert error.message


async def _bounded(agent: Agent, job: Job) -> Reply:
    return await asyncio.wait_for(agent.ask(job), _PATIENCE)


def _error(agent: Agent, job: Job) -> AgentError:
    with pytest.raises(AgentError) as raised:
        ask(agent, job)
    return raised.value


def _or_skip(agent: Agent | None) -> Agent:
    if agent is None:
        pytest.skip("this agent cannot be in that situation")
    return agent


def _contents(directory: Path) -> dict[str, bytes]:
    files = [path for path in sorted(directory.rglob("*")) if path.is_file()]
    return {str(path.relative_to(directory)): path.read_bytes() for path in files}
