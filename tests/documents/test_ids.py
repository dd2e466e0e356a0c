from reviewloop.documents import parse
from reviewloop.documents.model import Role


def ids(text, path="x.md"):
    return parse(path, text).ids


def test_one_id_has_one_key_however_it_is_written():
    assert ["FR-1", "FR-1", "FR-1", "AC-1.2", "REQ-AUTH-7"] == [
        id_.key for id_ in ids("FR-1 FR1 FR-001 AC-1.2 REQ-AUTH-007\n")
    ]


def test_definitions_are_told_from_mentions():
    text = (
        "### US-1: Export\n\n- [ ] AC-1.1: A row\n\n| ID | Text |\n|--|--|\n| FR-1 | x | \n\n**FR-2**: y\n\nsee FR-1\n"
    )

    assert [Role.HEADING, Role.ITEM, Role.ROW, Role.ITEM, Role.MENTION] == [id_.role for id_ in ids(text)]


def test_ranges_stand_for_what_they_leave_out():
    found = ids("AC-1.1 to AC-1.4, FR-2-4 and FR-7\n")

    assert ["AC-1.1", "AC-1.2", "AC-1.3", "AC-1.4", "FR-2", "FR-3", "FR-4", "FR-7"] == [id_.key for id_ in found]
    assert ["AC-1.2", "AC-1.3", "FR-3", "FR-4"] == [id_.key for id_ in found if id_.implied]


def test_slanted_requirements_are_seen():
    assert ["FR-1", "FR-7"] == [id_.key for id_ in ids("- _Requirements: FR-1, FR-7_\n")]


def test_words_that_look_like_ids_are_left_alone():
    assert () == ids("US dollars, NFR, UTF-8, FRONT-1, /FR-1/x, v1.FR-2\n")


def test_kiro_numbers_are_ids():
    text = "### Requirement 1: Export\n\n#### Acceptance Criteria\n\n1. WHEN a THEN b\n2. WHEN c THEN d\n"
    found = ids(text, ".kiro/specs/a/requirements.md")
    tasks = ids("- [ ] 1. Do\n  - _Requirements: 1.1, 2.3_\n", ".kiro/specs/a/tasks.md")

    assert ["Requirement-1", "Requirement-1.1", "Requirement-1.2"] == [id_.key for id_ in found]
    assert ["Requirement-1.1", "Requirement-2.3"] == [id_.key for id_ in tasks]
