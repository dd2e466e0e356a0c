from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewloop.agents.kinds.replay import Entry, Replay
from reviewloop.agents.registry import build
from reviewloop.core.types.review import Stage, Usage
from reviewloop.errors import AgentError, AgentFailed, AgentMissing, AgentRefused, AgentTimedOut, ConfigError
from reviewloop.ports import Agent, Role
from reviewloop.testing.agents import AgentConformance, ask, job_for


class TestReplay(AgentConformance):
    def answering(self, tmp_path: Path) -> Agent:
        return Replay([{"text": "fine"}])

    def numbering(self, tmp_path: Path) -> Agent:
        return Replay([{"text": f"answer {n}", "delay": 0.01 * (5 - n)} for n in range(1, 6)])

    def hanging(self, tmp_path: Path) -> Agent:
        return Replay([{"delay": 600}])

    def missing(self, tmp_path: Path) -> Agent:
        return Replay([{"error": {"cause": "missing", "message": "no such program", "hint": "install it"}}])

    def failing(self, tmp_path: Path) -> Agent:
        return Replay([])


@pytest.fixture
def answer(tmp_path: Path):
    def answer(entries: list, iteration: int = 1, attempt: int = 1, seat: str = "reviewer", **job) -> str:
        key = f"export/{iteration}/{seat}/{attempt}"
        return ask(Replay(entries), job_for(tmp_path, key=key, iteration=iteration, **job)).text

    return answer


class TestWhichEntryAnswers:
    def test_without_any_conditions_the_nth_answers_iteration_n(self, answer) -> None:
        entries = [{"text": "one"}, {"text": "two"}]

        assert ["one", "two"] == [answer(entries, 1), answer(entries, 2)]

    def test_reviewers_and_authors_are_counted_apart(self, answer) -> None:
        entries = [
            {"role": "review", "text": "review 1"},
            {"role": "author", "text": "fix 1"},
            {"role": "review", "text": "review 2"},
        ]

        answers = [answer(entries, 1), answer(entries, 1, role=Role.AUTHOR), answer(entries, 2)]

        assert ["review 1", "fix 1", "review 2"] == answers

    def test_agents_and_stages_are_told_apart(self, answer) -> None:
        entries = [
            {"agent": "haiku", "stage": "spec", "text": "haiku on spec"},
            {"agent": "haiku", "stage": "quality", "text": "haiku on quality"},
            {"agent": "sonnet", "text": "sonnet"},
        ]

        answers = [answer(entries, agent=agent, stage=stage) for agent in ("haiku", "sonnet") for stage in Stage]

        assert ["haiku on spec", "haiku on quality", "sonnet", "sonnet"] == answers

    def test_a_named_iteration_goes_before_the_order(self, answer) -> None:
        entries = [{"text": "one"}, {"text": "two"}, {"iteration": 2, "text": "special"}]

        assert ["one", "special"] == [answer(entries, 1), answer(entries, 2)]

    def test_the_entry_that_names_more_wins(self, answer) -> None:
        entries = [{"text": "anybody"}, {"role": "review", "agent": "reviewer", "text": "me"}, {"role": "review"}]

        assert "me" == answer(entries)

    def test_a_retry_can_have_an_answer_of_its_own(self, answer) -> None:
        entries = [{"text": "garbage"}, {"attempt": 2, "text": "better"}, {"text": "second review"}]

        assert ["garbage", "better", "second review"] == [answer(entries), answer(entries, 1, 2), answer(entries, 2)]

    def test_entries_for_the_same_iteration_are_its_attempts(self, answer) -> None:
        entries = [{"iteration": 1, "text": "garbage"}, {"iteration": 1, "text": "better"}]

        assert ["garbage", "better", "better"] == [answer(entries, 1, attempt) for attempt in (1, 2, 3)]

    def test_a_retry_without_an_answer_of_its_own_gets_the_same_again(self, answer) -> None:
        assert "garbage" == answer([{"text": "garbage"}], 1, 2)

    def test_a_transcript_that_runs_out_says_which_call_it_has_no_answer_for(self, answer) -> None:
        with pytest.raises(AgentFailed) as raised:
            answer([{"text": "one"}], 2, stage=Stage.SPEC)

        assert (
            "the transcript has no answer for this call: role review, agent reviewer, stage spec, iteration 2, attempt 1, "
            "call 2/reviewer" == raised.value.message
        )

    @given(order=st.permutations([(iteration, attempt) for iteration in (1, 2, 3) for attempt in (1, 2)]))
    def test_answers_do_not_depend_on_what_was_asked_before(self, tmp_path_factory, order) -> None:
        agent = Replay([{"text": "1"}, {"text": "2"}, {"iteration": 3}, {"attempt": 2, "text": "1b"}])
        job = job_for(tmp_path_factory.getbasetemp())

        async def ask_all() -> dict[tuple[int, int], str]:
            jobs = {(n, attempt): replace(job, iteration=n, key=f"s/{n}/r/{attempt}") for n, attempt in order}
            return {call: (await agent.ask(one)).text for call, one in jobs.items()}

        expected = {(1, 1): "1", (1, 2): "1b", (2, 1): "2", (2, 2): "2", (3, 1): "", (3, 2): ""}
        assert expected == asyncio.run(ask_all())


