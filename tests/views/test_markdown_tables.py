"""Tables that a program and people share."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reviewloop.views.markdown_tables import (
    Broken,
    Row,
    bullets,
    cell,
    marked,
    rows_in,
    with_block,
    with_bullet,
    with_table,
)

HEAD = ("Pattern", "Frequency")
ROWS = [Row(id="S1", cells=("no limit", "2"), counted=(1,)), Row(id="S2", cells=("two names", "1"), counted=(1,))]
lines = st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=20)
texts = st.lists(
    lines
    | st.sampled_from(["## Common Issues", "# Other", "| a | b |", "|---|---|", "| Pattern | Frequency |", "```", ""]),
    max_size=12,
)


@given(texts, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_every_line_somebody_wrote_stays_in_its_order_or_nothing_is_changed(written: list[str], end: str, closed: bool):
    text = end.join(written) + (end if closed else "")
    try:
        after = with_table(text, "Common Issues", HEAD, ROWS)
    except Broken:
        return
    assert {"S1", "S2"} <= marked(after)
    after_lines = iter(after.split("\n"))
    before = text.split("\n")
    assert all(any(line.rstrip("\r") == other.rstrip("\r") for other in after_lines) for line in before[:-1])
    assert after == with_table(after, "Common Issues", HEAD, ROWS)


@given(texts)
def test_rows_that_go_leave_what_was_there(written: list[str]):
    text = "".join(f"{line}\n" for line in written)
    try:
        once = with_table(text, "Common Issues", HEAD, [])
        assert once == with_table(with_table(once, "Common Issues", HEAD, ROWS), "Common Issues", HEAD, [])
    except Broken:
        return


@given(lines.filter(lambda text: text.strip() != ""))
def test_whatever_an_issue_says_it_stays_in_its_cell(issue: str):
    text = with_table("", "Common Issues", HEAD, [Row(id="S1", cells=(cell(issue), "1"), counted=(1,))])
    (row,) = rows_in(text, "Common Issues", 2)
    assert ("S1", "1") == (row.id, row.cells[1])


@given(texts, lines)
def test_a_block_is_replaced_and_the_rest_stays(written: list[str], body: str):
    text = "".join(f"{line}\n" for line in written)
    first = with_block(text, "index", "first")
    again = with_block(first, "index", body)
    assert again.startswith(text)
    assert first == with_block(again, "index", "first")


def test_a_list_gets_one_more_item():
    text = "## Service-Specific Rules\r\n- one\r\n\r\n## Next\r\n"
    after = with_bullet(text, "Service-Specific Rules", "two")
    assert (["one", "two"], "## Service-Specific Rules\r\n- one\r\n- two\r\n\r\n## Next\r\n") == (
        bullets(after, "Service-Specific Rules"), after,
    )  # fmt: skip


def test_a_table_in_a_code_block_is_an_example():
    text = "```\n## Common Issues\n| x |\n```\n"
    assert with_table(text, "Common Issues", HEAD, []).startswith(text)
