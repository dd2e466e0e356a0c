"""An undo that is killed at any point is finished by the next `undo`, `resume`, `run` or `work`: all files or none."""

from __future__ import annotations

from collections import Counter

import pytest
from killing import killed_at, run_to_the_end

from project import SPEC, Project, failing, passing
from reviewloop.errors import ExitCode

APPENDS, FILES = 2, 4
POINTS = ["before:1", "after:1", "before:2", "after:2", *(f"file:{number}" for number in range(1, FILES + 1))]
REVISED = "Revised.\n"
TASKS = "- [x] 1. Both\n  - [ ] 1.1 Write\n    - **Verify**: `true`\n"


def configure(project: Project) -> None:
    """An author that changes two files, deletes one and creates one."""
    (project.root / "spec.md").unlink()
    for name in ("a", "b", "c"):
        project.write(f"specs/{name}.md", SPEC.replace("FR-", f"FR-{ord(name)}"))
    project.reviewer(failing("The CSV dialect is not said", section="Design"), passing())
    edit = "for f in specs/a.md specs/b.md; do echo Revised. >> $f; done; rm specs/c.md; cp specs/a.md specs/d.md"
    project.author(f"sleep 0.05; {edit}")
    project.configure()


def prepare(project: Project) -> None:
    """A session with that author's work in it, which passed."""
    configure(project)
    assert ExitCode.PASSED == project.run("specs").exit_code


def files(project: Project) -> dict[str, bool]:
    """The documents there, and whether they are revised."""
    return {path.name: path.read_text().endswith(REVISED) for path in sorted((project.root / "specs").glob("*.md"))}


BEFORE = {"a.md": False, "b.md": False, "c.md": False}


def count(project: Project, *kinds: str) -> list[int]:
    counts = Counter(project.event_types())
    return [counts[kind] for kind in kinds]


@pytest.mark.slow
def test_the_undisturbed_undo(project: Project):
    prepare(project)
    run_to_the_end(project, APPENDS, "undo", "specs")
    assert (BEFORE, [1, 1]) == (files(project), count(project, "undo_begun", "undone"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "point"),
    [
        *(("undo", point) for point in POINTS),
        *((command, point) for command in ("resume", "run") for point in ("after:1", "file:2", "before:2")),
    ],
)
def test_kill_and_go_on(project: Project, command: str, point: str):
    prepare(project)
    with killed_at(point, project, "undo", "specs"):
        if point not in ("before:1", "after:2"):
            assert "undo interrupted" in project.cli("status").stdout
            assert "continue: reviewloop undo specs" in project.cli("status", "specs").stdout
        result = project.cli(command, "specs")
    assert (BEFORE, [1, 1]) == (files(project), count(project, "undo_begun", "undone")), result.stderr
    assert [2 if command == "run" else 1] == count(project, "started"), "a run goes on with a session of its own"


@pytest.mark.slow
@pytest.mark.parametrize("point", ["after:1", "file:1", "file:2", "file:3", "before:2", "after:2"])
def test_a_task_whose_undo_was_killed_is_never_half_done(project: Project, point: str):
    project.agent("dev", "echo 1 >> a.py; echo 2 >> b.py")
    project.configure(author="dev")
    project.write("specs/x/tasks.md", TASKS)
    work = ("work", "--spec", "x", "--review", "final", "-q")
    assert ExitCode.PASSED == project.cli(*work).exit_code
    done = project.read("specs/x/tasks.md")
    with killed_at(point, project, "undo", "x-1.1"):
        assert ExitCode.PASSED == project.cli(*work).exit_code
    assert ("1\n", "2\n", done) == (project.read("a.py"), project.read("b.py"), project.read("specs/x/tasks.md"))
    cut_short = point == "after:1"  # the task is done as it was, until somebody finishes the undo
    assert [0 if cut_short else 1] == count(project, "undone")
    if cut_short:
        assert ExitCode.PASSED == project.cli("undo", "x-1.1").exit_code
        assert (False, TASKS.replace("[x]", "[ ]")) == (
            (project.root / "a.py").exists(),
            project.read("specs/x/tasks.md"),
        )


@pytest.mark.slow
def test_a_file_that_is_edited_before_the_undo_is_finished_calls_it_off_as_a_whole(project: Project):
    prepare(project)
    with killed_at("file:2", project, "undo", "specs"):
        revised = files(project)
        assert BEFORE != revised
        last = next(name for name, is_revised in revised.items() if is_revised)
        project.write(f"specs/{last}", "# Mine\n")
        result = project.cli("resume", "specs")
    assert ExitCode.USAGE == result.exit_code
    assert f"nothing was undone: specs/{last} changed meanwhile" in result.stderr
    assert {"a.md": True, "b.md": True, "d.md": True} | {last: False} == files(project), "the author's work is back"
    assert "passed" == project.cli("status", "specs", "--json").session["outcome"]
    assert [1, 1, 0] == count(project, "undo_begun", "undo_stopped", "undone")
    refused = project.cli("undo", "specs")
    assert (ExitCode.USAGE, True) == (refused.exit_code, f"specs/{last} changed since" in refused.stderr)


@pytest.mark.slow
@pytest.mark.parametrize(
    "point", ["call:author:1", "before:3", "after:3", "file:1", "file:3", "file:4", "before:4", "after:4"]
)
def test_a_run_that_was_killed_around_its_authors_work_can_be_undone(project: Project, point: str):
    """Whether nothing, some or all of the author's work had reached the tree: afterwards nothing of it is there."""
    configure(project)
    with killed_at(point, project, "run", "specs"):
        result = project.cli("undo", "specs")
    assert (ExitCode.PASSED, BEFORE) == (result.exit_code, files(project)), result.stderr
    on_record = "authored" in project.event_types()
    assert ("undone" if on_record else None) == project.cli("status", "specs", "--json").session["outcome"]
