"""A list of tasks is changed by as little as possible: everything else stays, to the character."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reviewloop.documents import parse
from reviewloop.documents.spec_tasks import read_board
from reviewloop.documents.task_edits import (
    Fix,
    has_box,
    lines_of,
    mark_done,
    mark_open,
    with_all_parents,
    with_fix,
    with_parents,
)

PIECES = (
    "- [ ] 1.1 Write", "- [x] 1.2 Read", "* [ ] 2. Whole", "  - [ ] 2.1 Part", "\t- [ ] 2.2 Tabbed part", "- [-] 3 Begun",
    "- [ ] 1.1 Write", "- [ ] no number", "1. [ ] 4.1 In a numbered list", "> - [ ] 5.1 Quoted", "```", "~~~", "  ```sh", "## Phase 2",
    "  - **Do**: Something", "  - **Verify**: `make`", "", "   ", "text", "<!-- - [ ] 6.1 hidden -->", "| a | b |", "|---|---|", "---",
    "    - [ ] 7.1 far in", "- [ ]* 8.1 Optional", "- [ ]", "\u2028- [ ] 9.1 odd", "\x0b", "caf\u00e9 \U0001f600",
)  # fmt: skip
lists = st.builds(
    lambda lines, ends, final, mark: ("\ufeff" if mark else "") + "".join(f"{a}{b}" for a, b in zip(lines, ends, strict=False)) + final,
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=25),
    st.lists(st.sampled_from(("\n", "\r\n", "\r")), min_size=25, max_size=25),
    st.sampled_from(("", "- [ ] 10.1 Last", "x")),
    st.booleans(),
)  # fmt: skip


@given(lists)
def test_the_lines_with_their_ends_are_the_text_and_are_counted_as_the_parser_counts(text: str):
    lines = lines_of(text)
    assert text == "".join(lines)
    parsed = parse("tasks.md", text).lines
    assert [line.rstrip("\r\n").removeprefix("\ufeff") for line in lines] == list(parsed)[: len(lines)]


@given(lists)
def test_ticking_a_box_changes_one_character_on_the_tasks_line_and_nothing_else(text: str):
    document = parse("tasks.md", text)
    for task in document.tasks:
        after = mark_done(text, document, [task])
        if task.checked or not has_box(document, task):
            assert after == text
            continue
        assert len(text) == len(after)
        (at,) = [index for index, (old, new) in enumerate(zip(text, after, strict=True)) if old != new]
        assert ("x", text[at - 1], text[at + 1]) == (after[at], "[", "]")
        assert task.line == len(lines_of(text[: at + 1]))
        again = parse("tasks.md", after).tasks
        assert [(other.id, other.line, other.checked or other.line == task.line) for other in document.tasks] == [
            (other.id, other.line, other.checked) for other in again
        ]


@given(lists, st.lists(st.text(min_size=1, max_size=60).filter(str.strip), min_size=1, max_size=3))
def test_a_fix_is_put_behind_its_task_as_a_task_and_every_other_character_stays(text: str, findings: list[str]):
    document = parse("tasks.md", text)
    for task in [task for task in document.tasks if has_box(document, task) and not task.implied][:3]:
        after = with_fix(text, document, Fix(of=task, findings=tuple(findings), topic="login", verify="`make`"))
        old, new = lines_of(text), lines_of(after)
        first = next(index for index, line in enumerate(new) if f"[FIX {task.id}]" in line)
        count = 5 + len(findings)
        left = [*new[:first], *new[first + count :]]
        if not old[first - 1].endswith(("\n", "\r")):  # it was the last line, without an end; now the fix is
            left[-1] = left[-1].rstrip("\r\n")
            assert not new[-1].endswith(("\n", "\r"))
        assert old == left
        assert task.line <= first <= max(task.end, task.line)


FIXED = """\
- [x] 1.1 Write
  - **Verify**: `make`
- [ ] 1.1.2 [FIX 1.1] Fix: no code &lt;!-- here
  - **Do**: Fix the open review findings on 1.1
    1. no code &lt;!-- here
    2. no test
  - **Files**: `a.py`
  - **Done when**: A review reports none of these findings
  - **Verify**: `make`
  - **Commit**: `fix(login): resolve review findings on 1.1`
