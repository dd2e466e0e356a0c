import re

from reviewloop.documents.patterns import lazy_re


def test_a_pattern_that_is_compiled_late_matches_as_any_other():
    late, other = lazy_re(r"(?P<word>[a-z]+)", re.IGNORECASE), re.compile(r"(?P<word>[a-z]+)", re.IGNORECASE)

    assert other.findall("One two") == late.findall("One two")
    assert other.sub("-", "One two") == late.sub("-", "One two")
    assert "One" == late.search("1 One")["word"]
    assert other.pattern == late.pattern
