from datetime import date

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from example_counts import examples
from reviewloop.documents.frontmatter import plain_values, read_frontmatter


def test_simple_front_matter_needs_no_yaml():
    assert {"spec": "export", "total_tasks": 12, "created": date(2026, 2, 17)} == plain_values(
        "spec: export\ntotal_tasks: 12\ncreated: 2026-02-17"
    )


def test_anything_else_is_left_to_yaml():
    for text in (
        "a: yes",
        "a: [1]",
        'a: "b"',
        "a: b: c",
        "# c",
        "",
        "a:",
        "a: 1.5",
        "a: 2026-13-01",
        "a: 1\na: 2",
        "  a: b",
        "a: 1_0",
    ):
        assert plain_values(text) is None, text


@given(
    st.lists(
        st.tuples(
            st.text("abnyosfetrulYN_01", min_size=1, max_size=6),
            st.text("abnyosfetrulNE0129-_./ :#'\"", min_size=1, max_size=12),
        ),
        min_size=1,
        max_size=3,
    )
)
@settings(max_examples=examples(500), deadline=None)
def test_the_short_way_gives_what_yaml_gives(pairs):
    text = "\n".join(f"{key}: {value}" for key, value in pairs)
    short = plain_values(text)

    assert short is None or yaml.safe_load(text) == short


def test_lists_and_quotes_are_read():
    frontmatter = read_frontmatter(["---", "task: 1", "depends_on: [2, 3]", 'backpressure: "make test"', "---", "# T"])

    assert {"task": 1, "depends_on": [2, 3], "backpressure": "make test"} == frontmatter.values
