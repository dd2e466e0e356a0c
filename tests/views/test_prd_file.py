"""Single keys in a front matter that somebody else owns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewloop.documents.frontmatter import read_frontmatter
from reviewloop.views.markdown_tables import Broken
from reviewloop.views.prd_file import with_keys

NEW = {"feature_status": "review_blocked", "spec_review_iterations": "3"}


def front(*lines: str) -> str:
    return "\n".join(["---", *lines, "---", "", "# PRD", ""])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("feature_status: pending", "feature_status: review_blocked"),
        ("feature_status:", "feature_status: review_blocked"),
        ("feature_status :  'pending'   # set by a tool", "feature_status :  review_blocked   # set by a tool"),
        ('feature_status: "a # b"', "feature_status: review_blocked"),
        ("feature_status: two words\r", "feature_status: review_blocked\r"),
    ],
)
def test_a_value_is_replaced_where_it_stands(before: str, after: str):
    assert front("id: 1", after, "x: y") == with_keys(
        front("id: 1", before, "x: y"), {"feature_status": "review_blocked"}
    )


def test_a_key_that_is_not_there_is_added_at_the_end_with_the_line_ends_of_the_file():
    text = "---\r\nid: 1\r\n# feature_status: pending\r\n---\r\nBody\n"
    after = with_keys(text, {"feature_status": "pending"})
    assert "---\r\nid: 1\r\n# feature_status: pending\r\nfeature_status: pending\r\n---\r\nBody\n" == after


@pytest.mark.parametrize(
    "text",
    [
        "# no front matter\n",
        front("title: ["),
        front("feature_status: |", "  pending"),
        front("feature_status: pending", "  and more"),
        front("feature_status: [pending]"),
        front("feature_status: pending", "feature_status: pending"),
        front("{id: 1}"),
        front("id: &a 1", "feature_status: *a"),
        "---\nid: 1\n",
    ],
)
def test_what_is_not_understood_is_left_alone(text: str):
    with pytest.raises(Broken, match=r"line \d"):
        with_keys(text, NEW)


values = st.sampled_from(["pending", "'quoted'", '"a: b"', "2026-01-01", "3", "", "two words", "[a, b]", "|\n  text"])
line = st.one_of(
    st.tuples(st.sampled_from(["title", "status", "depends_on", *NEW]), values).map(": ".join),
    st.sampled_from(
        ["# a comment", "", "  - nested", "x:  1   # why", "feature_statuses: all", "# feature_status: no"]
    ),
)
ends = st.sampled_from(["\n", "\r\n"])


@given(
    st.lists(line, max_size=8), ends, st.text(st.sampled_from("#-: a\n\r\t|\u2028"), max_size=30), st.sampled_from(["", "\ufeff"])
)  # fmt: skip
def test_our_keys_are_set_and_every_other_line_stays_byte_for_byte(lines: list[str], end: str, body: str, mark: str):
    text = mark + "\n".join(["---", *lines, "---"]).replace("\n", end) + end + body
    try:
        after = with_keys(text, NEW)
    except Broken:
        return
    assert _others(text) == _others(after)
    assert after.endswith(body)
    old, new = _read(text), _read(after)
    assert {key: value for key, value in old.items() if key not in NEW} == {
        key: value for key, value in new.items() if key not in NEW
    }
    assert ("review_blocked", 3) == (new["feature_status"], new["spec_review_iterations"])


def _others(text: str) -> list[str]:
    return [one for one in text.split("\n") if one.partition(":")[0].rstrip() not in NEW]


def _read(text: str) -> dict[str, object]:
    found = read_frontmatter([one.rstrip("\r") for one in text.removeprefix("\ufeff").split("\n")])
    assert found is not None
    return dict(found.values)
