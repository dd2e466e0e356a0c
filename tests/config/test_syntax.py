"""A file that is no YAML, or more YAML than a configuration needs, is refused with its place."""

from __future__ import annotations

import pytest

from config.conftest import Project, lines


def test_a_tab_is_named_as_what_it_is(project: Project) -> None:
    assert lines("""
        error: reviewloop.yml:2:1: a tab cannot indent YAML
          2 |  author: x
            | ^
        hint: use spaces
    """) == project.complaint("review:\n\tauthor: x\n")


def test_an_open_quote_is_shown_where_it_was_opened(project: Project) -> None:
    assert lines("""
        error: reviewloop.yml:2:11: not valid YAML: found unexpected end of stream
          2 |   author: "sonnet
            |           ^
        hint: is a closing quote or bracket missing?
    """) == project.complaint('review:\n  author: "sonnet\n  timeout: 5\n')


def test_a_colon_in_a_text_asks_for_quotes(project: Project) -> None:
    assert lines("""
        error: reviewloop.yml:1:23: not valid YAML: mapping values are not allowed here
          1 | constitution: standard: one
            |                       ^
        hint: put text with ": " in quotes, and indent all keys of a mapping equally
    """) == project.complaint("constitution: standard: one")


def test_duplicate_keys_are_errors_at_every_level(project: Project) -> None:
    assert lines("""
        error: reviewloop.yml:3:3: duplicate key "author"
          3 |   author: static
            |   ^^^^^^
        hint: it is also on line 2; keep one of them
    """) == project.complaint("review:\n  author: static\n  author: static\n")


def test_a_list_is_not_a_configuration(project: Project) -> None:
    assert lines("""
        error: reviewloop.yml:1:1: the file must be a mapping of settings, "key: value"
          1 | - profile
            | ^^^^^^^^^
    """) == project.complaint("- profile\n")


def test_a_file_that_is_not_utf_8_says_where(project: Project) -> None:
    (project.root / "reviewloop.yml").write_bytes(b"profile: panel\n# caf\xe9\n")

    assert (
        lines("""
        error: reviewloop.yml:2:6: the file is not UTF-8 text
        hint: save it as UTF-8
    """)
        == project.complaint()
    )


def test_control_characters_are_refused_and_not_printed(project: Project) -> None:
    assert lines("""
        error: reviewloop.yml:1:10: this character is not allowed in YAML
          1 | profile: \ufffd[31mpanel
            |          ^
        hint: remove it, or write it as an escape in quotes
    """) == project.complaint("profile: \x1b[31mpanel\n")


def test_nothing_is_ever_constructed_from_a_tag(project: Project) -> None:
    assert lines("""
        error: reviewloop.yml:1:10: YAML tags are not supported here
          1 | profile: !!python/object/apply:os.getcwd []
            |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        hint: remove the tag
    """) == project.complaint("profile: !!python/object/apply:os.getcwd []\n")


def test_a_second_document_is_refused(project: Project) -> None:
    assert lines("""
        error: reviewloop.yml:2:1: not valid YAML: found another document
          2 | ---
            | ^
        hint: keep one document: remove the "---" between them
    """) == project.complaint("profile: panel\n---\nprofile: phases\n")


def test_an_escape_that_is_no_character_is_refused(project: Project) -> None:
    assert "error: reviewloop.yml:1:13: not valid YAML: cannot be parsed from here" in project.complaint(
        r'profile: "\UFFFFFFFF"'
    )


def test_text_that_no_file_can_hold_is_refused(project: Project) -> None:
    assert lines("""
        error: reviewloop.yml:1:9: this text has a character that cannot be stored
          1 | ledger: "a\\0b"
            |         ^^^^^^
    """) == project.complaint(r'ledger: "a\0b"')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 5_000, "reviewloop.yml:1:41: not valid YAML: nested too deeply"),
        ("- " * 5_000, "reviewloop.yml:1:81: not valid YAML: nested too deeply"),
        pytest.param("a: [" + "b," * 30_000 + "]", "not valid YAML: too many values", marks=pytest.mark.slow),
        ("a: " + "b" * 300_000, "reviewloop.yml:1:1: the file is larger than 256 kB"),
        ("a: &a [*a]", "reviewloop.yml:1:4: this alias refers to itself"),
    ],
)
def test_no_file_can_keep_the_reader_busy(project: Project, text: str, message: str) -> None:
    assert message in project.complaint(text).splitlines()[0]


def test_aliases_cannot_multiply(project: Project) -> None:
    laughs = ["a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha, ha]"]
    laughs += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]

    assert "reviewloop.yml:5:5: aliases make the file too large" in project.complaint("\n".join(laughs))


def test_aliases_cannot_pile_up(project: Project) -> None:
    tower = ["a0: &a0 [up]", *(f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 100))]

    assert "aliases nest the file too deeply" in project.complaint("\n".join(tower))


def test_anchors_and_merge_keys_work(project: Project) -> None:
    config = project.config("""
        agents:
          base: &base {kind: command, command: [./review.sh], timeout: 60}
          slow:
            <<: *base
            timeout: 600
    """)

    assert {"command": ["./review.sh"], "timeout": 600} == config.agents["slow"].settings


def test_a_merge_key_takes_mappings_only(project: Project) -> None:
    assert lines("""
        error: reviewloop.yml:2:15: << can only merge a mapping
          2 |   mine: {<<: [a, 5], kind: claude}
            |               ^
    """) == project.complaint("agents:\n  mine: {<<: [a, 5], kind: claude}\n")


def test_a_key_must_be_text(project: Project) -> None:
    assert lines("""
        error: reviewloop.yml:1:3: a key must be text, found a list or a mapping
          1 | ? [a, b]
            |   ^^^^^^
    """) == project.complaint("? [a, b]\n: c\n")


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "---\n", "~\n", "review:\nagents:\nrules:\npaths:\ntasks:\n"])
def test_an_empty_file_or_block_sets_nothing(project: Project, text: str) -> None:
    assert ("spec-gate", 3) == (project.config(text).profile, project.policy().max_iterations)


def test_a_byte_order_mark_and_windows_line_ends_are_fine(project: Project) -> None:
    (project.root / "reviewloop.yml").write_bytes("\ufeffprofile: panel\r\nreview:\r\n  timeout: 5\r\n".encode())

    assert ("panel", 5) == (project.config().profile, project.config().review.timeout)
