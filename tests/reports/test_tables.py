from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from rich.cells import cell_len

from reviewloop.core.types.interval import Rate
from reviewloop.reports.rates import percent, percent_range
from reviewloop.reports.tables import Table, as_html, as_markdown, as_text

MODELS = Table(
    title="models",
    columns=("model", "unique true findings", "precision", "common issues"),
    rows=(
        ("haiku", "2", "50% (1 of 2)", "FR-3 names no limit; the design never mentions FR-8"),
        ("sonnet", "11", "83% (10 of 12)", "-"),
    ),
    shares=(0.5, 0.83),
)
CELLS = st.text(st.sampled_from("ab 日🔑-"), max_size=40)


def test_a_table_that_fits_has_bars():
    assert snapshot("""\
models
  model   unique true findings  precision       common issues
  haiku   2                     50% (1 of 2)    FR-3 names no limit; the design never mentions FR-8  ████████████
  sonnet  11                    83% (10 of 12)  -                                                    ███████████████████▉
""") == as_text([MODELS], width=140)


def test_cells_wrap_before_a_table_gets_wider_than_the_terminal():
    assert snapshot("""\
models
  model   unique true findings  precision       common issues
  haiku   2                     50% (1 of 2)    FR-3 names no limit; the
                                                design never mentions FR-8
  sonnet  11                    83% (10 of 12)  -
""") == as_text([MODELS], width=78)


def test_columns_that_cannot_stand_side_by_side_become_lines():
    wide = replace(
        MODELS, columns=(*MODELS.columns, "reviews"), rows=tuple((*row, "12") for row in MODELS.rows), shares=()
    )
    assert snapshot("""\
models
  haiku
    unique true findings  2
    precision             50% (1 of 2)
    common issues         FR-3 names no
                          limit; the
                          design never
                          mentions FR-8
    reviews               12
  sonnet
    unique true findings  11
    precision             83% (10 of 12)
    common issues         -
    reviews               12
""") == as_text([wide], width=40)


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=4), st.integers(min_value=40, max_value=100))
def test_no_line_is_wider_than_the_terminal(rows, width):
    table = Table(title="t", columns=("name", "figure", "value"), rows=tuple(rows), shares=(0.5,) * len(rows))
    assert all(cell_len(line) <= width for line in as_text([table], width=width).splitlines())


def test_an_empty_table_says_what_to_do_or_is_left_out():
    empty = Table(title="rules", columns=("rule",), rows=(), empty="Run reviewloop run FILE first.")
    silent = Table(title="advice", columns=("recommendation",), rows=())
    assert "rules\n  Run reviewloop run FILE first.\n" == as_text([empty, silent], width=80)
    assert "## rules\n\nRun reviewloop run FILE first.\n" == as_markdown([empty, silent])
    assert "<h2>rules</h2>\n<p>Run reviewloop run FILE first.</p>\n</body>" in as_html([empty, silent], "Reviews")


def test_rates_are_percentages_with_their_counts():
    assert "83% (10 of 12)" == percent(Rate(hits=10, tries=12))
    assert "83% (10 of 12; 95% interval 55%-95%)" == percent_range(Rate(hits=10, tries=12))
    assert ("-", "-") == (percent(Rate()), percent_range(Rate()))
