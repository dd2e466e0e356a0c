import pytest

from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.finding import Severity

REQUIREMENTS = """\
# Requirements: export

## User Stories

### US-1: Export rows

As a clerk, I want to export rows, so that I can file them.

**Acceptance Criteria**:
- AC-1.1: The file has one line per row

## Functional Requirements

| ID | Requirement | Priority | Source |
|----|-------------|----------|--------|
| FR-1 | Write a CSV file | High | US-1 |
| FR-2 | Refuse an empty selection | Low | AC-1.1 |

## Non-Functional Requirements

None.

## Out of Scope

- Excel
"""


def test_a_document_with_all_its_sections_is_fine(found):
    assert [] == found(Kind.REQUIREMENTS, REQUIREMENTS, "DOC001")


def test_a_missing_section_is_named(found):
    text = REQUIREMENTS.replace("## Out of Scope", "## Remarks")

    (finding,) = found(Kind.REQUIREMENTS, text, "DOC001")

    assert ('the section "out of scope" is missing', 1, "completeness") == (
        finding.issue,
        finding.place.line,
        finding.criterion,
    )


def test_sections_are_found_by_synonym_at_any_level(found):
    text = "# Research\n\n# Overview\n\nTwo handlers do the same for two kinds of rows.\n\n#### 2. Existing code\n\nSome.\n\n## Recommended approach\n\nYes.\n"

    assert [] == found(Kind.RESEARCH, text, "DOC001")


def test_a_heading_with_nothing_below_it_is_noticed(found):
    text = REQUIREMENTS.replace("- Excel\n", "")

    assert ['the section "Out of Scope" is empty'] == [
        finding.issue for finding in found(Kind.REQUIREMENTS, text, "DOC001")
    ]


def test_an_openspec_change_needs_no_purpose(found):
    text = "## ADDED Requirements\n\n### Requirement: Export\n\nThe tool SHALL export.\n\n#### Scenario: One\n\n- **WHEN** a\n- **THEN** b\n"

    assert [] == found(Kind.SPEC, text, "DOC001", path="openspec/changes/x/specs/export/spec.md")


def test_an_empty_document_is_one_finding(found):
    assert ["the document is empty"] == [finding.issue for finding in found(Kind.DESIGN, "  \n", "DOC001")]


STUBS = {
    "one word": "# SPEC\n\nExport\n",
    "no heading": "Export\n",
    "only a title": "# SPEC\n",
    "only headings": "# SPEC\n\n## Overview\n\n## Requirements\n\n## Design\n\n## Testing\n",
    "front matter": "---\ntitle: The export of all rows of a table as a file\n---\n\n# SPEC\n\nExport\n",
    "only a comment": "# SPEC\n\n<!-- Say what it is for, who asked for it and how it is tested. -->\n",
}


@pytest.mark.parametrize("kind", [Kind.PRD, Kind.SPEC, Kind.RESEARCH, Kind.REQUIREMENTS, Kind.DESIGN])
@pytest.mark.parametrize("text", STUBS.values(), ids=STUBS)
def test_a_document_that_says_nothing_is_critical(found, kind: Kind, text: str):
    (finding,) = found(kind, text, "DOC001", path=f"{kind}.md")

    assert ("the document contains only headings or a few words", Severity.CRITICAL) == (
        finding.issue, finding.severity,
    )  # fmt: skip


def test_in_a_file_of_no_known_kind_a_few_words_may_be_enough(found):
    first, *missing = found(
        Kind.SPEC, "# Notes\n\n## Overview\n\nTo do.\n\n## Design\n", "DOC001", path="docs/notes.md"
    )

    assert (Severity.IMPORTANT, Severity.IMPORTANT) == (first.severity, max(finding.severity for finding in missing))
    assert 'the section "design" is missing' in [finding.issue for finding in missing]


