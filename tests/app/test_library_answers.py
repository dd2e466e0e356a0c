"""A person's answers from Python: they are about a text, and say where they come from."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from project import SPEC, failing
from reviewloop import Job, LoopResult, Outcome, PersonAnswer, Reply, ReviewLoop
from reviewloop.app.answers import Answer
from reviewloop.core.types.finding import Finding
from reviewloop.errors import ChangedSinceReview, UsageError


class Reviewer:
    edits_files = False

    async def ask(self, job: Job) -> Reply:
        del job
        return Reply(text=failing("Nobody says who may export"))


def answered(spec: Path, answer: PersonAnswer, edit: str = "") -> LoopResult:
    """A blocked session about a file, which is edited, and then answered."""

    spec.write_text(SPEC)
    loop = ReviewLoop(Reviewer())
    blocked = asyncio.run(loop.run(spec))
    spec.write_text(SPEC + edit)
    return asyncio.run(loop.answer(blocked.session, answer))


def test_an_answer_says_that_it_came_through_the_library(tmp_path: Path):
    result = answered(tmp_path / "spec.md", PersonAnswer(action=Answer.ACCEPT, by="ann", role="architect"))
    opened = result.history.window.opened
    assert opened
    assert ("ann", "architect", "library", result.history.digest) == (
        opened.by, opened.role, opened.channel, opened.digest,
    )  # fmt: skip


def test_a_changed_text_is_refused_with_its_diff_and_accepted_anyway(tmp_path: Path):
    with pytest.raises(ChangedSinceReview, match="changed since its review") as refused:
        answered(tmp_path / "spec.md", PersonAnswer(action=Answer.ACCEPT), edit="Edited.\n")
    assert (("spec.md",), True) == (refused.value.paths, "\n+Edited.\n" in refused.value.diff)
    result = answered(tmp_path / "spec.md", PersonAnswer(action=Answer.ACCEPT, anyway=True), edit="Edited.\n")
    assert Outcome.PASSED_WITH_WARNINGS is result.outcome


@pytest.mark.parametrize("action", [Answer.ACCEPT, Answer.RETRY, Answer.REJECT])
def test_an_answer_about_another_text_is_refused(tmp_path: Path, action: Answer):
    with pytest.raises(UsageError, match="about another text"):
        answered(tmp_path / "spec.md", PersonAnswer(action=action, digest="0" * 64))


def test_a_dismissal_without_a_reason_is_refused(tmp_path: Path):
    with pytest.raises(UsageError, match="a dismissal needs a reason"):
        answered(tmp_path / "spec.md", PersonAnswer(dismiss=["F1"]))


def test_a_dismissal_leaves_the_session_waiting(tmp_path: Path):
    result = answered(tmp_path / "spec.md", PersonAnswer(dismiss=["F1"], why="everybody may", by="ann"))
    dismissed: list[Finding] = [event.finding for event in result.history.dismissed]
    assert (Outcome.BLOCKED, ["F1"]) == (result.outcome, [finding.id for finding in dismissed])
