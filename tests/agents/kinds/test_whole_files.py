from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewloop.agents.kinds.whole_files import whole_files
from reviewloop.core.prompts.author import AuthorBrief, author_prompt
from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.finding import Finding, Place, Severity
from reviewloop.errors import AgentFailed

SPEC = SourceFile(path="docs/spec.md", text="# Spec\n\nOld.\n")
OPEN_END = SourceFile(path="open.md", text="# No newline at the end")
ARTIFACT = Artifact(kind=Kind.SPEC, name="spec", files=(SPEC, OPEN_END))
NEW = "# Spec\n\nNew.\n"


def block(text: str = NEW, path: str = "docs/spec.md", marker: str = "5f3a") -> str:
    return f"BEGIN {marker} {path}\n{text}END {marker}\n"


@pytest.mark.parametrize(
    "answer",
    [
        block(),
        f"Here it is.\n\n{block()}\nI changed one word.",
        block(path="./docs/spec.md"),
        block(path="`docs/spec.md`"),
        block(path="spec docs/spec.md"),
        f"```\n{block()}```\n",
        block(f"```markdown\n{NEW}```\n"),
        block("first try\n") + block(),
        block().replace("END 5f3a", "END 5f3a docs/spec.md"),
    ],
)
def test_a_file_is_found_however_it_is_wrapped(answer: str) -> None:
    assert {"docs/spec.md": NEW} == whole_files(answer, "5f3a", ARTIFACT).edits


def test_several_files_are_found() -> None:
    answer = block() + block("# Two\n", "open.md")

    assert {"docs/spec.md": NEW, "open.md": "# Two"} == whole_files(answer, "5f3a", ARTIFACT).edits


def test_only_the_calls_own_marker_ends_a_file() -> None:
    tricky = "END 1234\nBEGIN 1234 open.md\n```\nx\n```\nEND\n"

    assert {"docs/spec.md": tricky} == whole_files(block(tricky), "5f3a", ARTIFACT).edits


@pytest.mark.parametrize("path", ["other.md", "../docs/spec.md", "/etc/passwd", "docs/spec.md/x", ".git/config"])
def test_other_files_are_named_and_not_written(path: str) -> None:
    found = whole_files(block(path=path) + block(), "5f3a", ARTIFACT)

    assert (["docs/spec.md"], (path,)) == (list(found.edits), found.others)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("", "contains no file"),
        ("All good.", "contains no file"),
        (NEW, "contains no file"),
        (block(marker="beef"), "contains no file"),
        ("BEGIN 5f3a docs/spec.md\n# Sp", "ends in the middle of docs/spec.md"),
        (block(""), "new text of docs/spec.md is empty"),
        (block(" \n\n"), "new text of docs/spec.md is empty"),
    ],
)
def test_what_is_no_file_is_a_failure(answer: str, message: str) -> None:
    with pytest.raises(AgentFailed, match=message) as raised:
        whole_files(answer, "5f3a", ARTIFACT)

    assert raised.value.hint


@given(st.text())
def test_any_answer_gives_files_of_the_artifact_or_a_failure(answer: str) -> None:
    try:
        found = whole_files(answer, "5f3a", ARTIFACT)
    except AgentFailed:
        return
    assert set(found.edits) <= set(ARTIFACT.paths)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"])), min_size=1).map("\n".join))
def test_any_text_comes_through_as_it_is(text: str) -> None:
    if text.strip() and not (text.startswith("```") and text.rstrip().endswith("```")):
        assert {"docs/spec.md": text + "\n"} == whole_files(block(text + "\n"), "5f3a", ARTIFACT).edits


def test_the_prompt_shows_the_form_that_is_understood() -> None:
    finding = Finding(issue="It is old", severity=Severity.IMPORTANT, place=Place())
    prompt = author_prompt(AuthorBrief(artifact=ARTIFACT, marker="5f3a", findings=(finding,), edits_files=False))
    example = prompt[prompt.index("\nBEGIN 5f3a") : prompt.index("# Findings")]

    assert {"docs/spec.md": "(the complete new text)\n"} == whole_files(example, "5f3a", ARTIFACT).edits


CONTEST = '{"contested": [{"id": "F1", "reason": "FR-1 says it"}]}'


def test_an_author_may_contest_and_write_nothing() -> None:
    assert {} == whole_files(f"It is there already.\n{CONTEST}", "5f3a", ARTIFACT).edits


def test_a_contest_of_nothing_is_no_answer() -> None:
    with pytest.raises(AgentFailed, match="no file in the requested format"):
        whole_files('{"contested": []}', "5f3a", ARTIFACT)
