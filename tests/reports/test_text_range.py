import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewloop.core.types.finding import Finding, Place, Severity
from reviewloop.reports.text_range import Region, lines_of, region_of

LINES = lines_of("one two\r\n\tthree two four\rfive\n")


def region(line=None, column=None, quote=None):
    place = Place(line=line, column=column)
    return region_of(Finding(issue="x", severity=Severity.MINOR, place=place, quote=quote), LINES)


@pytest.mark.parametrize(
    ("given_place", "expected"),
    [
        ({"line": 2, "quote": "two"}, Region(line=2, end_line=2, column=8, end_column=11)),
        ({"line": 1, "column": 5, "quote": "two"}, Region(line=1, end_line=1, column=5, end_column=8)),
        ({"line": 1, "column": 99, "quote": "one"}, Region(line=1, end_line=1, column=1, end_column=4)),
        ({"line": 1, "column": 5}, Region(line=1, end_line=1, column=5, end_column=8)),
        ({"line": 1, "column": 8}, Region(line=1, end_line=1, column=8, end_column=8)),
        ({"line": 2, "quote": "four  five"}, Region(line=2, end_line=3, column=12, end_column=5)),
        ({"line": 1, "quote": "five"}, Region(line=1, end_line=1)),
        ({"line": 3}, Region(line=3, end_line=3)),
        ({"line": 99, "column": 3, "quote": "two"}, Region(line=99, end_line=99, column=3)),
        ({"quote": "three two"}, Region(line=2, end_line=2, column=2, end_column=11)),
        ({"line": 0, "quote": "nowhere"}, None),
        ({}, None),
    ],
)
def test_a_place_becomes_the_range_a_reader_would_point_at(given_place, expected):
    assert expected == region(**given_place)


def test_a_word_ends_before_its_punctuation():
    lines = ("well-known, src/app.py: (x)",)

    def ends(column):
        place = Place(line=1, column=column)
        found = region_of(Finding(issue="x", severity=Severity.MINOR, place=place), lines)
        return lines[0][found.column - 1 : found.end_column - 1]

    assert ["well-known", "src/app.py", "(x)"] == [ends(1), ends(13), ends(25)]


@settings(deadline=None)
@given(text=st.text(), line=st.integers(-2, 9), column=st.integers(-2, 30), quote=st.none() | st.text(max_size=5))
def test_a_range_never_leaves_the_text_it_is_in(text, line, column, quote):
    lines = lines_of(text)
    place = Place(line=line, column=column)
    found = region_of(Finding(issue="x", severity=Severity.MINOR, place=place, quote=quote), lines)

    if found and found.line <= len(lines):
        assert 1 <= found.line <= found.end_line <= len(lines)
        if found.column is not None:
            assert 1 <= found.column <= len(lines[found.line - 1]) + 1
            assert 1 <= found.end_column <= len(lines[found.end_line - 1]) + 1
