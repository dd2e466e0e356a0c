from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from reviewloop.agents.wrappers.retry import Retrying
from reviewloop.errors import AgentError, AgentFailed, AgentMissing, AgentRefused, AgentTimedOut
from reviewloop.ports import Job, Reply
from reviewloop.testing.agents import ask, job_for

BUSY = AgentFailed("busy", transient=True)


class Day:
    """A clock that moves when somebody sleeps or works."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.pauses: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


class Scripted:
    """An agent that gives these answers in turn; each takes a while."""

    edits_files = True

    def __init__(self, day: Day, answers: Iterable[str | AgentError], takes: float = 0.0) -> None:
        self.day = day
        self.answers = list(answers)
        self.takes = takes
        self.timeouts: list[float] = []

    async def ask(self, job: Job) -> Reply:
        self.timeouts.append(job.timeout)
        self.day.now += self.takes
        answer = self.answers[len(self.timeouts) - 1]
        if isinstance(answer, AgentError):
            raise answer
        return Reply(text=answer)


def retrying(agent: Scripted, retries: int = 2, chance: float = 1.0) -> Retrying:
    day = agent.day
    return Retrying(agent, retries, sleep=day.sleep, now=lambda: day.now, jitter=lambda: chance)


def test_an_agent_without_capacity_is_asked_again_after_longer_and_longer_pauses(tmp_path: Path) -> None:
    agent = Scripted(Day(), [BUSY, BUSY, BUSY, "done"])

    reply = ask(retrying(agent, 3), job_for(tmp_path, timeout=600))

    assert ("done", [2.0, 4.0, 8.0]) == (reply.text, agent.day.pauses)


def test_chance_makes_a_pause_up_to_half_shorter(tmp_path: Path) -> None:
    agent = Scripted(Day(), [BUSY, BUSY, "done"])

    ask(retrying(agent, chance=0.0), job_for(tmp_path, timeout=600))

    assert [1.0, 2.0] == agent.day.pauses


def test_no_pause_is_longer_than_a_minute(tmp_path: Path) -> None:
    agent = Scripted(Day(), [BUSY] * 7 + ["done"])

    ask(retrying(agent, 7), job_for(tmp_path, timeout=6000))

    assert 60.0 == agent.day.pauses[-1]


def test_what_the_provider_says_about_waiting_is_heeded(tmp_path: Path) -> None:
    agent = Scripted(Day(), [AgentFailed("busy", transient=True, retry_after=31), "done"])

    ask(retrying(agent), job_for(tmp_path, timeout=600))

    assert [31] == agent.day.pauses


def test_after_its_retries_the_last_error_stands(tmp_path: Path) -> None:
    last = AgentFailed("still busy", transient=True)
    agent = Scripted(Day(), [BUSY, BUSY, last])

    with pytest.raises(AgentFailed) as raised:
        ask(retrying(agent), job_for(tmp_path, timeout=600))

    assert (last, 3) == (raised.value, len(agent.timeouts))


@pytest.mark.parametrize(
    "error", [AgentRefused("wrong key"), AgentFailed("exit 1"), AgentMissing("not here"), AgentTimedOut("gone")]
)
def test_what_will_not_pass_by_itself_is_not_tried_again(tmp_path: Path, error: AgentError) -> None:
    agent = Scripted(Day(), [error, "never"])

    with pytest.raises(AgentError) as raised:
        ask(retrying(agent), job_for(tmp_path))

    assert (error, []) == (raised.value, agent.day.pauses)


@pytest.mark.parametrize("answer", ["", "no JSON at all"])
def test_a_malformed_answer_is_an_answer(tmp_path: Path, answer: str) -> None:
    agent = Scripted(Day(), [answer, "never"])

    assert answer == ask(retrying(agent), job_for(tmp_path)).text


def test_all_attempts_together_keep_within_the_calls_time(tmp_path: Path) -> None:
    agent = Scripted(Day(), [BUSY, BUSY, "done"], takes=10)

    ask(retrying(agent), job_for(tmp_path, timeout=100))

    assert [100, 88, 74] == agent.timeouts


def test_a_pause_that_would_not_end_in_time_is_not_begun(tmp_path: Path) -> None:
    agent = Scripted(Day(), [AgentFailed("busy", transient=True, retry_after=3600), "never"])

    with pytest.raises(AgentFailed, match="busy"):
        ask(retrying(agent), job_for(tmp_path, timeout=600))

    assert [] == agent.day.pauses


def test_with_no_retries_it_is_asked_once(tmp_path: Path) -> None:
    agent = Scripted(Day(), [BUSY, "never"])

    with pytest.raises(AgentFailed):
        ask(retrying(agent, 0), job_for(tmp_path))

    assert 1 == len(agent.timeouts)
