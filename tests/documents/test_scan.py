from hypothesis import given, settings
from hypothesis import strategies as st

from example_counts import examples
from reviewloop.documents.blocks import read_blocks, read_with_markdown_it
from reviewloop.documents.scan import scan

PLAIN = [
    "# Title",
    "",
    "Some text",
    "over two lines.",
    "",
    "- [ ] 1.1 first",
    "  - nested",
    "    more of nested",
    "- second",
    "",
    "  still second",
    "",
    "1. one",
    "2. two",
    "",
    "| a | b |",
    "|---|---|",
    "| 1 | 2 |",
    "",
    "```python",
    "# no heading",
    "- no item",
    "```",
    "",
    "## Last ##",
    "",
]

INDENT = st.sampled_from(["", "", "", " ", "  ", "  ", "   ", "    ", "     ", "      "])
START = st.sampled_from(
    ["text", "- item", "* item", "+ x", "1. one", "2. two", "10) ten", "# head", "## head ##", "#no", "```", "````", "~~~", "```py",
     "| a | b |", "|---|---|", "|:-:|--|", "---", "***", "- - -", "===", "--", "-", "1.", "> quote", "<div>", "<!-- c -->", "", "", "",
     "`code` text", "**bold** text", "_it_ text", "a | b", "-|-", "[x]: y", "- # h", "- ```", "-  two", "-      six", "\ttab", "* * *",
     "\\# no", "# ", "#", "- [ ] box", "| a \\| b | c |", "|x", "***bold*** text", "```not`fence", "- **Do**: x", "1) x", "# a #b",
     "- --", "* ** **", "# #", "#  ##", "# a ## ##", "####### x", "1986 was", "\u0663. x"]
)  # fmt: skip
LINES = st.lists(st.builds(lambda indent, start: indent + start if start else "", INDENT, START), max_size=14)


def test_plain_documents_are_scanned():
    assert scan(PLAIN) is not None
    assert read_with_markdown_it(PLAIN) == read_blocks(PLAIN)


def test_doubtful_documents_are_left_to_markdown_it():
    for text in (
        "a\n---",
        "> quote",
        "<b>x</b>",
        "- a\nlazy",
        "    code",
        "```\nopen",
        "- a\n\tb",
        "- - a",
        "a\n2. b",
        "- a\n```b`c",
    ):
        assert scan(text.split("\n")) is None, text


@given(LINES)
@settings(max_examples=examples(500), deadline=None)
def test_the_scan_gives_what_markdown_it_gives(lines):
    assert read_with_markdown_it(lines) == read_blocks(lines)
