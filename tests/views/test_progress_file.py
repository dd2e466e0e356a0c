"""Review entries in somebody else's progress file."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reviewloop.views.progress_file import with_entries

ENTRY = "### Review: design (Iteration 1)\n- Status: PASS\n"


def test_entries_go_to_the_end_of_the_learnings():
    text = "# P\n\n## Learnings\n\n- One.\n\n### Sub\n\n- Two.\n\n## Next\n\nGo on.\n"
    assert f"# P\n\n## Learnings\n\n- One.\n\n### Sub\n\n- Two.\n\n{ENTRY}\n## Next\n\nGo on.\n" == with_entries(
        text, [ENTRY]
    )


def test_a_file_without_learnings_gets_some():
    assert f"# P\n\nText\n\n## Learnings\n\n{ENTRY}" == with_entries("# P\n\nText", [ENTRY])


def test_a_file_that_ends_in_its_learnings_is_appended_to():
    assert f"## Learnings\n\n- One.\n\n{ENTRY}" == with_entries("## Learnings\n\n- One.", [ENTRY])


lines = st.lists(
    st.sampled_from(
        ["# P", "## Learnings", "## learnings ", "## Next", "### Sub", "- item", "", "```", "\ttext", "end\r"]
    ),
    max_size=12,
).map("\n".join)


@given(lines | st.text(max_size=60))
def test_something_is_put_in_and_nothing_else_is_changed(text: str):
    after = with_entries(text, [ENTRY])
    cuts = range(len(text) + 1)
    assert any(after.startswith(text[:cut]) and after.endswith(text[cut:]) for cut in cuts)
    assert ENTRY in after


@given(lines, st.integers(1, 3))
def test_entries_stay_in_order(text: str, number: int):
    entries = [f"### Review: design (Iteration {n})\n" for n in range(number)]
    for entry in entries:
        text = with_entries(text, [entry])
    assert sorted(text.index(entry) for entry in entries) == [text.index(entry) for entry in entries]
