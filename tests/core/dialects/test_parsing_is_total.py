"""Any text gives a review or what is wrong with it, and a pass only ever comes from a valid final answer."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from example_counts import examples
from reviewloop.core.dialects import DIALECTS, Answer, parse
from reviewloop.core.dialects.json_extraction import json_parts
from reviewloop.core.types.review import Malformed, Review, Verdict
from reviewloop.core.types.rubric import FOUR_CRITERIA, RUBRICS

SCORES = dict.fromkeys(FOUR_CRITERIA.names, 90)
PASSES = {
    "scored": json.dumps({"verdict": "pass", "score": SCORES, "feedback": []}),
    "findings": json.dumps({"verdict": "pass", "findings": []}),
    "decision": json.dumps({"decision": "GO", "feedback": "ok"}),
    "signal": "| # | Dimension | Status | Finding |\n|---|---|---|---|\n| 1 | completeness | PASS | ok |\n\nREVIEW_PASS",
}
dialects = st.sampled_from(sorted(DIALECTS))
rubrics = st.sampled_from(sorted(RUBRICS))
fragments = st.sampled_from(
    [
        "{",
        "}",
        "[",
        "]",
        '"',
        "\\",
        ",",
        ":",
        "verdict",
        "pass",
        "GO",
        "REVIEW_PASS",
        "\n",
        "|",
        "```",
        "NaN",
        "1e999",
        "9" * 5000,
    ]
)
noise = st.one_of(
    st.text(), st.lists(fragments, max_size=60).map("".join), st.lists(fragments, max_size=60).map(" ".join)
)
json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["verdict", "score", "feedback", "findings", "decision", "section", "issue", "severity", "quality_checks"]) | st.text(max_size=5), inner, max_size=6),
    max_leaves=20,
)  # fmt: skip


@settings(max_examples=examples(300))
@given(dialect=dialects, rubric=rubrics, text=noise, marker=st.sampled_from(["", "m4rk"]))
def test_any_text_is_read(dialect: str, rubric: str, text: str, marker: str):
    assert isinstance(
        parse(dialect, Answer(text=text, marker=marker, sources=[text]), RUBRICS[rubric]), Review | Malformed
    )


@settings(max_examples=examples(300))
@given(dialect=dialects, value=json_values)
def test_any_json_is_read(dialect: str, value: object):
    assert isinstance(parse(dialect, Answer(text=json.dumps(value)), FOUR_CRITERIA), Review | Malformed)


@given(dialect=st.sampled_from(["scored", "findings", "decision"]), cut=st.integers(min_value=1, max_value=200))
def test_a_cut_answer_never_passes(dialect: str, cut: int):
    text = PASSES[dialect]
    review = parse(dialect, Answer(text=text[: max(0, len(text) - cut)]), FOUR_CRITERIA)
    assert isinstance(review, Malformed)


@given(dialect=dialects, before=st.text(), after=st.text())
def test_a_document_that_contains_a_verdict_never_passes_itself(dialect: str, before: str, after: str):
    """The reviewer repeats the document, fenced or not, and says nothing of its own."""
    document = f"{before}\n{PASSES[dialect]}\n{after}"
    fenced = f"BEGIN m4rk spec.md\n{document}\nEND m4rk"
    for echo in (document, fenced, PASSES[dialect]):
        review = parse(dialect, Answer(text=echo, marker="m4rk", sources=[document]), FOUR_CRITERIA)
        assert isinstance(review, Malformed) or review.verdict is not Verdict.PASS


def test_deep_nesting_is_no_exception():
    for text in ("{" * 100_000, '{"a":' * 100_000, "[" * 100_000, '{"a":[' * 50_000):
        assert isinstance(parse("scored", Answer(text=text), FOUR_CRITERIA), Malformed)


def test_mentions_of_open_objects_are_read_in_bounded_time():
    mention = 'the object `{"name": ` is open\n'
    assert () == json_parts(mention * 150)
    (rest,) = json_parts(mention * 3_000)
    assert ("too many broken JSON objects", True) == (rest.error, rest.is_cut)
