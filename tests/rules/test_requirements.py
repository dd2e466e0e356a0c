import pytest

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.finding import Severity

STORY = "As a clerk, I want to export rows, so that I can file them."


def document(*rows: str, story: str = STORY, criteria: str = "- AC-1.1: The file has a line per row") -> str:
    table = "| ID | Requirement | Priority | Source |\n|--|--|--|--|\n" + "\n".join(rows)
    return f"# R\n\n### US-1: Export\n\n{story}\n\n**Acceptance Criteria**:\n{criteria}\n\n## Functional Requirements\n\n{table}\n"


def test_a_story_without_criteria_is_critical(found):
    (finding,) = found(Kind.REQUIREMENTS, document(criteria=""), "REQ013")

    assert (Severity.CRITICAL, 3, "completeness") == (finding.severity, finding.place.line, finding.criterion)


@pytest.mark.parametrize(
    "text",
    [
        document(),
        "### User Story 1 - Export (Priority: P1)\n\nText.\n\n**Acceptance Scenarios**:\n\n1. **Given** a, **When** b, **Then** c\n",
        "### Requirement 1: Export\n\n#### Acceptance Criteria\n\n1. WHEN a THEN THE SYSTEM SHALL b\n",
        "### US-1: A\n\n| Criterion |\n|--|\n| x |\n",
        "### US-1: A\n\nGiven a row, when it is exported, then there is a line.\n",
    ],
    ids=["smart-ralph", "spec-kit", "kiro", "table", "prose"],
)
def test_criteria_are_seen_in_every_shape(found, text):
    assert [] == found(Kind.REQUIREMENTS, text, "REQ013")


def test_an_openspec_requirement_needs_a_scenario(found):
    text = "## ADDED Requirements\n\n### Requirement: A\nIt SHALL.\n\n## REMOVED Requirements\n\n### Requirement: B\nGone.\n"

    findings = found(Kind.SPEC, text, "REQ013", path="openspec/changes/x/specs/a/spec.md")

    assert ["A has no scenario"] == [finding.issue for finding in findings]


def test_a_story_says_why(found):
    assert ["US-1 does not say why"] == [
        finding.issue
        for finding in found(Kind.REQUIREMENTS, document(story="As a clerk, I want to export rows."), "REQ014")
    ]
    assert [] == found(Kind.REQUIREMENTS, document(), "REQ014")
    assert [] == found(Kind.REQUIREMENTS, document(story="Rows can be exported."), "REQ014")


def test_a_requirement_without_priority_is_important(found):
    text = document("| FR-1 | a | High | US-1 |", "| FR-2 | b | P1 | US-1 |", "| FR-3 | c | | US-1 |")

    assert [("FR-3 has no priority", Severity.IMPORTANT)] == [
        (finding.issue, finding.severity) for finding in found(Kind.REQUIREMENTS, text, "REQ015")
    ]


def test_a_document_without_priorities_is_one_finding(found):
    text = "# R\n\n| ID | Requirement |\n|--|--|\n| FR-1 | a |\n| FR-2 | b |\n| FR-3 | c |\n"

    assert 1 == len(found(Kind.REQUIREMENTS, text, "REQ015"))


def test_must_is_a_priority_in_a_list(found):
    assert [] == found(Kind.REQUIREMENTS, "- **FR-001**: System MUST export\n", "REQ015")


def test_requirements_trace_to_stories(found):
    text = document("| FR-1 | a | High | US-1 |", "| FR-2 | b | Low | Marketing |")

    (finding,) = found(Kind.REQUIREMENTS, text, "REQ016")

    assert "1 of 2 requirements are not linked to a story or criterion: FR-2" == finding.issue
    assert [] == found(
        Kind.REQUIREMENTS, document("| FR-1 | a | High | AC-1.1 |", "| FR-2 | b | Low | All |"), "REQ016"
    )


def test_a_matrix_counts_as_a_trace(found):
    text = (
        document("| FR-1 | a | High | x |")
        + "\n## Traceability\n\n| Story | Requirements |\n|--|--|\n| US-1 | FR-1 |\n"
    )

    assert [] == found(Kind.REQUIREMENTS, text, "REQ016")


def test_a_story_that_no_requirement_serves_is_noticed(found):
    text = (
        document("| FR-1 | a | High | US-1 |") + "\n### US-2: Import\n\nAs a clerk, I want, so that.\n\n- AC-2.1: x\n"
    )

    assert ["no requirement mentions US-2"] == [finding.issue for finding in found(Kind.REQUIREMENTS, text, "REQ017")]
    assert [] == found(Kind.REQUIREMENTS, text.replace("High | US-1", "High | US-1, AC-2.1"), "REQ017")


