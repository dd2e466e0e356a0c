"""When is a loop over? The language in which a task says so."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewloop.core.judging.condition_language import CHOICES, NUMBERS, ConditionError, Facts, names_in, parse

GO: Facts = {
    "review.decision": "GO",
    "review.verdict": "pass",
    "review.score.completeness": 85.0,
    "review.iteration": 1.0,
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("review.decision == GO", True),
        ("review.decision == 'GO'", True),
        ('review.decision != "GO"', False),
        ("review.verdict == pass", True),
        ("review.score.completeness >= 85", True),
        ("review.score.completeness > 85", False),
        ("review.score.completeness < 85.5 and review.iteration <= 1", True),
        ("not review.decision == NO_GO", True),
        ("review.decision == NO_GO or review.iteration == 1", True),
        ("review.decision == NO_GO or review.decision == GO and review.iteration != 1", False),
        ("(review.decision == NO_GO or review.decision == GO) and review.iteration == 1", True),
        ("not (review.decision == GO and review.iteration == 2)", True),
    ],
)
def test_a_condition_means_what_it_says(text: str, expected: bool):
    assert expected is parse(text).holds(GO)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("review.confidence > 0.9", None),
        ("not review.confidence > 0.9", None),
        ("review.score.taste >= 1 or review.decision == NO_GO", None),
        ("review.score.taste >= 1 or review.decision == GO", True),
        ("review.score.taste >= 1 and review.decision == NO_GO", False),
        ("review.score.taste != 1", None),
    ],
)
def test_what_nobody_knows_is_neither_true_nor_false(text: str, expected: bool | None):
    assert expected is parse(text).holds(GO)


@pytest.mark.parametrize(
    ("text", "message", "where", "hint"),
    [
        ("review.decison == GO", 'unknown name "review.decison"', (0, 14), 'did you mean "review.decision"?'),
        ("review.decision = GO", "unexpected character '='", (16, 1), 'write "==" to compare'),
        ("review.decision == GOO", 'review.decision is GO or NO_GO or INCONCLUSIVE, not "GOO"', (19, 3), 'did you mean "GO"?'),
        ("review.decision >= GO", "review.decision cannot be ordered", (16, 2), 'compare it with "==" or "!="'),
        ("review.total >= high", 'review.total is a number and cannot be compared with "high"', (16, 4), None),
        ("review.total", "expected a comparison after review.total", (12, 1), 'for example "review.total >= 80"'),
        ("(review.total > 1", "this parenthesis is never closed", (0, 1), None),
        ("review.total > 1)", 'expected "and", "or" or the end, found ")"', (16, 1), None),
        ("review.total > 1 review.total", 'expected "and", "or" or the end, found "review.total"', (17, 12), None),
        ("", "expected a name such as review.decision, found the end", (0, 1), None),
        ("not", "expected a name such as review.decision, found the end", (3, 1), None),
        ("__import__('os')", 'unknown name "__import__"', (0, 10), None),
        ("review.total > 1; x", "unexpected character ';'", (16, 1), None),
        ("review.score.a.b > 1", 'unknown name "review.score.a.b"', (0, 16), None),
    ],
)  # fmt: skip
def test_a_mistake_is_shown_where_it_is(text: str, message: str, where: tuple[int, int], hint: str | None):
    with pytest.raises(ConditionError) as caught:
        parse(text)
    assert (message, where) == (caught.value.message, (caught.value.start, caught.value.width))
    if hint:
        assert hint == caught.value.hint


def test_a_condition_knows_what_it_asks_about():
    text = "review.score.taste > 1 or not (review.decision == GO and review.total > 1)"
    assert {"review.score.taste", "review.decision", "review.total"} == names_in(parse(text))


def test_a_condition_inside_hundreds_of_others_is_refused_and_not_followed():
    with pytest.raises(ConditionError, match="nested more than 50 deep"):
        parse("(" * 400 + "review.total > 1" + ")" * 400)
    with pytest.raises(ConditionError, match="at most 1000 characters"):
        parse("not " * 5000)


NAMES = [*CHOICES, *NUMBERS, "review.score.completeness"]


@st.composite
def comparisons(draw: st.DrawFn) -> str:
    name = draw(st.sampled_from(NAMES))
    if name in CHOICES:
        return f"{name} {draw(st.sampled_from(['==', '!=']))} {draw(st.sampled_from(CHOICES[name]))}"
    return f"{name} {draw(st.sampled_from(['==', '!=', '<', '<=', '>', '>=']))} {draw(st.integers(0, 100))}"


texts = st.recursive(
    comparisons(),
    lambda inner: st.one_of(
        inner.map(lambda one: f"not {one}" if one.startswith("(") else f"not ({one})"),
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(
            lambda parts: f"({parts[0]}) {parts[1]} ({parts[2]})"
        ),
    ),
    max_leaves=8,
)
facts = st.fixed_dictionaries(
    {}, optional={name: st.sampled_from(CHOICES[name]) if name in CHOICES else st.floats(0, 100) for name in NAMES}
)


@given(text=texts, known=facts)
def test_the_opposite_is_the_opposite_and_the_unknown_stays_unknown(text: str, known: dict[str, str | float]):
    said, opposite = parse(text).holds(known), parse(f"not ({text})").holds(known)
    assert opposite is (None if said is None else not said)


@given(text=texts, known=facts, more=facts)
def test_what_was_known_to_hold_still_holds_when_more_is_known(
    text: str, known: dict[str, str | float], more: dict[str, str | float]
):
    said = parse(text).holds(known)
    if said is not None:
        assert said is parse(text).holds(more | known)


@given(st.text(max_size=60) | texts.flatmap(lambda text: st.integers(0, len(text)).map(lambda end: text[:end])))
def test_any_text_is_a_condition_or_an_error(text: str):
    with suppress(ConditionError):
        parse(text).holds(GO)