- [ ] 1.1.1 Taken
"""


def test_a_fix_reads_like_the_tasks_around_it():
    text = "- [x] 1.1 Write\n  - **Verify**: `make`\n- [ ] 1.1.1 Taken\n"
    document = parse("tasks.md", text)
    fix = Fix(
        of=document.tasks[0], findings=("no code\n<!-- here", "no test"), topic="login", files="`a.py`", verify="`make`"
    )
    after = with_fix(text, document, fix)
    assert FIXED == after
    entry = read_board({"tasks.md": after}).entries[1]
    assert ("1.1.2", "1.1", "make", ("A review reports none of these findings",)) == (
        entry.number, entry.fixes, entry.script, entry.criteria,
    )  # fmt: skip


def test_the_last_open_part_finishes_what_it_is_part_of():
    text = "- [ ] 1. A\n  - [ ] 1.1 B\n    - [x] 1.1.1 C\n    - [ ] 1.1.2 D\n  - [x] 1.2 E\n- [ ] 2. F\n  - [ ] 2.1 G\n"
    document = parse("tasks.md", text)
    leaf = next(task for task in document.tasks if task.id == "1.1.2")
    assert ["1.1.2", "1.1", "1"] == [task.id for task in with_parents(document.tasks, leaf)]
    still_open = parse("tasks.md", text.replace("[x] 1.2", "[ ] 1.2"))
    leaf = next(task for task in still_open.tasks if task.id == "1.1.2")
    assert ["1.1.2", "1.1"] == [task.id for task in with_parents(still_open.tasks, leaf)]


def test_a_task_files_status_is_changed_in_its_line_or_added():
    for before, after in {
        "---\r\ntask: 1\r\nstatus: 'pending'   # soon\r\nunit: a\r\n---\r\n# A\r\n": "---\r\ntask: 1\r\nstatus: 'complete'   # soon\r\nunit: a\r\n---\r\n# A\r\n",
        "---\ntask: 1\nbackpressure: make\n---\n": "---\ntask: 1\nstatus: complete\nbackpressure: make\n---\n",
        "---\ntask: 1\nstatus: [odd]\nbackpressure: make\n---\n": "---\ntask: 1\nstatus: [odd]\nbackpressure: make\n---\n",
    }.items():
        document = parse("specs/tasks/a/01-a.md", before)
        assert after == mark_done(before, document, document.tasks)


@given(lists)
def test_a_box_that_is_ticked_and_unticked_is_open_and_nothing_else_changed(text: str):
    document = parse("tasks.md", text)
    for task in document.tasks:
        ticked = mark_done(text, document, [task])
        again = mark_open(ticked, parse("tasks.md", ticked), [task])
        where = [index for index, (old, new) in enumerate(zip(text, again, strict=True)) if old != new]
        assert [] == [at for at in where if (again[at], text[at]) not in ((" ", "x"), (" ", "X"), (" ", "-"))]
        assert not has_box(document, task) or not [
            one for one in parse("tasks.md", again).tasks if one.line == task.line and one.checked
        ]


def test_a_part_that_is_open_again_opens_what_it_is_part_of():
    text = "- [x] 1. A\n  - [x] 1.1 B\n    - [X] 1.1.1 C\n    - [x] 1.1.2 D\n  - [x] 1.2 E\n- [x] 2. F\n"
    document = parse("tasks.md", text)
    part = next(task for task in document.tasks if task.id == "1.1.1")
    assert "- [ ] 1. A\n  - [ ] 1.1 B\n    - [ ] 1.1.1 C\n    - [x] 1.1.2 D\n  - [x] 1.2 E\n- [x] 2. F\n" == mark_open(
        text, document, with_all_parents(document.tasks, part)
    )


def test_a_task_files_status_is_pending_again():
    text = "---\ntask: 1\nstatus: 'complete'  # yes\n---\n# A\n"
    document = parse("specs/tasks/a/01-a.md", text)
    assert text.replace("complete", "pending") == mark_open(text, document, document.tasks)
