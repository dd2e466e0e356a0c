from __future__ import annotations

from config.conftest import Project, lines
from reviewloop.errors import ConfigError
from reviewloop.reports.config_error import render


def test_the_caret_is_under_what_is_meant(project: Project) -> None:
    assert lines("""
        error: reviewloop.yml:7:3: unknown key "auto_aprove"
          7 |   auto_aprove: true
            |   ^^^^^^^^^^^
        hint: did you mean "auto_approve"?
    """) == project.complaint("""\
        # one
        # two
        profile: panel

        review:
          max_iterations: 3
          auto_aprove: true
    """)


def test_the_caret_follows_wide_characters() -> None:
    error = ConfigError("no", file="f", line=1, column=5, source="設定: x", width=1)

    assert lines("""
        error: f:1:5: no
          1 | 設定: x
            |       ^
    """) == render(error)


def test_a_long_line_is_cut_around_the_place() -> None:
    error = ConfigError("no", file="f", line=3, column=151, width=4, source="x" * 150 + "here" + "y" * 150)

    assert lines(f"""
        error: f:3:151: no
          3 | …{"x" * 25}here{"y" * 71}…
            | {" " * 26}^^^^
    """) == render(error)


def test_without_a_line_there_is_no_excerpt() -> None:
    error = ConfigError("cannot be", file="--author", hint="leave it out")

    assert "error: --author: cannot be\nhint: leave it out" == render(error)


def test_without_a_place_there_is_only_the_message() -> None:
    assert "error: cannot be" == render(ConfigError("cannot be"))


def test_nothing_reaches_the_terminal_that_it_would_act_on() -> None:
    error = ConfigError("bad \x1b[31m\n\u202e", file="f", line=1, column=1, source="\ta\x07b\u202e", hint="\x9b")

    assert "error: f:1:1: bad \ufffd[31m\ufffd\ufffd\n  1 |  a\ufffdb\ufffd\n    | ^\nhint: \ufffd" == render(error)


def test_a_place_beyond_the_line_still_has_a_caret() -> None:
    error = ConfigError("no", file="f", line=12, column=9, source="short", width=3)

    assert lines("""
        error: f:12:9: no
          12 | short
             |      ^
    """) == render(error)
