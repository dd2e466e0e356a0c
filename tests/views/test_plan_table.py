"""The task table of somebody's design document."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewloop.views.markdown_tables import Broken
from reviewloop.views.plan_row import PlanRow
from reviewloop.views.plan_table import plans_in, with_row, without_cells

FIXING = PlanRow(status="review-fix-1", spec="❌→🔄", quality="—", fixes="1")

PLAN = """\
# Design

| Field | Value |
|---|---|
| Status | draft |

## Tasks

| # | Task | Status | Assignee | Spec | Quality | Fix Iterations |
|---|------|--------|----------|------|---------|----------------|
| 1 | Parse \\| split | complete | anna | ✅ | ✅ | 0 |
| 2 | `export`: write CSV | pending | — | — | — | 0 |
| 3 | **login** with a key | pending |  |  |  |  |

```
| # | Task | Status |
|---|------|--------|
| 2 | an example | pending |
```
"""


def test_the_cells_of_one_row_are_changed_and_every_other_byte_stays():
    after = with_row(PLAN, ["2"], FIXING)
    assert after is not None
    old = "| 2 | `export`: write CSV | pending | — | — | — | 0 |"
    assert PLAN.replace(old, "| 2 | `export`: write CSV | review-fix-1 | — | ❌→🔄 | — | 1 |") == after


def test_empty_cells_are_filled():
    after = with_row(PLAN, ["login"], FIXING)
    assert after is not None
    assert "| 3 | **login** with a key | review-fix-1 |  | ❌→🔄 | — | 1 |\n" in after


def test_a_table_that_is_drawn_stays_drawn():
    text = "| Id | Status       |\n|----|--------------|\n| 1  | pending      |\n"
    assert text.replace("pending     ", "review-fix-1") == with_row(text, ["1"], FIXING)
    assert text == with_row(with_row(text, ["1"], FIXING) or "", ["1"], replace(FIXING, status="pending"))


@pytest.mark.parametrize("names", [["2"], ["nothing", "2"], ["export"], ["EXPORT"]])
def test_a_row_is_found_by_its_number_or_by_the_name_its_task_begins_with(names: list[str]):
    assert with_row(PLAN, ["2"], FIXING) == with_row(PLAN, names, FIXING)


@pytest.mark.parametrize("name", ["4", "write", "Parse", "draft", ""])
def test_what_is_in_no_table_is_left_out(name: str):
    assert with_row(PLAN, [name], FIXING) is None


def test_other_columns_in_another_order_and_without_outer_pipes():
    text = "Quality | Id | Status\r\n--- | :-: | ---\r\nno | T1 | pending\r\nno | T2 | pending\r\n"
    changed = "Quality | Id | Status\r\n--- | :-: | ---\r\n— | T1 | review-fix-1\r\nno | T2 | pending\r\n"
    assert changed == with_row(text, ["1"], FIXING)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("| # | Task | Status |\n|---|---|---|\n| 1 | a | b | c |\n", "line 3: this row has 4 cells"),
        ("| # | Task | Status |\n|---|---|---|\n| 1 | a\n", "line 3: this row has 2 cells"),
        ("Text\n\n| # | Task | Status |\n| 1 | a | pending |\n", "line 3: the task table has no line of dashes"),
        ("| # | Task | Status |\n|---|---|---|\n| 1 | a | b |\n| 1 | c | d |\n", "line 4: a second row is named 1"),
    ],
)
def test_a_table_that_somebody_broke_is_left_alone_and_the_line_is_named(text: str, why: str):
    with pytest.raises(Broken, match=why):
        with_row(text, ["1"], FIXING)


def test_a_plan_is_shown_as_its_rows():
    plan = plans_in("plan.md", PLAN)[0]
    assert ("#", "Task", "Status", "Assignee", "Spec", "Quality", "Fix Iterations") == plan.columns
    assert ["1", "2", "3"] == [row[0] for row in plan.rows]


cell = st.text(st.sampled_from("ab1 \\`*—✅"), max_size=6)
row = st.lists(cell, min_size=1, max_size=5).map(lambda cells: f"|{'|'.join(cells)}|")
line = st.one_of(
    row,
    cell,
    st.sampled_from(["| # | Task | Status | Spec | Other |", "|---|---|---|---|---|", "| 1 | a | pending | — | x |",
                     "| 2 | b | done | ✅ |y|", "```", "~~~", "<!--", "-->", "# Heading", "", "    | 1 | code | x | y | z |", "> | 1 | q | x | y | z |"]),
)  # fmt: skip


@given(st.lists(line, max_size=14), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_at_most_one_line_changes_and_of_it_only_our_cells(lines: list[str], end: str, ended: bool):
    text = end.join(lines) + (end if ended else "")
    try:
        after = with_row(text, ["1"], FIXING)
    except Broken:
        return
    if after is None:
        return
    before_lines, after_lines = text.split("\n"), after.split("\n")
    changed = [pair for pair in zip(before_lines, after_lines, strict=True) if pair[0] != pair[1]]
    assert len(changed) <= 1
    assert without_cells(text) == without_cells(after)
    assert after == with_row(after, ["1"], FIXING), "what is up to date stays as it is"
    for old, new in changed:
        pairs = zip(old.split("|"), new.split("|"), strict=True)
        assert {one[1].strip() for one in pairs if one[0] != one[1]} <= {"review-fix-1", "❌→🔄", "—", "1"}