class TestWhatAnEntrySays:
    def test_an_author_has_edits(self, tmp_path: Path) -> None:
        entry = Entry(text="Done.", edits={"spec.md": "# Better\n", "old.md": None})

        assert {"spec.md": "# Better\n", "old.md": None} == ask(Replay([entry]), job_for(tmp_path)).edits

    def test_usage_and_model_are_reported(self, tmp_path: Path) -> None:
        usage = {"input_tokens": 900, "output_tokens": 120, "cost_usd": 0.01, "seconds": 7.5}

        reply = ask(Replay([{"text": "fine", "usage": usage, "model": "small"}]), job_for(tmp_path))

        assert ("small", Usage(**usage)) == (reply.model, reply.usage)

    @pytest.mark.parametrize(
        ("cause", "error"),
        [
            ("failed", AgentFailed),
            ("missing", AgentMissing),
            ("timed_out", AgentTimedOut),
            ("refused", AgentRefused),
        ],
    )
    def test_failures_are_replayed(self, tmp_path: Path, cause: str, error: type[AgentError]) -> None:
        with pytest.raises(error, match="it broke") as raised:
            ask(Replay([{"error": {"cause": cause, "message": "it broke"}}]), job_for(tmp_path))

        assert cause == raised.value.cause


class TestFiles:
    def agent(self, tmp_path: Path, text: str) -> Agent:
        (tmp_path / "answers.json").write_text(text)
        return build("replay", "recorded", {"transcript": "answers.json"}, tmp_path)

    @pytest.mark.parametrize("text", ['[{"text": "a"},\n {"text": "b"}]', '{"text": "a"}\n\n{"text": "b"}\n'])
    def test_a_transcript_is_an_array_or_has_one_entry_a_line(self, tmp_path: Path, text: str) -> None:
        agent = self.agent(tmp_path, text)

        assert ["a", "b"] == [ask(agent, job_for(tmp_path, iteration=n)).text for n in (1, 2)]

    @pytest.mark.parametrize(
        ("text", "where"),
        [
            ('[{"text": "a"},\n {"text" "b"}]', (2, 10)),
            ('{"text": "a"}\n{"text": "b"\n', (2, 13)),
        ],
    )
    def test_broken_json_is_shown_where_it_is(self, tmp_path: Path, text: str, where: tuple[int, int]) -> None:
        with pytest.raises(ConfigError, match="not JSON") as raised:
            self.agent(tmp_path, text)

        assert (str(tmp_path / "answers.json"), *where) == (raised.value.file, raised.value.line, raised.value.column)

    @pytest.mark.parametrize(
        ("entry", "message"),
        [
            ({"txt": "a"}, "entry 1: unknown key `txt`"),
            ({"usage": {"tokens": 1}}, "entry 1: unknown key `usage.tokens`"),
            ({"error": {"cause": "failed"}}, "entry 1: `error.message` is missing"),
            (
                {"role": "judge"},
                "entry 1: `role` must be 'review' or 'author'",
            ),
        ],
    )
    def test_an_entry_with_a_mistake_is_refused(self, tmp_path: Path, entry: dict, message: str) -> None:
        with pytest.raises(ConfigError) as raised:
            self.agent(tmp_path, json.dumps([entry]))

        assert message == raised.value.message

    def test_a_transcript_that_is_not_there_is_a_mistake_in_the_configuration(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigError, match="agent `recorded`: the transcript cannot be read"):
            build("replay", "recorded", {"transcript": "gone.json"}, tmp_path)


def test_it_has_no_hands() -> None:
    assert not Replay.edits_files
