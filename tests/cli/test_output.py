"""Tables, with and without rich."""

from __future__ import annotations

import io
from contextlib import redirect_stdout

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from rich.table import Table

from example_counts import examples
from reviewloop.cli.output import PIPE_WIDTH, print_table

TITLES = ("name", "why")
CELL = st.text(st.characters() | st.sampled_from("語é\u0301😀 "), max_size=30)
LONG_CELL = st.text(st.sampled_from("ab 語"), min_size=150, max_size=250)


def by_rich(rows: list[tuple[str, str]]) -> str:
    table = Table(box=None, pad_edge=False)
    for title in TITLES:
        table.add_column(title, overflow="fold")
    for row in rows:
        table.add_row(*row)
    file = io.StringIO()
    Console(file=file, highlight=False, soft_wrap=True, width=PIPE_WIDTH, emoji=False, markup=False).print(table)
    return file.getvalue()


@settings(max_examples=examples(30), deadline=None)
@given(rows=st.lists(st.tuples(CELL, CELL | LONG_CELL), min_size=1, max_size=4))
def test_a_table_in_a_pipe_is_the_one_that_rich_prints(rows: list[tuple[str, str]]):
    out = io.StringIO()
    with redirect_stdout(out):
        print_table(TITLES, rows)

    assert by_rich(rows) == out.getvalue()


def test_titles_are_bold_for_those_who_ask_for_colours(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")

    print_table(TITLES, [("spec", "passed")])

    assert "\x1b[1m" in capsys.readouterr().out
