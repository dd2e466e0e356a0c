from reviewloop.reports.safe_text import clipped, one_line, printable, well_formed, without_commands


def test_what_a_terminal_would_act_on_is_shown_instead():
    assert "<U+001B>[31mred<U+0007> <U+202E>left<U+200B> <U+009B>2J" == printable(
        "\x1b[31mred\a \u202eleft\u200b \x9b2J"
    )


def test_letters_of_every_script_and_emoji_stay_as_they_are():
    text = "naïve 日本語 می‌خواهم 👩‍🔬 \u00a0 \ue0b0"

    assert text == printable(text)


def test_a_joiner_that_hides_between_ascii_letters_is_shown():
    assert "pass<U+200D>word" == printable("pass\u200dword")


def test_a_text_on_one_line_has_single_spaces():
    assert "a b c" == one_line("  a\r\n\tb \n\n c ")


def test_a_build_server_gets_no_orders():
    assert ": :error::x" == one_line("::error::x")
    assert "a ::error::x" == one_line("a ::error::x")
    assert "# #[add-mask]x # #vso[task]" == printable("##[add-mask]x ##vso[task]")
    assert "a\n  : :stop-commands::x" == without_commands("a\n  ::stop-commands::x")


def test_headings_with_links_are_no_orders():
    assert "## [Unreleased]" == printable("## [Unreleased]")


def test_texts_are_cut_visibly():
    assert ("abc", "ab…") == (clipped("abc", 3), clipped("abcd", 3))


def test_what_no_encoding_can_hold_is_replaced():
    assert "a\ufffd🔑" == well_formed("a\ud800🔑")
