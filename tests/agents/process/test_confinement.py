from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from agent_programs import shell

from reviewloop.agents.process import processes
from reviewloop.agents.process.confinement import confinement
from reviewloop.agents.process.processes import Completed

needs_landlock = pytest.mark.skipif(confinement() is None, reason="this machine cannot confine a program")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The user's tree, some levels down."""
    project = tmp_path / "home" / "me" / "project"
    (project / "docs").mkdir(parents=True)
    (project / "spec.md").write_text("# Spec\n")
    (project / "docs" / "notes.md").write_text("notes\n")
    return project


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    return scratch


def run(program: list[str], scratch: Path, project: Path, **env: str) -> Completed:
    environment = {"PATH": os.environ["PATH"], "PROJECT": str(project), **env}
    return asyncio.run(processes.run(program, stdin="", cwd=scratch, env=environment, timeout=60, confine=project))


def tree(directory: Path) -> dict[str, str | None]:
    paths = sorted(directory.rglob("*"))
    return {str(path.relative_to(directory)): path.read_text() if path.is_file() else None for path in paths}


@needs_landlock
@pytest.mark.parametrize(
    "attempt",
    [
        pytest.param('echo x > "$PROJECT/spec.md"', id="overwrite"),
        pytest.param('echo x >> "$PROJECT/spec.md"', id="append"),
        pytest.param('truncate -s 0 "$PROJECT/spec.md"', id="truncate"),
        pytest.param('rm -f "$PROJECT/spec.md"', id="delete"),
        pytest.param('echo x > "$PROJECT/docs/new.md"', id="create"),
        pytest.param('mkdir "$PROJECT/docs/more"', id="make a directory"),
        pytest.param('rmdir "$PROJECT/docs" || rm -r "$PROJECT/docs"', id="remove a directory"),
        pytest.param('ln -s /etc "$PROJECT/link"', id="make a link"),
        pytest.param('mkfifo "$PROJECT/pipe"', id="make a pipe"),
        pytest.param('mv "$PROJECT/spec.md" "$PROJECT/old.md"', id="rename"),
        pytest.param('echo x > mine && mv mine "$PROJECT/spec.md"', id="move in"),
        pytest.param('mv "$PROJECT/spec.md" mine', id="move out"),
        pytest.param('ln "$PROJECT/spec.md" mine && echo x > mine', id="write through a hard link"),
        pytest.param('ln -s "$PROJECT" way && echo x > way/spec.md', id="write through a symbolic link"),
        pytest.param('mv "$PROJECT" "$PROJECT.old"', id="move it all away"),
        pytest.param('setsid -w sh -c "echo x > $PROJECT/spec.md"', id="through a child"),
        pytest.param('cd "$PROJECT" && echo x > spec.md', id="from inside"),
    ],
)
def test_the_users_tree_cannot_be_changed(tmp_path: Path, project: Path, scratch: Path, attempt: str) -> None:
    before = tree(project)

    done = run(shell(tmp_path, attempt), scratch, project)

    assert done.returncode != 0
    assert before == tree(project)


def test_it_can_be_read_and_everything_else_can_be_written(tmp_path: Path, project: Path, scratch: Path) -> None:
    beside = project.parent / "beside"
    beside.mkdir()
    note = project.parent.parent / "note"
    note.write_text("old")
    program = shell(
        tmp_path,
        f'set -e; cat "$PROJECT/docs/notes.md"; echo x > here; mkdir there; mv here there/; echo x > {beside}/file; '
        f"mv there/here {beside}/; echo new > {note}; echo x > /dev/null",
    )

    assert ("notes\n", "", 0) == ((done := run(program, scratch, project)).stdout, done.stderr, done.returncode)
    assert {"file": "x\n", "here": "x\n"} == tree(beside)
    assert "new\n" == note.read_text()


@needs_landlock
def test_nothing_new_can_be_put_right_above_the_tree(tmp_path: Path, project: Path, scratch: Path) -> None:
    done = run(shell(tmp_path, 'echo x > "$PROJECT/../file"'), scratch, project)

    assert done.returncode != 0
    assert ["project"] == [path.name for path in project.parent.iterdir()]


@needs_landlock
def test_a_tree_given_by_a_symbolic_link_is_protected_where_it_really_is(
    tmp_path: Path, project: Path, scratch: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(project)

    done = run(shell(tmp_path, f"echo x > {project}/spec.md"), scratch, link)

    assert done.returncode != 0
    assert "# Spec\n" == (project / "spec.md").read_text()


@pytest.mark.skipif(confinement() is not None, reason="this machine can confine a program")
def test_without_landlock_the_program_simply_runs(tmp_path: Path, project: Path, scratch: Path) -> None:
    assert 0 == run(shell(tmp_path, 'echo x > "$PROJECT/spec.md"'), scratch, project).returncode


@pytest.mark.parametrize(("ending", "code"), [("exit 0", 0), ("exit 42", 42), ("kill -9 $$", -9), ("kill $$", -15)])
def test_a_confined_programs_ending_comes_through(
    tmp_path: Path, project: Path, scratch: Path, ending: str, code: int
) -> None:
    assert code == run(shell(tmp_path, ending), scratch, project).returncode


def test_arguments_and_environment_come_through(tmp_path: Path, project: Path, scratch: Path) -> None:
    program = [*shell(tmp_path, 'printf "%s|" "$@" "$MINE"'), "--", "--parent", "two words", ""]

    assert "--|--parent|two words||ö|" == run(program, scratch, project, MINE="ö", LC_ALL="C.UTF-8").stdout
