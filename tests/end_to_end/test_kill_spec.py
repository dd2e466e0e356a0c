"""After `kill -9` at any point of a spec's tasks they go on, come to the same end, and nothing is paid for twice."""

from __future__ import annotations

import pytest
from killing import NOTE_THE_CALL, killed_at, run_to_the_end

from kill_points import points
from project import Project
from reviewloop.errors import ExitCode

APPENDS = {"every": 18, "final": 14}
CALLS = {"every": ("author:0", "author:1", "review:1", "review:2"), "final": ()}
SAMPLES = {"every": 4, "final": 2}
POINTS = [
    (when, point) for when, count in APPENDS.items() for point in points(count, *CALLS[when], sample=SAMPLES[when])
]
TASKS = "- [ ] 1.1 Write\n  - **Verify**: `test -s code.py`\n- [ ] 1.2 Go on\n  - **Verify**: `grep -q 'version 0' code.py`\n"
TABLE = "| # | Dimension | Status | Finding |\n|---|---|---|---|\n"


def prepare(project: Project) -> None:
    """Two tasks with checks of their own; the first review of each session asks for a revision."""
    rows = "".join(
        f"| 1 | {one} | PASS | ok |\n" for one in ("Alignment", "Correctness", "Completeness", "No hallucinations")
    )
    (project.tools / "pass").write_text(f"{TABLE}{rows}\nREVIEW_PASS\n")
    (project.tools / "fail").write_text(f"{TABLE}{rows.replace('PASS', 'FAIL', 1)}\nREVIEW_FAIL\n")
    say = f'if [ "$REVIEWLOOP_ITERATION" = 1 ]; then cat "{project.tools}/fail"; else cat "{project.tools}/pass"; fi'
    project.agent("dev", f'sleep 0.05; echo "version $REVIEWLOOP_ITERATION" >> code.py; {NOTE_THE_CALL}')
    project.agent("critic", f"sleep 0.05; {say}; {NOTE_THE_CALL}")
    project.configure(author="dev", reviewer="critic")
    project.write("specs/export/tasks.md", TASKS)


def check_the_end(project: Project, when: str) -> None:
    versions = {"every": "0101", "final": "001"}[when]
    assert "".join(f"version {number}\n" for number in versions) == project.read("code.py")
    assert TASKS.replace("[ ]", "[x]") == project.read("specs/export/tasks.md")


def work(when: str) -> tuple[str, ...]:
    return "work", "--spec", "export", "--review", when, "-q"


def go_on(project: Project, when: str) -> None:
    assert ExitCode.PASSED == project.cli(*work(when)).exit_code


@pytest.mark.slow
@pytest.mark.parametrize("when", APPENDS)
def test_the_undisturbed_run(project: Project, when: str):
    prepare(project)
    run_to_the_end(project, APPENDS[when], *work(when))
    check_the_end(project, when)


@pytest.mark.slow
@pytest.mark.parametrize(("when", "point"), POINTS)
def test_kill_and_go_on(project: Project, when: str, point: str):
    prepare(project)
    with killed_at(point, project, *work(when)):
        go_on(project, when)
    check_the_end(project, when)


LEFT_OPEN = """\
- [x] 1.1 Write
  - **Verify**: `test -s code.py`
- [x] 1.2 Go on
  - **Verify**: `grep -q 'version 0' code.py`
- [x] 1.2.1 [FIX 1.2] Fix: nothing is said
  - **Do**: Fix the open review findings on 1.2
    1. nothing is said
  - **Done when**: A review reports none of these findings
  - **Verify**: `grep -q 'version 0' code.py`
  - **Commit**: `fix(export): resolve review findings on 1.2`
"""
APPENDS_LEFT_OPEN, REVIEW_ENDS = 25, 17


def prepare_left_open(project: Project) -> None:
    """The same tasks, reviewed together by somebody who is never content with them, but with what fixes them."""
    prepare(project)
    (project.tools / "fail").write_text(
        (project.tools / "fail").read_text().replace("FAIL | ok", "FAIL | nothing is said")
    )
    content = f'case "$REVIEWLOOP_SESSION" in export-review-1.2-*) F=fail;; *) F=pass;; esac; cat "{project.tools}/$F"'
    project.agent("critic", f"sleep 0.05; {content}; {NOTE_THE_CALL}")
    project.configure(author="dev", reviewer="critic")


def check_what_was_left_open(project: Project) -> None:
    assert "".join(f"version {number}\n" for number in "00120") == project.read("code.py")
    assert LEFT_OPEN == project.read("specs/export/tasks.md")
    entries = [line for line in project.read("specs/export/.progress.md").splitlines() if line.startswith("- Task: ")]
    assert ["- Task: export-review-1.2"] * 3 + ["- Task: export-review-1.2.1"] == entries


@pytest.mark.slow
def test_what_a_review_of_all_tasks_left_open_is_fixed(project: Project):
    prepare_left_open(project)
    run_to_the_end(project, APPENDS_LEFT_OPEN, *work("final"))
    check_what_was_left_open(project)


@pytest.mark.slow
@pytest.mark.parametrize("point", points(APPENDS_LEFT_OPEN, start=REVIEW_ENDS, sample=1))
def test_kill_after_a_review_of_all_tasks_and_go_on(project: Project, point: str):
    prepare_left_open(project)
    with killed_at(point, project, *work("final")):
        go_on(project, "final")
    check_what_was_left_open(project)


@pytest.mark.slow
def test_what_was_left_open_in_a_task_that_is_another_since_is_for_people(project: Project):
    prepare_left_open(project)
    with killed_at(f"after:{REVIEW_ENDS}", project, *work("final")):
        changed = project.read("specs/export/tasks.md").replace("1.2 Go on", "1.2 Go on, but slowly")
        project.write("specs/export/tasks.md", changed)
        go_on(project, "final")
    assert changed == project.read("specs/export/tasks.md")
    noted = project.read("specs/export/.progress.md").partition("## Review Suggestions")[2]
    assert ("### Task 1.2\n" in noted, noted.endswith("- nothing is said\n")) == (True, True)