@pytest.mark.parametrize("text", [*STUBS.values(), "# Tasks\n\nFirst the parser, then the writer, then the handler.\n"])
def test_a_task_list_without_tasks_is_critical(found, text: str):
    assert ("the document contains no tasks", Severity.CRITICAL) == (
        (first := found(Kind.TASKS, text, "DOC001")[0]).issue, first.severity,
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "# SPEC\n\n## Purpose\n\n```python\ndef export(rows: list[Row], to: Path) -> None:\n    writer(to).writerows(rows)\n```\n",
        "# 规格\n\n## Purpose\n\n" + "把表格中的所有行导出为一个文件" * 4 + "\n",
    ],
)
def test_code_and_any_script_say_something(found, text: str):
    assert Severity.CRITICAL not in {finding.severity for finding in found(Kind.SPEC, text, "DOC001")}


def test_a_file_that_is_no_markdown_is_no_stub_for_that(found):
    text = "Export\n======\n\nThe handler streams all rows of a report as CSV.\n"

    assert Severity.CRITICAL not in {finding.severity for finding in found(Kind.SPEC, text, "DOC001", path="spec.rst")}


def test_a_change_that_only_renames_a_requirement_is_whole(found):
    text = "## RENAMED Requirements\n\n- FROM: `### Requirement: A`\n- TO: `### Requirement: B`\n"

    assert [] == found(Kind.SPEC, text, "DOC001", path="openspec/changes/x/specs/export/spec.md")


def test_two_requirements_with_one_id_are_critical(found):
    text = REQUIREMENTS.replace("| FR-2 |", "| FR-1 |")

    (finding,) = found(Kind.REQUIREMENTS, text, "DOC002")

    assert (Severity.CRITICAL, 17, 3) == (finding.severity, finding.place.line, finding.place.column)
    assert "traceability" == finding.criterion


def test_the_same_id_written_in_another_way_is_the_same_id(found):
    text = "# Spec\n\n- **FR-001**: Export\n- **FR1**: Import\n"

    assert ["FR1"] == [finding.quote for finding in found(Kind.SPEC, text, "DOC002")]


def test_a_coverage_table_defines_nothing(found):
    text = REQUIREMENTS + "\n## Traceability\n\n| Requirement | Story |\n|---|---|\n| FR-1 | US-1 |\n| FR-2 | US-1 |\n"

    assert [] == found(Kind.REQUIREMENTS, text, "DOC002")


def test_two_tasks_with_one_number_are_critical(found):
    text = "# Tasks\n\n- [ ] 1.1 Write\n- [ ] 1.1 Read\n"

    assert ["task 1.1 is already defined on line 3"] == [finding.issue for finding in found(Kind.TASKS, text, "DOC002")]


def test_a_story_that_nobody_wrote_is_critical(found):
    text = REQUIREMENTS.replace("| Low | AC-1.1 |", "| Low | US-9 |")

    (finding,) = found(Kind.REQUIREMENTS, text, "DOC003")

    assert ("US-9 is not defined", 17, "US-9") == (finding.issue, finding.place.line, finding.quote)


def test_tasks_are_held_against_the_requirements_above_them(found):
    above = Artifact(kind=Kind.REQUIREMENTS, name="r", files=(SourceFile(path="requirements.md", text=REQUIREMENTS),))
    text = "# Tasks\n\n- [ ] 1.1 Write\n  - _Requirements: FR-1, FR-7_\n"

    assert ["FR-7"] == [finding.quote for finding in found(Kind.TASKS, text, "DOC003", upstream=(above,))]
    assert [] == found(Kind.TASKS, text, "DOC003")


def test_ids_in_code_and_parents_of_ids_are_left_alone(found):
    text = REQUIREMENTS + "\nSee `US-44` and AC-1.\n"

    assert [] == found(Kind.REQUIREMENTS, text, "DOC003")


def test_an_anchor_to_no_heading_is_noticed(found):
    text = "# Spec\n\n[here](#limits) and [there](#no-such-place)\n\n## Limits\n\nTen.\n"

    assert ["#no-such-place"] == [finding.quote for finding in found(Kind.SPEC, text, "DOC005")]


def test_a_count_that_is_off_by_one_is_noticed(found):
    text = "---\ntotal_tasks: 3\n---\n# Tasks\n\n- [ ] 1.1 Write\n- [x] 1.2 Read\n"

    (finding,) = found(Kind.TASKS, text, "DOC008")

    assert ("total_tasks says 3, but there are 2 tasks", 2) == (finding.issue, finding.place.line)
    assert [] == found(Kind.TASKS, text.replace("3", "2", 1), "DOC008")
