"""The loop from Python."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from pathlib import Path

import pytest

import reviewloop
from project import SPEC, failing, passing
from reviewloop import Job, Kind, Outcome, Policy, Replay, Reply, ReviewLoop, SqliteLedger, Verdict
from reviewloop.core.session.events import Asked
from reviewloop.errors import ArtifactError


class Reviewer:
    """Somebody's own agent: passes what says who may export."""

    edits_files = False

    async def ask(self, job: Job) -> Reply:
        return Reply(
            text=passing() if "may export" in job.artifact.files[0].text else failing("Nobody says who may export")
        )


class Author:
    edits_files = False

    async def ask(self, job: Job) -> Reply:
        assert "Nobody says who may export" in job.prompt
        file = job.artifact.files[0]
        return Reply(text="done", edits={file.path: f"{file.text}\nOnly readers may export.\n"})


def test_a_text_is_reviewed_and_revised_in_memory():
    result = asyncio.run(ReviewLoop(Reviewer(), Author()).run(SPEC))
    assert (Outcome.PASSED, True, f"{SPEC}\nOnly readers may export.\n") == (result.outcome, result.passed, result.text)
    assert [Verdict.NEEDS_REVISION, Verdict.PASS] == [
        one.conclusion.verdict for one in result.history.iterations if one.conclusion
    ]


def test_a_file_is_revised_in_place(tmp_path: Path):
    spec = tmp_path / "spec.md"
    spec.write_text(SPEC)
    result = asyncio.run(ReviewLoop(Reviewer(), Author()).run(spec))
    assert (Outcome.PASSED, f"{SPEC}\nOnly readers may export.\n") == (result.outcome, spec.read_text())


def test_without_agents_the_offline_rules_review():
    result = asyncio.run(ReviewLoop().run(SPEC))
    assert Outcome.PASSED_WITH_WARNINGS is result.outcome
    assert any("not checked" in warning for warning in result.warnings)


def test_several_reviewers_all_have_to_pass():
    reviewers = {"kind": Replay([{"text": passing()}]), "strict": Replay([{"text": failing("No")}])}
    result = asyncio.run(ReviewLoop(reviewers).run(SPEC))
    assert (Outcome.BLOCKED, ["No"]) == (result.outcome, [finding.issue for finding in result.findings])


def test_a_reviewer_that_breaks_is_inconclusive():
    class Broken:
        edits_files = False

        async def ask(self, job: Job) -> Reply:
            raise ZeroDivisionError("oops")

    result = asyncio.run(ReviewLoop(Broken()).run(SPEC))
    assert Outcome.BLOCKED is result.outcome
    assert "reviewer: crashed: ZeroDivisionError: oops" in result.because


def test_policy_and_ledger_are_the_callers(tmp_path: Path):
    async def main() -> list[str]:
        ledger = SqliteLedger(tmp_path / "ledger.db")
        loop = ReviewLoop(Replay([{"text": failing()}]), policy=Policy(max_iterations=1), ledger=ledger)
        await loop.run(SPEC, kind=Kind.SPEC, name="mine")
        heads = await ledger.heads()
        await ledger.close()
        return [head.feature for head in heads]

    assert ["mine"] == asyncio.run(main())


class Looking(Reviewer):
    """Does not answer before its question is on disk."""

    def __init__(self, ledger: SqliteLedger) -> None:
        self._ledger = ledger

    async def ask(self, job: Job) -> Reply:
        while job.iteration not in [
            event.payload.iteration
            for event in await self._ledger.read(job.session)
            if isinstance(event.payload, Asked)
        ]:
            pass
        return await super().ask(job)


def test_a_question_is_on_disk_while_it_is_being_answered(tmp_path: Path):
    async def run() -> Outcome:
        ledger = SqliteLedger(tmp_path / "ledger.db")
        try:
            result = await asyncio.wait_for(ReviewLoop(Looking(ledger), Author(), ledger=ledger).run(SPEC), 30)
        finally:
            await ledger.close()
        return result.outcome

    assert Outcome.PASSED is asyncio.run(run())


def test_an_answer_is_on_disk_although_the_artifact_is_gone_when_it_comes(tmp_path: Path):
    spec = tmp_path / "spec.md"
    spec.write_text(SPEC)

    class Deleting(Reviewer):
        async def ask(self, job: Job) -> Reply:
            spec.unlink()
            return Reply(text=passing())

    async def run() -> list[str]:
        ledger = SqliteLedger(tmp_path / "ledger.db")
        try:
            with pytest.raises(ArtifactError, match=r"spec\.md"):
                await ReviewLoop(Deleting(), ledger=ledger, rules=False).run(spec)
            (head,) = await ledger.heads()
            return [event.type for event in await ledger.read(head.session)]
        finally:
            await ledger.close()

    assert "spec.review.answered" in asyncio.run(run())


def test_the_public_names_are_sorted_and_all_there():
    assert sorted(reviewloop.__all__) == reviewloop.__all__
    assert all(getattr(reviewloop, name) for name in reviewloop.__all__)
    assert set(reviewloop._HOME) == set(reviewloop.__all__)


def test_readme_example_runs(tmp_path: Path):
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    block = readme.partition("```python\n")[2].partition("```")[0]
    (tmp_path / "spec.md").write_text(SPEC)
    for name, answer in (("review.sh", passing()), ("fix.sh", "")):
        script = tmp_path / name
        script.write_text(f"#!/bin/sh\ncat > /dev/null\ncat <<'X'\n{answer}\nX\n")
        script.chmod(0o755)
    lines = [line for line in block.splitlines() if line.strip()]
    assert len(lines) < 10
    with contextlib.chdir(tmp_path):
        exec(compile(block, "README.md", "exec"), {})
    assert json.loads(passing())["verdict"] == "pass"


def test_examples_of_the_library_page_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    page = (Path(__file__).parents[2] / "docs/library.md").read_text()
    loop, project = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "spec.md").write_text(SPEC.replace("FR-1 and FR-2", "FR-1 and FR-9"))
    (tmp_path / "reviewloop.yml").write_text("profile: spec-gate\n")
    printed: list[list[str]] = []
    with contextlib.chdir(tmp_path):
        for block in (loop, project):
            exec(compile(block, "docs/library.md", "exec"), {})
            printed.append(capsys.readouterr().out.splitlines())

    (blocked, accepted), (waiting, rejected) = printed
    assert "blocked ['No limit']" == blocked
    assert accepted.startswith("passed_with_warnings (")
    assert " blocked " in waiting
    assert "rejected" == rejected
