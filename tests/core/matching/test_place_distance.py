import pytest
from finding_samples import FINDINGS, finding
from hypothesis import given, settings

from reviewloop.core.matching.place_distance import UNKNOWN, Spot, nearness
from reviewloop.core.types.finding import Place


def near(one, other):
    return nearness(Spot.of(one), Spot.of(other))


def at(where=None, issue="Something is wrong", **more):
    return finding(issue, where, **more)


def test_lines_of_one_file_are_nearer_the_fewer_lie_between():
    assert 1.0 == near(at("app.py:40"), at("app.py:40"))
    assert 0.8 < near(at("app.py:40"), at("app.py:42")) < 0.9
    assert UNKNOWN == near(at("app.py:40"), at("app.py:400"))


def test_other_files_are_apart():
    assert near(at("app.py:40"), at("lib.py:40")) is None


@pytest.mark.parametrize("path", ["upload.py", "./app/upload.py", "app\\upload.py", "repo/app/upload.py"])
def test_a_path_may_be_written_in_several_ways(path):
    assert 1.0 == near(at("app/upload.py:3"), at(place=Place(file=path, line=3)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("FR-3", "FR-003 (expiry)"),
        ("User Story US-2", "Story 2"),
        ("Task 1.2", "1.2 Implement the writer"),
        ("Tasks 2.3 / 2.4", "2.4"),
        ("T012", "T-12"),
        ("Phase 2", "phase 2 overall"),
    ],
)
def test_one_id_written_in_two_ways_is_one_place(one, other):
    assert 1.0 == near(at(one), at(other))


@pytest.mark.parametrize(("one", "other"), [("FR-3", "FR-30"), ("Task 1.2", "1.3 Writer"), ("Phase 2", "Phase 3")])
def test_other_ids_of_one_family_are_apart(one, other):
    assert near(at(one), at(other)) is None


def test_ids_of_two_families_say_nothing_about_each_other():
    assert UNKNOWN == near(at("FR-3"), at("US-2"))


def test_an_id_in_the_issue_counts_where_the_section_is_wide():
    assert near(at("Stories", "US-2 has no criteria"), at("Stories", "US-3 has no criteria")) is None
    assert near(at("US-1", "AC-1.2 is vague"), at("US-1", "AC-1.3 is vague")) is None
    assert 1.0 == near(at("FR-3", "FR-3 says otherwise"), at("FR-7", "FR-7 contradicts FR-3"))


def test_words_that_only_look_like_ids_are_none():
    assert 1.0 == near(
        at("Security", "Give us 2 examples for TLS 1.2"), at("Security", "Give us 3 examples for TLS 1.3")
    )


def test_headings_are_as_near_as_the_words_they_share():
    assert 1.0 == near(at("Risks"), at("Risks & constraints"))
    assert 0.5 == near(at("Error handling"), at("Handling of time-outs"))
    assert 0.0 == near(at("Storage"), at("Security"))


def test_what_only_one_says_is_no_evidence():
    assert UNKNOWN == near(at("FR-5"), at("Security section"))
    assert UNKNOWN == near(at("app.py:3"), at("Security"))
    assert UNKNOWN == near(at(), at("Security"))


def test_findings_that_quote_the_same_words_are_at_one_place():
    quote = "links eventually become invalid"

    assert 1.0 == near(at("Storage", quote=quote), at("Expiry", quote=f"reset  {quote}\nat some time"))


@settings(deadline=None)
@given(one=FINDINGS, other=FINDINGS)
def test_nearness_is_the_same_both_ways_and_a_share(one, other):
    value = near(one, other)

    assert value == near(other, one)
    assert value is None or 0 <= value <= 1
