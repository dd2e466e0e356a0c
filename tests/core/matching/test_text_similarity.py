import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewloop.core.matching.text_similarity import GramCosines, stem, word_cosines, words


@pytest.mark.parametrize(
    "family",
    [
        ("validate", "validates", "validated", "validating", "validation", "validations"),
        ("test", "tests", "tested", "testing", "tester", "testers"),
        ("query", "queries", "queried"),
        ("stop", "stops", "stopped", "stopping"),
        ("missing", "missed", "misses"),
    ],
)
def test_forms_of_one_word_share_a_stem(family):
    assert 1 == len({stem(word) for word in family})


def test_short_words_keep_their_letters():
    assert ["is", "bed", "use", "ring"] == [stem(word) for word in ("is", "bed", "use", "ring")]


def test_function_words_carry_no_meaning():
    assert ("token", "expiry", "specified") == words("The token expiry is not specified.")


def test_numbers_with_dots_are_one_word():
    assert ("task", "2.3", "waits", "10") == words("Task 2.3 waits for 10")


def test_a_text_without_words_still_equals_itself():
    assert [[pytest.approx(1.0)]] == word_cosines([words("...")], [words("...")])
    assert pytest.approx(1.0) == GramCosines([words("")], [words("")]).of(0, 0)


def test_rare_words_say_more_than_common_ones():
    others = [["requirement", str(number)] for number in range(20)]
    left = [["requirement", "entropy"]]

    shares_rare, shares_common = word_cosines(left, [["story", "entropy"], ["requirement", "story"], *others])[0][:2]

    assert shares_rare > shares_common


def test_characters_see_what_words_miss():
    left, right = [words("timeout")], [words("timeouts_ms")]

    assert [[0.0]] == word_cosines(left, right)
    assert GramCosines(left, right).of(0, 0) > 0.3


def gram_cosines(left, right):
    cosines = GramCosines(left, right)
    return [[cosines.of(row, column) for column in range(len(right))] for row in range(len(left))]


TEXTS = st.lists(st.text(max_size=40).map(words), max_size=5)


@settings(deadline=None)
@given(left=TEXTS, right=TEXTS)
def test_similarities_do_not_depend_on_which_list_comes_first(left, right):
    for measure in (word_cosines, gram_cosines):
        there, back = measure(left, right), measure(right, left)
        assert [[there[i][j] for i in range(len(left))] for j in range(len(right))] == back


@settings(deadline=None)
@given(left=TEXTS, right=TEXTS)
def test_similarities_lie_between_0_and_1(left, right):
    for measure in (word_cosines, gram_cosines):
        assert all(0 <= value <= 1 + 1e-9 for row in measure(left, right) for value in row)
