from reviewloop.documents import parse

RALPH = """\
# Tasks

## Phase 1: Make It Work (POC)

- [x] 1.1 Write the parser [P]
  - **Do**:
    1. Read the first line
    2. Keep the rest
  - **Files**: `src/parse.py`, `tests/test_parse.py`
  - **Done when**: A file without a header is refused
  - **Verify**: `pytest tests/test_parse.py`
  - **Commit**: `feat: parse`
  - _Requirements: FR-1_
- [ ] 1.2 [VERIFY] Checkpoint
  - **Verify:** `make test`
- [ ] V1 Last look
"""


def test_the_parts_of_a_task_are_found():
    first, gate, last = parse("tasks.md", RALPH).tasks

    assert ("1.1", "Write the parser [P]", 5, True, True) == (
        first.id,
        first.title,
        first.line,
        first.checked,
        first.parallel,
    )
    assert "Phase 1: Make It Work (POC)" == first.phase
    assert ["do", "files", "done when", "verify", "commit", "requirements"] == list(first.fields)
    assert "1. Read the first line\n    2. Keep the rest" == first.fields["do"].text
    assert ("`pytest tests/test_parse.py`", 11, 17) == (
        first.fields["verify"].text,
        first.fields["verify"].line,
        first.fields["verify"].column,
    )
    assert "FR-1" == first.fields["requirements"].text
    assert (True, "`make test`") == (gate.verify, gate.fields["verify"].text)
    assert "V1" == last.id


def test_kiro_tasks_have_subtasks():
    parent, child = parse("tasks.md", "- [ ] 1. Build\n  - [ ] 1.1 Write\n    - _Requirements: 1.1_\n").tasks

    assert (True, False) == (parent.has_children, child.has_children)
    assert ("1", "1.1") == (parent.id, child.id)


def test_spec_kit_tasks_say_what_they_wait_for():
    (task,) = parse("tasks.md", "- [ ] T012 [P] [US1] Write src/a.py (depends on T010, T011)\n").tasks

    assert ("T012", ("T010", "T011"), True) == (task.id, task.depends_on, task.parallel)


def test_a_task_file_is_one_task():
    text = '---\ntask: 2\nstatus: complete\nbackpressure: "go test ./..."\ndepends_on: [1]\n---\n# Types\n'
    (task,) = parse("specs/tasks/a/02-types.md", text).tasks

    assert ("2", "Types", True, ("1",)) == (task.id, task.title, task.checked, task.depends_on)
    assert ("go test ./...", 4) == (task.fields["verify"].text, task.fields["verify"].line)


def test_a_plan_table_lists_tasks():
    text = "| # | Task | Dependencies | Backpressure |\n|-|-|-|-|\n| 1 | a | None | `make` |\n| 2 | b | #1 | `make` |\n"
    first, second = parse("plan.md", text).tasks

    assert (("1", ()), ("2", ("1",))) == ((first.id, first.depends_on), (second.id, second.depends_on))


def test_headings_can_be_tasks():
    (task,) = parse("tasks.md", "# Plan\n\n### Task 3: Write it\n\n**Files**: `a.py`\n").tasks

    assert ("3", "Write it", "`a.py`") == (task.id, task.title, task.fields["files"].text)


def test_a_check_point_whose_number_ends_in_x_is_a_task():
    assert ["1.1", "1.X", "2.1"] == [
        task.id for task in parse("tasks.md", "- [x] 1.1 Build\n- [x] 1.X Check point\n- [ ] 2.1 Ship\n").tasks
    ]


def test_the_last_look_at_the_goal_is_a_task():
    text = "- [ ] 1.1 Build\n- [ ] VF [VERIFY] Goal\n  - **Verify**: `make test`\n"
    assert ["1.1", "VF"] == [task.id for task in parse("tasks.md", text).tasks]


def test_an_optional_task_of_kiro_is_a_task():
    first, second = parse("tasks.md", "- [ ] 1.1 Build\n- [ ]* 1.2 Write more tests\n").tasks
    assert ("1.2", "Write more tests", False) == (second.id, second.title, second.checked)
    assert first.id == "1.1"


UNNUMBERED = """\
# Work

## Reading

- [x] Read the header
  - keep the rest
  - [ ] and its comment
- [ ] Refuse an empty file

## Writing

- [ ] Write the header
"""


def test_tasks_without_numbers_are_counted_section_by_section():
    tasks = parse("openspec/changes/io/tasks.md", UNNUMBERED).tasks
    assert [("1.1", "Read the header", True), ("1.2", "Refuse an empty file", False), ("2.1", "Write the header", False)] == [
        (task.id, task.title, task.checked) for task in tasks
    ]  # fmt: skip
    assert all(task.implied for task in tasks)


def test_a_check_list_in_another_document_holds_no_tasks():
    assert () == parse("docs/release.md", UNNUMBERED).tasks


def test_what_has_no_number_is_a_step_where_others_have_one():
    text = "- [ ] 1.1 Build\n  - [ ] write\n- [ ] CI is green\n"
    assert ["1.1"] == [task.id for task in parse("tasks.md", text).tasks]
