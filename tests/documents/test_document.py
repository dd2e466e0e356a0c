import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from example_counts import examples
from reviewloop.core.types.artifact import Kind
from reviewloop.documents import guess_kind, parse
from reviewloop.documents.document import MAX_CHARS
from reviewloop.documents.model import Format

DOCUMENT = """\
---
spec: export
phase: design
---
# Design: export

See [limits](#limits), `src/export.py:12` and <https://example.org/a>.

| File | Action |
|------|--------|
| `src/export.py` | Modify |
| a \\| b | - |

```python
# Not a heading
FR-99
```

## Limits

- [x] 1.1 First
  - nested
- second
<!-- a comment
over lines --> FR-1 serves US-2.
"""


def test_everything_has_its_place():
    document = parse("specs/export/design.md", DOCUMENT)

    assert Format.SMART_RALPH == document.format
    assert {"spec": "export", "phase": "design"} == document.frontmatter.values
    assert 3 == document.frontmatter.lines["phase"]
    assert [(1, "Design: export", 5), (2, "Limits", 19)] == [(h.level, h.title, h.line) for h in document.headings]
    assert [("src/export.py", 7, 25, 12), ("src/export.py", 11, 4, None)] == [
        (p.path, p.line, p.column, p.target_line) for p in document.paths
    ]
    assert [("limits", "#limits", 7, 5), ("", "https://example.org/a", 7, 48)] == [
        (link.text, link.target, link.line, link.column) for link in document.links
    ]
    (table,) = document.tables
    assert ("File", 9, 3) == (table.header[0].text, table.header[0].line, table.header[0].column)
    assert ("a | b", 12, 3) == (table.rows[1][0].text, table.rows[1][0].line, table.rows[1][0].column)
    assert [("python", 14, 17, True)] == [(f.info, f.line, f.end, f.closed) for f in document.fences]
    assert [("1.1 First", 0, True), ("nested", 1, None), ("second", 0, None)] == [
        (item.text, item.depth, item.checked) for item in document.items
    ]
    assert [(24, 1, 25)] == [(comment.line, comment.column, comment.end) for comment in document.comments]


def test_ids_in_code_and_comments_are_not_seen():
    document = parse("specs/export/design.md", DOCUMENT)

    assert [("FR-1", 25), ("US-2", 25)] == [(id_.text, id_.line) for id_ in document.ids]


def test_the_innermost_section_of_a_line_is_known():
    document = parse("x.md", "before\n# A\n\n## B\ntext\n# C\n")

    assert [None, "A", "B", "C"] == [document.section(line) for line in (1, 3, 5, 6)]


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_line_numbers_are_the_same_with_other_line_ends(newline):
    document = parse("specs/export/design.md", DOCUMENT.replace("\n", newline))

    assert [5, 19] == [heading.line for heading in document.headings]
    assert 11 == document.paths[1].line


def test_broken_front_matter_is_noted_and_the_rest_is_read():
    document = parse("x.md", "---\ntitle: [a\nphase: design\n---\n# Title\n")

    assert document.frontmatter.broken
    assert {"title": 2, "phase": 3} == document.frontmatter.lines
    assert ["Title"] == [heading.title for heading in document.headings]


def test_a_rule_at_the_top_is_no_front_matter():
    assert parse("x.md", "---\n# Title\n").frontmatter is None


def test_an_unclosed_fence_ends_with_the_file():
    document = parse("x.md", "# A\n```\n# B\n")

    assert [False] == [fence.closed for fence in document.fences]
    assert ["A"] == [heading.title for heading in document.headings]


