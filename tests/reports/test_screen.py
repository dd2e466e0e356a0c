from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from reviewloop.reports.screen import Screen
from reviewloop.reports.wrapped_lines import Page, Piece, wrapped

WORDS = st.lists(st.text(st.sampled_from("abc日🔑-"), min_size=1, max_size=30), min_size=1, max_size=12).map(" ".join)


def test_a_text_goes_on_where_it_began():
    page = Page(Screen(width=20))

    page.text("one two three four five", Piece(text="hint: "))

    assert "hint: one two three\n      four five" == str(page)


def test_a_word_longer_than_the_line_is_folded():
    assert ["see", "abcdefgh", "ij now"] == list(wrapped("see abcdefghij now", 8))


def test_wide_characters_take_two_cells():
    assert ["日本", "語"] == list(wrapped("日本語", 5))


def test_a_line_that_is_to_be_pasted_stays_whole():
    page = Page(Screen(width=10))

    page.line(Piece(text="reviewloop explain REQ013"))

    assert "reviewloop explain REQ013" == str(page)


@given(WORDS, st.integers(min_value=2, max_value=40))
def test_lines_fit_and_nothing_is_lost(text, width):
    lines = list(wrapped(text, width))

    assert all(cell_len(line) <= width for line in lines)
    assert text.replace(" ", "") == "".join(lines).replace(" ", "")
