"""A diff on a screen: colours if there are any, tabs as they are, and nothing that a terminal or a build server obeys."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reviewloop.reports.diff import render_diff
from reviewloop.reports.screen import Screen

PLAIN, COLOURED = Screen(colour=False), Screen(colour=True)
DIFF = (
    "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n same\n-old\t1\n+new \n"
)


def test_without_colours_it_is_the_diff_to_the_character():
    assert DIFF == render_diff(DIFF, PLAIN)
    assert "" == render_diff("", PLAIN)


def test_with_colours_heads_are_bold_and_lines_red_and_green():
    lines = render_diff(DIFF, COLOURED).split("\n")
    assert ["\x1b[1mdiff --git a/a b/a\x1b[0m", "\x1b[36m@@ -1,2 +1,2 @@\x1b[0m", " same"] == [
        lines[0],
        lines[5],
        lines[6],
    ]
    assert ["\x1b[31m-old\t1\x1b[0m", "\x1b[32m+new \x1b[0m", ""] == lines[7:]


def test_a_removed_rule_is_no_head_of_a_file():
    lines = render_diff("diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n--- old\n+++ new\n", COLOURED).split("\n")
    assert ["\x1b[31m--- old\x1b[0m", "\x1b[32m+++ new\x1b[0m"] == lines[4:6]


def test_line_ends_are_shown_only_where_they_differ():
    head = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n"
    assert f"{head} same\n-old\n+new\n" == render_diff(f"{head} same\r\n-old\r\n+new\r\n", PLAIN)
    assert f"{head} same\n-old<U+000D>\n+old\n" == render_diff(f"{head} same\n-old\r\n+old\n", PLAIN)


def test_a_context_line_gives_a_build_server_no_orders():
    assert " : :error::x\n" == render_diff(" ::error::x\n", PLAIN)


@given(st.text())
def test_no_control_character_gets_through(text: str):
    shown = render_diff("".join(f"+{line}\n" for line in text.split("\n")), PLAIN)
    assert all(char in "\t\n" or char.isprintable() or ord(char) > 0x9F for char in shown)
