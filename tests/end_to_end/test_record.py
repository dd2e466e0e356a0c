"""A recorded session can be told again: the same answers, the same end, and no secrets."""

from __future__ import annotations

import json

import pytest

from project import Project, failing, passing

pytestmark = pytest.mark.slow

KEY = "sk-ant-api03-" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cF" * 2


def replaying(project: Project, **review) -> None:
    """The same project as it was, with everybody replaced by the recording."""
    agents = "\n".join(f"  {name}: {{kind: replay, transcript: ../transcript.json}}" for name in ("reviewer", "author"))
    roles = ", ".join(
        f"{key}: {value}" for key, value in {"reviewer": "reviewer", "author": "author", **review}.items()
    )
    project.write("reviewloop.yml", f"agents:\n{agents}\nreview: {{{roles}}}\nledger: again.db\n")


def told(session: dict) -> list:
    return [session["outcome"], [(one["iteration"], one["result"]) for one in session["iterations"]]]


def test_a_session_told_again_comes_to_the_same(project: Project) -> None:
    before = project.read()
    project.reviewer("no verdict at all", failing("Too vague"), passing())
    project.author('echo "Revised." >> spec.md; echo "I added a line."')
    first = project.run().session
    after = project.read()

    recorded = project.cli("record", "spec", "-o", "../transcript.json")
    project.write("spec.md", before)
    replaying(project)
    again = project.run().session

    assert 0 == recorded.exit_code
    assert "answers: 4" in recorded.stderr
    assert told(first) == told(again)
    assert after == project.read() != before


def test_a_transcript_says_who_answered_what_and_when(project: Project) -> None:
    project.reviewer("no verdict at all", passing())
    project.run()

    entries = json.loads(project.cli("record", "spec").stdout)

    seconds = [entry["usage"].pop("seconds") for entry in entries]
    common = {"role": "review", "agent": "reviewer", "call": "1/reviewer", "iteration": 1, "usage": {}}
    assert [
        {**common, "attempt": 1, "text": "no verdict at all"},
        {**common, "attempt": 2, "text": passing()},
    ] == entries
    assert all(one > 0 for one in seconds)


def test_an_agent_that_failed_fails_again(project: Project) -> None:
    project.agent("reviewer", "echo out of paper >&2; exit 3")
    project.run()

    (entry,) = json.loads(project.cli("record", "spec").stdout)

    assert {"cause": "failed", "message": "reviewer exited with 3: out of paper"} == entry["error"]


def test_secrets_are_removed_from_answers_and_files(project: Project) -> None:
    project.reviewer(failing(f"It has a key: {KEY}"), passing())
    project.author(f'echo "key: {KEY}" >> spec.md; echo "I wrote {KEY}"')
    project.run()
    project.cli("record", "spec", "-o", "../transcript.json")

    text = (project.root.parent / "transcript.json").read_text()

    assert KEY in project.read()
    assert KEY not in text
    assert 4 == text.count("[redacted")


def test_a_receipt_holds_again(project: Project) -> None:
    project.agent(
        "reviewer",
        f"RECEIPT=$(grep -o 'count: .*' \"$TOLD/reviewer-$N.txt\" | cut -c8-)\necho '{passing()}' \"$RECEIPT\"",
    )
    project.configure(receipt="required")
    first = project.run().session
    project.cli("record", "spec", "-o", "../transcript.json")

    replaying(project, receipt="required")
    again = project.run().session

    assert ["passed", "passed"] == [first["outcome"], again["outcome"]]


@pytest.mark.parametrize("force", [False, True])
def test_a_file_that_is_there_is_only_replaced_on_demand(project: Project, force: bool) -> None:
    project.reviewer(passing())
    project.run()
    file = project.write("mine.json", "precious")

    result = project.cli("record", "spec", "-o", "mine.json", "--json", *(["--force"] if force else []))

    assert (0 if force else 2) == result.exit_code
    assert force is (file.read_text() != "precious")


def test_a_session_that_is_not_there_cannot_be_recorded(project: Project) -> None:
    assert 2 == project.cli("record", "nothing").exit_code
