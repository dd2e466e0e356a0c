from __future__ import annotations

from pathlib import Path

import pytest

from project import Project, passing
from reviewloop.agents.wrappers.fallback import WithFallback
from reviewloop.errors import AgentFailed, AgentMissing, AgentTimedOut
from reviewloop.ports import Agent, Job, Reply, Role
from reviewloop.testing.agents import ask, job_for


class Answers:
    edits_files = True

    def __init__(self, answer: str | Exception) -> None:
        self.answer = answer
        self.jobs: list[Job] = []

    async def ask(self, job: Job) -> Reply:
        self.jobs.append(job)
        if isinstance(self.answer, Exception):
            raise self.answer
        return Reply(text=self.answer, model="m")


def behind(first: Agent, second: Agent) -> WithFallback:
    return WithFallback(first, "second", lambda _: second)


def test_an_agent_that_answers_needs_nobody_else(tmp_path: Path) -> None:
    second = Answers("second")

    reply = ask(behind(Answers("first"), second), job_for(tmp_path))

    assert ("first", None, []) == (reply.text, reply.answered_by, second.jobs)


@pytest.mark.parametrize("error", [AgentFailed("exit 1"), AgentMissing("not here"), AgentTimedOut("slow")])
def test_if_it_gives_no_answer_the_other_is_asked_and_named(tmp_path: Path, error: Exception) -> None:
    second = Answers("second")

    reply = ask(behind(Answers(error), second), job_for(tmp_path, timeout=50))

    assert ("second", "second", "m") == (reply.text, reply.answered_by, reply.model)
    assert ("second", True) == (second.jobs[0].agent, 40 < second.jobs[0].timeout <= 50)


def test_a_fallback_may_have_one_itself(tmp_path: Path) -> None:
    third = WithFallback(Answers(AgentFailed("b")), "third", lambda _: Answers("third"))

    assert "third" == ask(behind(Answers(AgentFailed("a")), third), job_for(tmp_path)).answered_by


def test_if_both_fail_both_are_heard(tmp_path: Path) -> None:
    with pytest.raises(AgentMissing) as raised:
        ask(
            behind(Answers(AgentMissing("no claude", hint="install it")), Answers(AgentFailed("exit 1"))),
            job_for(tmp_path),
        )

    assert ("no claude; fallback second failed too: exit 1", "install it") == (raised.value.message, raised.value.hint)


def test_one_that_is_barred_is_not_asked_and_the_failure_says_why(tmp_path: Path) -> None:
    second = Answers("second")
    job = job_for(tmp_path, barred=lambda name: f"{name} wrote it")
    with pytest.raises(AgentTimedOut) as raised:
        ask(behind(Answers(AgentTimedOut("slow", hint="wait")), second), job)

    assert ("slow; fallback second was not asked: second wrote it", "wait") == (raised.value.message, raised.value.hint)
    assert [] == second.jobs


def test_the_fallback_of_a_fallback_can_be_barred_too(tmp_path: Path) -> None:
    third = Answers("third")
    second = WithFallback(Answers(AgentFailed("b")), "third", lambda _: third)
    job = job_for(tmp_path, barred=lambda name: "it wrote it" if name == "third" else None)
    with pytest.raises(AgentFailed, match="fallback third was not asked: it wrote it"):
        ask(behind(Answers(AgentFailed("a")), second), job)

    assert [] == third.jobs


def test_an_author_has_none(tmp_path: Path) -> None:
    second = Answers("second")
    with pytest.raises(AgentFailed):
        ask(behind(Answers(AgentFailed("exit 1")), second), job_for(tmp_path, role=Role.AUTHOR))

    assert [] == second.jobs


def test_it_is_not_asked_when_the_time_is_up(tmp_path: Path) -> None:
    second = Answers("second")
    with pytest.raises(AgentTimedOut):
        ask(behind(Answers(AgentTimedOut("gone")), second), job_for(tmp_path, timeout=0.5))

    assert [] == second.jobs


def test_the_record_says_who_answered(project: Project) -> None:
    project.agent("reviewer", "exit 1", fallback="other", retries=0)
    project.reviewer(passing(), name="other")

    result = project.run()
    answered = next(event for event in project.events() if event["type"].endswith(".answered"))

    assert 0 == result.exit_code
    assert ("reviewer", "other") == (answered["payload"]["call"]["agent"], answered["payload"]["answered_by"])
    assert "other, instead of reviewer: pass" in result.stderr


@pytest.mark.parametrize(
    ("agents", "message"),
    [
        ("a: {kind: codex, fallback: b}", 'no agent is named "b"'),
        ("a: {kind: codex, fallback: a}", "the fallbacks form a cycle: a -> a"),
        ("a: {kind: codex, fallback: b}\n  b: {kind: codex, fallback: a}", "the fallbacks form a cycle: a -> b -> a"),
    ],
)
def test_a_fallback_that_leads_nowhere_is_a_mistake(project: Project, agents: str, message: str) -> None:
    project.write("reviewloop.yml", f"agents:\n  {agents}\n")
    result = project.cli("doctor")

    assert (2, True) == (result.exit_code, message in result.stderr)


def test_an_unknown_name_in_the_egress_policy_is_a_mistake(project: Project) -> None:
    project.write("reviewloop.yml", "egress:\n  allowed_agents: [claud]\n")
    result = project.cli("doctor")

    assert 2 == result.exit_code
    assert 'reviewloop.yml:2:20: no agent and no kind is named "claud"' in result.stderr
    assert 'did you mean "claude"?' in result.stderr
