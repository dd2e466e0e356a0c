"""An author's scratch workspace: what it did there, and which part of that may reach the user's tree."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from workspace_samples import SPEC, Tree, change_of, without_modes

from reviewloop.core.types.artifact import Kind, digest_of
from reviewloop.errors import WorkspaceError
from reviewloop.ports import Work
from reviewloop.workspace.project import ProjectWorkspace

BETTER = "# Export\n\nRows are written as CSV, 10,000 in 5 s.\n"


def work(workspace: ProjectWorkspace, command: str = "true", edits: dict[str, str | None] | None = None) -> Work:
    """What an author comes to that runs a shell command, or says what it wants."""

    async def author() -> Work:
        async with workspace.scratch(await workspace.read()) as scratch:
            shell = await asyncio.create_subprocess_shell(command, cwd=scratch.directory)
            assert 0 == await shell.wait()
            await scratch.write(edits or {})
            return await scratch.work()

    return asyncio.run(author())


def paths(found: Work) -> list[str]:
    return [change.path for change in found.changes]


def test_an_edit_is_found_with_both_versions_and_the_users_file_stays(tree: Tree) -> None:
    tree.write("spec.md")
    tree.write("prd.md")
    (tree.root / "spec.md").chmod(0o640)

    found = work(tree.workspace("spec.md"), f"printf '{BETTER}' > spec.md")

    assert (
        Work(
            changes=(replace(change_of("spec.md", SPEC, BETTER), mode_before=0o640),),
            blobs={digest_of(SPEC): SPEC.encode(), digest_of(BETTER): BETTER.encode()},
        )
        == found
    )
    assert SPEC.encode() == tree.read("spec.md")


def test_an_author_without_hands_says_what_it_wants(tree: Tree) -> None:
    tree.write("spec.md")

    assert (change_of("spec.md", SPEC, BETTER),) == without_modes(
        work(tree.workspace("spec.md"), edits={"./spec.md": BETTER}).changes
    )


def test_a_file_that_is_only_touched_is_no_change(tree: Tree) -> None:
    tree.write("spec.md")

    assert Work() == work(tree.workspace("spec.md"), "touch spec.md; cp spec.md x; mv x spec.md")


def test_an_author_of_a_document_changes_that_document_only(tree: Tree) -> None:
    for path in ("spec.md", "prd.md", "src/app.py", "src/old.py"):
        tree.write(path)
    tree.commit()

    found = work(
        tree.workspace("spec.md"),
        "echo x >> spec.md; echo x >> prd.md; rm src/old.py; echo x > new.md; mkdir -p a/b; echo x > a/b/c; echo x > a/d",
    )

    assert (["spec.md"], ("a/", "new.md", "prd.md", "src/old.py")) == (paths(found), found.refused)


def test_a_folder_may_get_new_documents_and_lose_old_ones(tree: Tree) -> None:
    for path in ("specs/a.md", "specs/b.md"):
        tree.write(path)

    found = work(
        tree.workspace("specs"),
        "echo x > specs/c.md; mkdir specs/d; echo x > specs/d/e.md; rm specs/b.md; echo x > specs/run.sh; "
        "echo x > specs/.hidden.md; echo x > other.md",
    )

    assert (
        (
            change_of("specs/b.md", SPEC, None),
            change_of("specs/c.md", None, "x\n"),
            change_of("specs/d/e.md", None, "x\n"),
        ),
        ("other.md", "specs/.hidden.md", "specs/run.sh"),
    ) == (without_modes(found.changes), found.refused)


@pytest.mark.parametrize(
    "command",
    [
        "rm spec.md",
        ": > spec.md",
        "printf ' \\n' > spec.md",
        "printf '\\377' > spec.md",
        "ln -sf /etc/hostname spec.md",
        "rm spec.md; mkdir spec.md",
        'rm -r "$PWD"',
    ],
)
def test_an_author_that_destroys_the_artifact_has_done_nothing(tree: Tree, command: str) -> None:
    tree.write("spec.md")

    with pytest.raises(WorkspaceError) as caught:
        work(tree.workspace("spec.md"), command)

    assert "your files are unchanged" in (caught.value.hint or "")
    assert {"spec.md": SPEC.encode()} == tree.files()


def test_an_author_that_deletes_all_of_a_folder_has_destroyed_it(tree: Tree) -> None:
    tree.write("specs/a.md")
    tree.write("specs/b.md")

    with pytest.raises(WorkspaceError, match="it deleted all files"):
        work(tree.workspace("specs"), "rm specs/*")


def test_a_named_file_must_stay_also_beside_others(tree: Tree) -> None:
    tree.write("a.md")
    tree.write("b.md")

    with pytest.raises(WorkspaceError, match=r"deleted b\.md"):
        work(tree.workspace("a.md", "b.md"), "rm b.md")


def test_links_of_an_author_are_refused(tree: Tree) -> None:
    for path in ("app.py", "lib/one.py", "lib/two.py"):
        tree.write(path, "1\n")
    (tree.root / "link").symlink_to("app.py")
    tree.commit()
    tree.write("app.py", "2\n")

    found = work(
        tree.change("HEAD"),
        "ln -s /etc/passwd new; ln -sf lib/one.py link; rm -r lib; ln -s /etc lib; ln -sf /etc/passwd app.py",
    )

    assert ([], ("app.py", "lib", "link", "new")) == (paths(found), found.refused)


def test_an_author_of_code_changes_code_but_not_settings_or_build_products(tree: Tree) -> None:
    tree.write("app.py", "1\n")
    tree.write("run.sh", "1\n")
    tree.write("old.py", "1\n")
    tree.write(".gitignore", "target/\n*.log\n")
    tree.commit()
    tree.write("app.py", "2\n")

    found = work(
        tree.change("HEAD"),
        "echo 3 > app.py; chmod +x run.sh; rm old.py; mkdir -p new/dir; echo 1 > new/dir/x.py; "
        "mkdir -p target/a node_modules/b .claude .git; echo 1 > target/a/o; echo 1 > node_modules/b/c; echo 1 > x.log; "
        "echo '{}' > .claude/settings.json; echo > .git/config; echo 1 > .env; echo x >> change.diff",
    )

    assert (
        (
            change_of("app.py", "2\n", "3\n"),
            change_of("new/dir/x.py", None, "1\n"),
            change_of("old.py", "1\n", None),
            change_of("run.sh", "1\n", "1\n", executable=True),
        ),
        (".claude/", ".env", ".git/", "change.diff", "node_modules/", "target/", "x.log"),
    ) == (without_modes(found.changes), found.refused)
    assert {digest_of(text): text.encode() for text in ("1\n", "2\n", "3\n")} == found.blobs


def test_an_endless_file_is_told_before_it_is_read(tree: Tree) -> None:
    tree.write("app.py", "1\n")
    tree.commit()
    tree.write("app.py", "2\n")

    with pytest.raises(WorkspaceError, match="changed more than 100 MB"):
        work(tree.change("HEAD"), "truncate -s 1T app.py || truncate -s 1G app.py")


def test_protected_files_are_refused(tree: Tree) -> None:
    tree.write("app.py", "1\n")
    tree.write("tests/unit/test_app.py", "1\n")
    tree.write("ci.yml", "1\n")
    tree.commit()
    tree.write("app.py", "2\n")
    workspace = tree.change("HEAD", protected=["tests/**", "*.yml"])

    found = work(workspace, "for f in app.py tests/unit/test_app.py ci.yml; do echo 3 > $f; done")

    assert (["app.py"], ("ci.yml", "tests/unit/test_app.py")) == (paths(found), found.refused)


@pytest.mark.parametrize(
    "path",
    ["../spec.md", "/etc/passwd", "a/../../x", "", "a//b", ".claude/settings.json", ".env", "link/x", "spec.md/x"],
)
def test_an_author_without_hands_cannot_reach_out(tree: Tree, path: str) -> None:
    tree.write("spec.md")
    tree.write("docs/a.md")
    (tree.root / "link").symlink_to("docs")

    found = work(tree.workspace("spec.md"), edits={path: "x", "spec.md": BETTER})

    assert (["spec.md"], (path,)) == (paths(found), found.refused)


def test_deleting_what_is_not_there_is_no_change(tree: Tree) -> None:
    tree.write("spec.md")

    assert Work() == work(tree.workspace("spec.md"), edits={"gone.md": None, "no/such.md": None})


def test_an_answer_in_plain_lines_keeps_the_files_own_line_ends(tree: Tree) -> None:
    tree.write("spec.md", b"\xef\xbb\xbf# Export\r\n\r\nCSV.\r\n")

    found = work(tree.workspace("spec.md"), edits={"spec.md": "# Export\n\nCSV and JSON.\n"})

    assert b"\xef\xbb\xbf# Export\r\n\r\nCSV and JSON.\r\n" == found.blobs[found.changes[0].after or ""]


def test_an_author_with_hands_decides_about_line_ends_itself(tree: Tree) -> None:
    tree.write("spec.md", b"# Export\r\n")

    found = work(tree.workspace("spec.md"), "printf '# Export\\nCSV\\r\\n' > spec.md")

    assert b"# Export\nCSV\r\n" == found.blobs[found.changes[0].after or ""]


def test_an_author_works_on_the_text_that_was_reviewed(tree: Tree) -> None:
    tree.write("spec.md")
    workspace = tree.workspace("spec.md")

    async def author() -> Work:
        artifact = await workspace.read()
        tree.write("spec.md", "# The user went on\n")
        async with workspace.scratch(artifact) as scratch:
            await scratch.write({"spec.md": BETTER})
            return await scratch.work()

    found = asyncio.run(author())

    assert (change_of("spec.md", SPEC, BETTER),) == without_modes(found.changes)
    assert SPEC.encode() == found.blobs[digest_of(SPEC)]


def test_two_commits_have_no_author(tree: Tree) -> None:
    tree.write("app.py", "1\n")
    first = tree.commit()
    tree.write("app.py", "2\n")
    second = tree.commit()

    with pytest.raises(WorkspaceError, match="between two commits") as caught:
        work(tree.change(f"{first}..{second}"))

    assert caught.value.hint


def test_a_document_among_an_agents_settings_has_no_author(tree: Tree) -> None:
    tree.write(".claude/plans/spec.md")

    with pytest.raises(WorkspaceError, match="where agents keep their settings"):
        work(tree.workspace(".claude/plans/spec.md", kind=Kind.SPEC))


def test_names_that_are_no_text_are_refused_and_still_told(tree: Tree) -> None:
    tree.write("app.py", "1\n")
    tree.commit()
    tree.write("app.py", "2\n")

    found = work(tree.change("HEAD"), "touch \"$(printf 'caf\\351')\"")

    assert ([], ("caf\\udce9",)) == (paths(found), found.refused)


def test_the_scratch_workspace_is_gone_afterwards(tree: Tree) -> None:
    tree.write("spec.md")

    work(tree.workspace("spec.md"), "mkdir -p a/b; chmod 500 a/b a")

    assert [] == list(tree.temporary.iterdir())
