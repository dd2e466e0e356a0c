from reviewloop.documents import parse
from reviewloop.documents.files import Action, file_actions
from reviewloop.documents.requirements import requirements, stories


def test_criteria_below_a_label_belong_to_their_story():
    text = "### US-1: A\n\nAs a clerk.\n\n**Acceptance Criteria:**\n- [ ] one\n- [ ] two\n\n### US-2: B\n\nText.\n"
    first, second = stories(parse("r.md", text))

    assert ["one", "two"] == [criterion.text for criterion in first.criteria]
    assert () == second.criteria


def test_criteria_elsewhere_are_found_by_number():
    text = "### US-1: A\n\nText.\n\n## Acceptance Criteria\n\n- AC-1.1: one\n- AC-2.1: two\n"
    (story,) = stories(parse("r.md", text))

    assert ["AC-1.1"] == [criterion.id for criterion in story.criteria]


def test_openspec_requirements_hold_scenarios():
    text = "## ADDED Requirements\n\n### Requirement: A\nIt SHALL.\n\n#### Scenario: S\n- **WHEN** a\n- **THEN** b\n"
    (story,) = stories(parse("openspec/changes/x/specs/a/spec.md", text))

    assert ["**WHEN** a", "**THEN** b", "Scenario: S"] == [criterion.text for criterion in story.criteria]


def test_requirements_come_from_rows_items_and_headings():
    text = "| ID | Text | Priority |\n|-|-|-|\n| FR-1 | a | High |\n\n- **FR-2**: b\n\n### FR-3: c\n\nServes US-1.\n"
    first, second, third = requirements(parse("r.md", text))

    assert ("FR-1", "a", "High") == (first.id, first.text, first.priority)
    assert ("b", None) == (second.text, second.priority)
    assert frozenset({"US-1"}) == third.related


def test_what_happens_to_files_is_read_from_tables_and_lists():
    text = (
        "## Files\n\n| File | Action |\n|-|-|\n| `src/a.py` | Create |\n| src/b.py | Modify |\n\n"
        "### Files to Delete\n\n- `src/c.py`: old\n\n## Flow\n\n- Create `x.json` on start\n"
    )

    assert [("src/a.py", Action.CREATE, 5), ("src/b.py", Action.MODIFY, 6), ("src/c.py", Action.DELETE, 10)] == [
        (action.path, action.action, action.line) for action in file_actions(parse("d.md", text))
    ]
