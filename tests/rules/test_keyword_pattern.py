"""A pattern's words must be in whatever it matches; otherwise a rule would pass over it unseen."""

import re
from importlib import import_module

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from example_counts import examples
from reviewloop.rules.document_text import _ORDERS
from reviewloop.rules.keyword_pattern import KeywordPattern, lowered
from reviewloop.rules.registry import MODULES

NAMED = {
    f"{module}.{name}": value
    for module in MODULES
    for name, value in vars(import_module(f"reviewloop.rules.{module}")).items()
    if isinstance(value, KeywordPattern) and name != "_STRONG_IN_COMMENT"  # asked of comments alone, whatever they say
}
ALL = {**NAMED, **{f"order {number}": order for number, order in enumerate(_ORDERS)}}


@pytest.mark.parametrize("name", ALL)
# What stands before or behind a match is drawn blindly, and most of it is thrown away.
@settings(max_examples=examples(10), suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(data=st.data())
def test_every_match_holds_one_of_the_words(name, data):
    sought = ALL[name]
    text = data.draw(st.from_regex(sought.pattern, fullmatch=True))

    assert sought.pattern.search(text)
    assert sought.may_match(lowered(text))


def test_letters_that_look_like_others_to_a_pattern_are_no_way_around_it():
    sought = KeywordPattern(r"\bskip this\b", ("skip",))

    assert sought.pattern.search("\u017f\u212a\u0130p this")
    assert sought.may_match(lowered("\u017f\u212a\u0130p this"))


def test_lower_case_keeps_ordinary_letters():
    assert "straße é" == lowered("STRAßE É")
    assert re.search("x", lowered("X"))
