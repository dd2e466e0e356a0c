"""After `kill -9` at any point of a spec's tasks they go on, come to the same end, and nothing is paid for twice."""

from __future__ import annotations

import signal
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from project import PYTHON, Project
from reviewloop.errors import ExitCode

DYING = Path(__file__).with_name("dying_work.py")
APPENDS = {"every": 18, "final": 14}
"""How often an undisturbed run writes; a test below keeps it true."""

POINTS = [
    (when, f"{side}:{number}")
    for when, count in APPENDS.items()
    for number in range(1, count + 1)
    for side in ("before", "after")
]
POINTS += [("every", point) for point in ("call:author:0", "call:author:1", "call:review:1", "call:review:2")]
TASKS = "- [ ] 1.1 Write\n  - **Verify**: `test -s code.py`\n- [ ] 1.2 Go on\n  - **Verify**: `grep -q 'version 0' code.py`\n"
TABLE = "| # | Dimension | Status | Finding |\n|---|---|---|---|\n"


def prepare(project: Project) -> None:
    """Two tasks with checks of their own; the first review of each session asks for a revision."""
    done = 'echo "$REVIEWLOOP_SESSION" "$REVIEWLOOP_ROLE" "$REVIEWLOOP_ITERATION" >> "$TOLD/calls"'
    rows = "".join(
        f"| 1 | {one} | PASS | ok |\n" for one in ("Alignment", "Correctness", "Completeness", "No hallucinations")
    )
    (project.tools / "pass").write_text(f"{TABLE}{rows}\nREVIEW_PASS\n")
    (project.tools / "fail").write_text(f"{TABLE}{rows.replace('PASS', 'FAIL', 1)}\nREVIEW_FAIL\n")
    say = f'if [ "$REVIEWLOOP_ITERATION" = 1 ]; then cat "{project.tools}/fail"; else cat "{project.tools}/pass"; fi'
    project.agent("dev", f'sleep 0.05; echo "version $REVIEWLOOP_ITERATION" >> code.py; {done}')
    project.agent("critic", f"sleep 0.05; {say}; {done}")
    project.configure(author="dev", reviewer="critic")
    project.write("specs/export/tasks.md", TASKS)


def run_until(project: Project, when: str, point: str) -> subprocess.CompletedProcess[str]:
    command = [PYTHON, str(DYING), point, "export", when]
    return subprocess.run(command, cwd=project.root, capture_output=True, text=True, timeout=60, check=False)


def ended_calls(project: Project) -> Counter[str]:
    """Calls whose answer is on record, as the agents call them."""
    roles = {"spec.review.answered": "review", "spec.review.authored": "author"}
    found = [event for event in project.events() if event["type"] in roles]
    return Counter(f"{one['session']} {roles[one['type']]} {one['payload']['iteration']}" for one in found)


def made_calls(project: Project) -> Counter[str]:
    calls = project.told / "calls"
    return Counter(calls.read_text().splitlines() if calls.exists() else [])


def check_the_end(project: Project, when: str) -> None:
    versions = {"every": "0101", "final": "001"}[when]
    assert "".join(f"version {number}\n" for number in versions) == project.read("code.py")
    assert TASKS.replace("[ ]", "[x]") == project.read("specs/export/tasks.md")


@pytest.mark.slow
@pytest.mark.parametrize("when", APPENDS)
def test_the_undisturbed_run(project: Project, when: str):
    prepare(project)
    done = run_until(project, when, "never")
    assert (0, f"{APPENDS[when]}\n") == (done.returncode, done.stdout), done.stderr
    check_the_end(project, when)


@pytest.mark.slow
@pytest.mark.parametrize(("when", "point"), POINTS)
def test_kill_and_go_on(project: Project, when: str, point: str):
    prepare(project)
    killed = run_until(project, when, point)
    assert -signal.SIGKILL == killed.returncode, killed.stderr
    on_record, already_made = ended_calls(project), made_calls(project)
    assert ExitCode.PASSED == project.cli("work", "--spec", "export", "--review", when, "-q").exit_code
    check_the_end(project, when)
    assert max(ended_calls(project).values()) == 1
    assert not set(made_calls(project) - already_made) & set(on_record), "a completed call was made again"


LEFT_OPEN = """\
- [x] 1.1 Write
  - **Verify**: `test -s code.py`
- [x] 1.2 Go on
  - **Verify**: `grep -q 'version 0' code.py`
- [x] 1.2.1 [FIX 1.2] Fix: nothing is said
  - **Do**: Settle what the review of 1.2 still found
    1. nothing is said
  - **Done when**: A review finds none of it any more
  - **Verify**: `grep -q 'version 0' code.py`
  - **Commit**: `fix(export): settle the review of 1.2`
"""
APPENDS_LEFT_OPEN, REVIEW_ENDS = 25, 17
FROM_ITS_END_ON = [
    f"{side}:{number}" for number in range(REVIEW_ENDS, APPENDS_LEFT_OPEN + 1) for side in ("before", "after")
]


def prepare_left_open(project: Project) -> None:
    """The same tasks, reviewed together by somebody who is never content with them, but with what fixes them."""
    prepare(project)
    (project.tools / "fail").write_text(
        (project.tools / "fail").read_text().replace("FAIL | ok", "FAIL | nothing is said")
    )
    content = f'case "$REVIEWLOOP_SESSION" in export-review-1.2-*) F=fail;; *) F=pass;; esac; cat "{project.tools}/$F"'
    project.agent("critic", f"sleep 0.05; {content}")
    project.configure(author="dev", reviewer="critic")


def check_what_was_left_open(project: Project) -> None:
    assert "".join(f"version {number}\n" for number in "00120") == project.read("code.py")
    assert LEFT_OPEN == project.read("specs/export/tasks.md")
    entries = [line for line in project.read("specs/export/.progress.md").splitlines() if line.startswith("- Task: ")]
    assert ["- Task: export-review-1.2"] * 3 + ["- Task: export-review-1.2.1"] == entries


@pytest.mark.slow
def test_what_a_review_of_all_tasks_left_open_is_fixed(project: Project):
    prepare_left_open(project)
    done = run_until(project, "final", "never")
    assert (0, f"{APPENDS_LEFT_OPEN}\n") == (done.returncode, done.stdout), done.stderr
    check_what_was_left_open(project)


@pytest.mark.slow
@pytest.mark.parametrize("point", FROM_ITS_END_ON)
def test_kill_after_a_review_of_all_tasks_and_go_on(project: Project, point: str):
    prepare_left_open(project)
    killed = run_until(project, "final", point)
    assert -signal.SIGKILL == killed.returncode, killed.stderr
    assert ExitCode.PASSED == project.cli("work", "--spec", "export", "--review", "final", "-q").exit_code
    check_what_was_left_open(project)


@pytest.mark.slow
def test_what_was_left_open_in_a_task_that_is_another_since_is_for_people(project: Project):
    prepare_left_open(project)
    run_until(project, "final", f"after:{REVIEW_ENDS}")
    changed = project.read("specs/export/tasks.md").replace("1.2 Go on", "1.2 Go on, but slowly")
    project.write("specs/export/tasks.md", changed)
    assert ExitCode.PASSED == project.cli("work", "--spec", "export", "-q").exit_code
    assert changed == project.read("specs/export/tasks.md")
    noted = project.read("specs/export/.progress.md").partition("## Review Suggestions")[2]
    assert ("### Task 1.2\n" in noted, noted.endswith("- nothing is said\n")) == (True, True)
