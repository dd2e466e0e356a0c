"""Authors that work in the user's own tree: a snapshot first, and nothing that is ever taken back by force."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from workspace_samples import Tree, change_of, without_modes

from reviewloop.core.types.artifact import digest_of
from reviewloop.errors import WorkspaceError
from reviewloop.ports import Conflict, Work
from reviewloop.workspace.file_listing import Caps
from reviewloop.workspace.in_place import InPlace
from reviewloop.workspace.project import ProjectWorkspace


@pytest.fixture(params=["git", "folder"])
def project(tree: Tree, request: pytest.FixtureRequest) -> ProjectWorkspace:
    tree.write("specs/spec.md", "old\n")
    tree.write("specs/other.md", "other\r\n")
    tree.write('odd "name"\n.txt', "odd\n")
    (tree.root / "link").symlink_to("specs/spec.md")
    if request.param == "git":
        tree.write(".gitattributes", "*.md text eol=lf\n")
        tree.write(".gitignore", "node_modules/\n")
        tree.commit()
    tree.write("node_modules/x.js", "x\n")
    return tree.workspace("specs", in_place=True)


def author(workspace: ProjectWorkspace, command: str, *, fails: bool = False) -> tuple[InPlace, Work]:
    async def run() -> tuple[InPlace, Work]:
        async with workspace.scratch(await workspace.read()) as scratch:
            assert isinstance(scratch, InPlace)
            shell = await asyncio.create_subprocess_shell(command, cwd=scratch.directory)
            await shell.wait()
            if fails:
                raise RuntimeError
            return scratch, await scratch.work()

    return asyncio.run(run())


def test_the_author_works_in_the_tree_itself_and_its_work_is_found(tree: Tree, project: ProjectWorkspace) -> None:
    scratch, found = author(
        project, "echo new > specs/spec.md; echo x > specs/fresh.md; rm specs/other.md; echo x > a.py; ln -sf a.py link"
    )

    assert (tree.root, False) == (scratch.directory, scratch.interrupted)
    assert (
        (
            change_of("specs/fresh.md", None, "x\n"),
            change_of("specs/other.md", "other\r\n", None),
            change_of("specs/spec.md", "old\n", "new\n"),
        ),
        ("a.py", "link"),
    ) == (without_modes(found.changes), found.refused)
    assert b"other\r\n" == found.blobs[digest_of("other\r\n")]


def test_bringing_back_finds_everything_there_already(tree: Tree, project: ProjectWorkspace) -> None:
    _, found = author(project, "echo new > specs/spec.md")
    before = tree.files()

    assert None is asyncio.run(project.bring_back(found.changes, found.blobs))

    records = {path for path in before.keys() - tree.files().keys() if not path.startswith(".reviewloop/")}
    assert (set(), b"new\n") == (records, tree.read("specs/spec.md"))
    assert [] == [
        path for path in (tree.root / ".reviewloop").rglob("*") if path.is_file() and path.name != ".gitignore"
    ]


def test_an_interrupted_author_leaves_its_work_and_the_next_one_is_told(tree: Tree, project: ProjectWorkspace) -> None:
    with pytest.raises(RuntimeError):
        author(project, "echo half > specs/spec.md", fails=True)
    assert b"half\n" == tree.read("specs/spec.md")

    scratch, found = author(project, "echo x > specs/fresh.md")

    assert scratch.interrupted
    assert (change_of("specs/fresh.md", None, "x\n"), change_of("specs/spec.md", "old\n", "half\n")) == without_modes(
        found.changes
    )
    asyncio.run(project.bring_back(found.changes, found.blobs))
    after, nothing = author(project, "true")
    assert (False, ()) == (after.interrupted, nothing.changes)


def test_the_users_index_branch_and_stash_stay_as_they_are(tree: Tree) -> None:
    tree.write("specs/spec.md", "old\n")
    tree.commit()
    tree.write("staged.py", "1\n")
    tree.git("add", "staged.py")
    tree.write("specs/spec.md", "not committed\n")
    state = [tree.git("status", "--porcelain"), tree.git("stash", "list"), tree.git("for-each-ref")]
    index = (tree.root / ".git/index").read_bytes()

    scratch, found = author(tree.workspace("specs", in_place=True), "true")

    assert () == found.changes
    assert index == (tree.root / ".git/index").read_bytes()
    tree_object = scratch.snapshot.removeprefix("tree:")
    assert "not committed" == tree.git("show", f"{tree_object}:specs/spec.md")
    (tree.root / ".reviewloop").rename(tree.root.parent / "aside")
    assert state == [tree.git("status", "--porcelain"), tree.git("stash", "list"), tree.git("for-each-ref")]


def test_an_author_without_hands_writes_in_place(tree: Tree, project: ProjectWorkspace) -> None:
    async def run() -> Work:
        async with project.scratch(await project.read()) as scratch:
            await scratch.write({"specs/spec.md": "new\n", "specs/other.md": "more\n", "../x": "x", ".env": "x"})
            return await scratch.work()

    found = asyncio.run(run())

    assert ((b"new\n", b"more\r\n"), ("../x", ".env")) == (
        (tree.read("specs/spec.md"), tree.read("specs/other.md")),
        found.refused,
    )
    assert not (tree.root.parent / "x").exists()


def test_writing_through_a_link_is_a_conflict(tree: Tree, tmp_path: Path) -> None:
    tree.write("specs/spec.md", "old\n")
    (tmp_path / "outside").mkdir()
    (tree.root / "out").symlink_to(tmp_path / "outside")
    workspace = tree.workspace("specs", in_place=True)

    async def run() -> None:
        async with workspace.scratch(await workspace.read()) as scratch:
            await scratch.write({"out/x.md": "x"})

    with pytest.raises(WorkspaceError, match="could not be written in place"):
        asyncio.run(run())
    assert [] == list((tmp_path / "outside").iterdir())


def test_a_project_that_is_too_large_has_no_snapshot_and_no_author_in_place(tree: Tree) -> None:
    tree.write("specs/spec.md")
    tree.write("other.md")

    with pytest.raises(WorkspaceError, match="too large for a snapshot"):
        author(tree.workspace("specs", in_place=True, caps=Caps(files_outside_git=1)), "true")


def test_the_user_going_on_after_the_author_is_a_conflict(tree: Tree, project: ProjectWorkspace) -> None:
    _, found = author(project, "echo new > specs/spec.md")
    tree.write("specs/spec.md", "the user's\n")

    conflict = asyncio.run(project.bring_back(found.changes, found.blobs))

    assert isinstance(conflict, Conflict)
    assert (b"the user's\n", b"new\n") == (
        tree.read("specs/spec.md"),
        tree.read(f"{conflict.kept_at}/specs/spec.md"),
    )


def test_permission_bits_are_on_record_also_after_an_interruption(tree: Tree, project: ProjectWorkspace) -> None:
    (tree.root / "specs/spec.md").chmod(0o600)
    (tree.root / "specs/other.md").chmod(0o640)
    with pytest.raises(RuntimeError):
        author(project, "rm specs/other.md; chmod 755 specs/spec.md", fails=True)

    _, found = author(project, "echo new > specs/spec.md")

    assert {"specs/spec.md": 0o600, "specs/other.md": 0o640} == {
        change.path: change.mode_before for change in found.changes
    }