def test_the_same_thing_twice_is_noticed(found):
    text = document(
        "| FR-1 | Export the selected rows as a CSV file | High | US-1 |",
        "| FR-2 | Export selected rows as CSV file | Low | US-1 |",
        "| FR-3 | Export the selected rows as a JSON file | Low | US-1 |",
    )

    assert ["FR-2 nearly repeats FR-1"] == [finding.issue for finding in found(Kind.REQUIREMENTS, text, "REQ022")]


@pytest.mark.parametrize(
    ("criterion", "word"),
    [
        ("The message is appropriate", "appropriate"),
        ("Shows relevant rows", "relevant"),
        ("The export still works correctly", "works correctly"),
        ("Retries as needed", "as needed"),
    ],
)
def test_a_vague_criterion_is_important(found, criterion, word):
    (finding,) = found(Kind.REQUIREMENTS, document(criteria=f"- AC-1.1: {criterion}"), "REQ018")

    assert (Severity.IMPORTANT, word, "testability") == (finding.severity, finding.quote, finding.criterion)
    assert document(criteria=f"- AC-1.1: {criterion}").split("\n")[7][finding.place.column - 1 :].startswith(word)


def test_a_vague_requirement_and_a_weak_verb_are_minor(found):
    text = document("| FR-1 | Suitable names | Should | US-1 |", criteria="- AC-1.1: The file may be empty")

    assert [("may", Severity.MINOR), ("Suitable", Severity.MINOR)] == [
        (finding.quote, finding.severity) for finding in found(Kind.REQUIREMENTS, text, "REQ018")
    ]


@pytest.mark.parametrize(
    "criterion",
    ["Prints `relevant`", 'Says "as needed"', "MAY be omitted", "Is it possible", "Not different", "A May date"],
)
def test_words_that_are_no_sign_are_left_alone(found, criterion):
    assert [] == found(Kind.REQUIREMENTS, document(criteria=f"- AC-1.1: {criterion}"), "REQ018")


def test_a_criterion_with_nothing_to_see_is_noticed_if_asked_for(found):
    text = document(criteria="- AC-1.1: Clerks are happy\n- AC-1.2: The file contains a header")

    assert ["AC-1.1 names nothing that can be observed"] == [
        finding.issue for finding in found(Kind.REQUIREMENTS, text, "REQ019")
    ]


@pytest.mark.parametrize("row", ["| NFR-1 | The export is fast | - |", "| NFR-1 | Performance | Good enough |"])
def test_speed_without_a_number_is_important(found, row):
    (finding,) = found(Kind.REQUIREMENTS, f"# R\n\n| ID | Requirement | Target |\n|--|--|--|\n{row}\n", "REQ020")

    assert (Severity.IMPORTANT, 5) == (finding.severity, finding.place.line)


@pytest.mark.parametrize(
    "row",
    [
        "| NFR-1 | The export is fast | < 5 s |",
        "| NFR-1 | Performance | No extra request |",
        "| NFR-1 | Quick mode | x |",
    ],
)
def test_speed_with_a_bound_is_fine(found, row):
    assert [] == found(Kind.REQUIREMENTS, f"# R\n\n| ID | Requirement | Target |\n|--|--|--|\n{row}\n", "REQ020")


def test_kiro_criteria_are_ears(found):
    text = "### Requirement 1\n\n#### Acceptance Criteria\n\n1. WHEN a THEN THE SYSTEM SHALL b\n2. The list is sorted\n"

    assert [6] == [finding.place.line for finding in found(Kind.REQUIREMENTS, text, "REQ021")]


def test_openspec_scenarios_need_when_and_then(found):
    text = "## Requirements\n\n### Requirement: A\nIt exports.\n\n#### Scenario: S\n- **WHEN** a\n"

    assert ['the requirement "A" contains neither SHALL nor MUST', '"Scenario: S" has no THEN'] == [
        finding.issue for finding in found(Kind.SPEC, text, "REQ021", path="openspec/specs/a/spec.md")
    ]


def test_other_formats_are_free_unless_asked(found, report):
    assert "REQ021" not in [finding.rule for finding in report(Kind.REQUIREMENTS, document()).findings]
    assert ["REQ021"] == [finding.rule for finding in found(Kind.REQUIREMENTS, document(), "REQ021")]


def test_two_things_in_one_requirement_are_noticed(found):
    text = document("| FR-1 | It must export and must mail | High | US-1 |", "| FR-2 | CSV and/or JSON | Low | US-1 |")

    assert ["FR-1 asks for 2 things in one sentence", '"and/or" in FR-2 is ambiguous'] == [
        finding.issue for finding in found(Kind.REQUIREMENTS, text, "REQ023")
    ]
    assert [] == found(Kind.REQUIREMENTS, document("| FR-1 | It must export. It must mail. | High | US-1 |"), "REQ023")