def test_a_large_document_is_cut_and_says_so():
    document = parse("x.md", "word " * (MAX_CHARS // 4))

    assert document.truncated


@pytest.mark.parametrize(
    "text",
    [
        "# h\n" * 10_000,
        "|" + "c|" * 200 + "\n|" + "-|" * 200 + "\n" + ("|" + "x|" * 200 + "\n") * 50,
        "- [ ] 1.1 a\n" * 3_000,
        "`" * 20_000,
        "<!--" * 5_000,
        "[a](" * 5_000,
        "FR-1 to FR-9999 " * 2_000,
        "> " * 3_000,
        "\0\ufeff\u2028\x0b" * 500,
        "a/" * 10_000,
    ],
    ids=["headings", "wide table", "tasks", "ticks", "comments", "links", "ranges", "quotes", "control", "path"],
)
def test_odd_input_is_read_to_its_end(text):
    assert parse("x.md", text).lines


@given(st.text(alphabet="#`|-*[]()<>!:\\ \t\nxFR1.US2_~+/\r\0\u200b", max_size=400))
@settings(max_examples=examples(300), deadline=None)
def test_no_text_is_too_strange_to_parse(text):
    document = parse("x.md", text)

    assert len(document.lines) == len(document.prose) == len(document.words)
    assert [len(line) for line in document.lines] == [len(line) for line in document.words]
    for id_ in document.ids:
        assert id_.implied or document.lines[id_.line - 1][id_.column - 1 :].startswith(id_.text)


@given(st.text(max_size=300))
@settings(max_examples=examples(200), deadline=None)
def test_the_kind_of_any_text_can_be_asked(text):
    assert guess_kind("notes.md", text) in (None, *Kind)


@pytest.mark.parametrize(
    ("path", "text", "kind"),
    [
        ("specs/a/research.md", "", Kind.RESEARCH),
        ("specs/a/requirements.md", "", Kind.REQUIREMENTS),
        ("specs/001-a/plan.md", "", Kind.DESIGN),
        ("specs/001-a/spec.md", "", Kind.SPEC),
        ("a/tasks.md", "", Kind.TASKS),
        ("docs/prd/EXPORT.md", "# Export", Kind.PRD),
        ("openspec/changes/a/proposal.md", "", Kind.PRD),
        ("specs/tasks/a/01-x.md", "---\ntask: 1\ndepends_on: []\n---\n# X", Kind.TASKS),
        ("whatever.md", "---\nphase: design\n---\n", Kind.DESIGN),
        ("notes.md", "# Requirements: export\n", Kind.REQUIREMENTS),
        ("notes.md", "# A\n\n## Architecture\n\n## Components\n", Kind.DESIGN),
        ("notes.md", "- [ ] 1.1 a\n- [ ] 1.2 b\n- [ ] 1.3 c\n", Kind.TASKS),
        ("change.patch", "", Kind.CHANGE),
        ("-", "diff --git a/x b/x\n", Kind.CHANGE),
        ("README.md", "# Hello\n", None),
        (".progress.md", "# Progress\n", None),
        ("notes.md", "Hello.\n", None),
    ],
)
def test_the_kind_is_guessed(path, text, kind):
    assert kind == guess_kind(path, text)


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("openspec/specs/a/spec.md", "# A", Format.OPENSPEC),
        ("a.md", "### Requirement: Export\n", Format.OPENSPEC),
        (".kiro/specs/a/design.md", "# A", Format.KIRO),
        ("a.md", "### Requirement 1: Export\n", Format.KIRO),
        ("a.md", "- [ ] 1. Do\n  - _Requirements: 1.2_\n", Format.KIRO),
        ("specs/001-a/spec.md", "# A", Format.SPEC_KIT),
        ("a.md", "### User Story 1 - Export (Priority: P1)\n", Format.SPEC_KIT),
        ("a.md", "- [ ] T001 Do\n", Format.SPEC_KIT),
        ("a.md", "---\nunit: a\n---\n", Format.CHOO),
        ("a.md", "### US-1: Export\n", Format.SMART_RALPH),
        ("a.md", "# A\n", Format.PLAIN),
    ],
)
def test_the_format_is_recognised(path, text, expected):
    assert expected == parse(path, text).format
