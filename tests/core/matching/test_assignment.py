from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewloop.core.matching.assignment import assign

SIZE = 5
CELLS = st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1))
SIMPLE = st.sampled_from([0.0, 0.05, 0.25, 0.5, 0.5, 1.0])
WEIGHTS = st.dictionaries(CELLS, SIMPLE | st.floats(min_value=0, max_value=1), max_size=SIZE * SIZE)


def total(weights, cells):
    return sum(weights[cell] for cell in cells)


def greatest_total(weights):
    """By trying every permutation; a cell that is not there weighs nothing."""
    return max(
        sum(weights.get((row, column), 0.0) for row, column in enumerate(columns))
        for columns in permutations(range(SIZE))
    )


def test_nothing_to_assign():
    assert () == assign({})


def test_the_best_total_beats_the_best_single_cell():
    assert ((0, 1), (1, 0)) == assign({(0, 0): 0.9, (0, 1): 0.8, (1, 0): 0.8, (1, 1): 0.1})


def test_a_row_stays_alone_rather_than_take_a_better_match_from_another():
    assert ((0, 0),) == assign({(0, 0): 0.9, (1, 0): 0.4})


def test_a_long_chain_gives_way():
    # Row 0 would take column 0; the rows after it each want the column of the row before.
    weights = {(0, 0): 0.9, (0, 3): 0.8, (1, 0): 0.9, (1, 1): 0.7, (2, 1): 0.9, (2, 2): 0.6, (3, 2): 0.9}

    assert ((0, 3), (1, 0), (2, 1), (3, 2)) == assign(weights)


def test_rows_and_columns_may_have_any_numbers():
    assert ((7, 100), (900, 3)) == assign({(900, 3): 0.2, (7, 100): 0.1})


@settings(deadline=None)
@given(WEIGHTS)
def test_no_assignment_has_a_greater_total(weights):
    assert greatest_total(weights) == pytest.approx(total(weights, assign(weights)))


@settings(deadline=None)
@given(WEIGHTS)
def test_no_row_and_no_column_is_used_twice_and_no_cell_made_up(weights):
    cells = assign(weights)

    assert len(cells) == len({row for row, _ in cells}) == len({column for _, column in cells})
    assert all(weights[cell] > 0 for cell in cells)


@settings(deadline=None)
@given(WEIGHTS)
def test_the_order_in_which_weights_come_does_not_matter(weights):
    assert assign(weights) == assign(dict(reversed(weights.items())))
