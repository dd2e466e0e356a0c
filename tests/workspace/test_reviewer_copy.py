"""A reviewer's copy: the project without what agents would run, and an eye on whether it was only read."""

from __future__ import annotations

import asyncio
import os
import stat
from dataclasses import replace

import pytest
from workspace_samples import SPEC, Tree, files_below

from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.errors import WorkspaceError
from reviewloop.ports import Tampering
from reviewloop.workspace.file_listing import Caps
from reviewloop.workspace.project import ProjectWorkspace
from reviewloop.workspace.reserved_names import NEVER_COPIED, never_copied
from target_helpers import locate


def copied(workspace: ProjectWorkspace, artifact: Artifact | None = None) -> dict[str, bytes]:
    async def look() -> dict[str, bytes]:
        async with workspace.review_copy(artifact or await workspace.read()) as copy:
            return files_below(copy.directory)

    return asyncio.run(look())


def tampering(workspace: ProjectWorkspace, *does: tuple[str, str]) -> tuple[Tampering, ...]:
    """What is found after shell commands, each run in the `copy` or in the `tree`."""

    async def review() -> tuple[Tampering, ...]:
        async with workspace.review_copy(await workspace.read()) as copy:
            for where, command in does:
                shell = await asyncio.create_subprocess_shell(
                    command, cwd=copy.directory if where == "copy" else workspace.root
                )
                assert 0 == await shell.wait()
            return await copy.tampered()

    return asyncio.run(review())


def test_a_copy_holds_what_git_would_keep(tree: Tree) -> None:
    tree.write("spec.md")
    tree.write("src/app.py", "x = 1\n")
    tree.write(".gitignore", "build/\nspec.md\n")
    tree.commit()
    tree.write("src/new.py", "y = 1\n")
    tree.write("build/out.js", "out\n")

    assert {".gitignore", "spec.md", "src/app.py", "src/new.py"} == copied(tree.workspace("spec.md")).keys()


def test_an_ignored_artifact_is_in_the_copy_all_the_same(tree: Tree) -> None:
    tree.write(".gitignore", "drafts/\n")
    tree.commit()
    tree.write("drafts/spec.md")

    assert {".gitignore", "drafts/spec.md"} == copied(tree.workspace("drafts/spec.md")).keys()


def test_outside_git_what_programs_fill_is_left_out(tree: Tree) -> None:
    for path in ("spec.md", "src/app.py", "node_modules/x/index.js", ".venv/bin/python", "a/__pycache__/b.pyc"):
        tree.write(path)

    assert {"spec.md", "src/app.py"} == copied(tree.workspace("spec.md")).keys()


@pytest.mark.parametrize("in_git", [True, False])
def test_what_agents_would_run_is_in_no_copy_at_any_depth(tree: Tree, in_git: bool) -> None:
    names = [pattern.replace("*", ".local") for pattern in NEVER_COPIED if pattern != ".git"]
    for name in [*names, ".Claude", "OpenCode.json"]:
        tree.write(f"{name}/inside.json")
        tree.write(f"deep/er/{name}")
    tree.write("spec.md")
    if in_git:
        tree.commit()
    else:
        tree.write(".git/config")

    assert ["spec.md"] == list(copied(tree.workspace("spec.md")))


def test_every_name_that_is_left_out_has_a_reason() -> None:
    assert all(NEVER_COPIED.values())
    for name in (
        ".git",
        ".claude",
        ".mcp.json",
        ".codex",
        ".gemini",
        ".opencode",
        "opencode.json",
        ".cursor",
        ".env.local",
    ):
        assert never_copied(f"a/{name}/b")
    assert not never_copied("environment/.github/claude.md")


def test_a_change_that_brings_hooks_does_not_bring_them_into_the_copy(tree: Tree) -> None:
    tree.write("app.py")
    tree.commit()
    tree.write(".claude/settings.json", "{}\n")
    tree.git("add", ".claude")
    workspace = tree.change("HEAD")

    assert ".claude/settings.json" in asyncio.run(workspace.read()).paths
    assert {"app.py", "change.diff"} == copied(workspace).keys()


def test_the_copy_holds_the_text_that_is_reviewed_not_what_it_became(tree: Tree) -> None:
    tree.write("spec.md", b"\xef\xbb\xbf# New\r\n")
    workspace = tree.workspace("spec.md")
    artifact = asyncio.run(workspace.read())

    assert {"spec.md": b"\xef\xbb\xbf# New\r\n"} == copied(workspace)
    older = replace(artifact, files=(SourceFile(path="spec.md", text="# Old\n"),))
    assert {"spec.md": b"# Old\n"} == copied(workspace, older)


def test_a_copy_for_two_commits_holds_the_second_of_them(tree: Tree) -> None:
    tree.write("app.py", "1\n")
    tree.write("run.sh", "1\n", executable=True)
    tree.write("lib/one.py", "1\n")
    (tree.root / "link").symlink_to("app.py")
    tree.commit()
    tree.write("app.py", "2\n")
    second = tree.commit()
    tree.write("lib/one.py", "3\n")
    workspace = tree.change(f"HEAD~1..{second}")
    artifact = asyncio.run(workspace.read())

    async def look() -> tuple[dict[str, bytes], bool, bool]:
        async with workspace.review_copy(artifact) as copy:
            link, script = copy.directory / "link", copy.directory / "run.sh"
            return files_below(copy.directory), link.is_symlink(), os.access(script, os.X_OK)

    expected = {"app.py": b"2\n", "lib/one.py": b"1\n", "link": b"2\n", "run.sh": b"1\n"}
    diff = {"change.diff": artifact.files[0].text.encode()}
    assert (expected | diff, True, True) == asyncio.run(look())


def test_links_are_copied_only_where_they_stay_inside(tree: Tree) -> None:
    tree.write("spec.md")
    tree.write("docs/a.md")
    tree.write(".env")
    outside = tree.root.parent / "outside.txt"
    outside.write_text("secret\n")
    for name, target in {
        "inside.md": "docs/a.md",
        "folder": "docs",
        "twice.md": "inside.md",
        "absolute.md": str(tree.root / "spec.md"),
        "outside.txt": "../outside.txt",
        "up": "..",
        "through.txt": "folder/../../outside.txt",
        "to-nothing": "gone",
        "to-secret": ".env",
        "to-itself": "to-itself",
        "after-outside": "outside.txt",
    }.items():
        (tree.root / name).symlink_to(target)
    tree.commit()
    workspace = tree.workspace("spec.md")

    async def links() -> dict[str, str]:
        async with workspace.review_copy(await workspace.read()) as copy:
            found = (path for path in copy.directory.rglob("*") if path.is_symlink())
            return {path.name: str(path.readlink()) for path in found}

    assert {"inside.md": "docs/a.md", "folder": "docs", "twice.md": "inside.md"} == asyncio.run(links())


def test_files_behind_a_folder_that_became_a_link_are_not_copied(tree: Tree) -> None:
    tree.write("spec.md")
    tree.write("data/secret.txt", "mine\n")
    tree.commit()
    (tree.root / "data").rename(tree.root.parent / "data")
    (tree.root / "data").symlink_to("../data")

    assert ["spec.md"] == list(copied(tree.workspace("spec.md")))


def test_a_tree_with_dots_in_it_does_not_write_outside_the_copy(tree: Tree) -> None:
    tree.write("app.py", "1\n")
    first = tree.commit()
    blob = tree.git("hash-object", "-w", "app.py")
    inner = tree.git("mktree", stdin=f"100644 blob {blob}\tescaped.txt\n")
    outer = tree.git("mktree", stdin=f"040000 tree {inner}\t..\n100644 blob {blob}\tother.py\n")
    second = tree.git("commit-tree", "-p", first, "-m", "hostile", outer)
    workspace = tree.change(f"{first}..{second}")

    async def look() -> list[str]:
        async with workspace.review_copy(await workspace.read()) as copy:
            return list(files_below(copy.directory))

    assert ["change.diff", "other.py"] == asyncio.run(look())
    assert not (tree.temporary / "escaped.txt").exists()


def test_an_artifact_that_points_outside_is_not_copied(tree: Tree) -> None:
    tree.write("spec.md")
    workspace = tree.workspace("spec.md")
    hostile = Artifact(kind=Kind.SPEC, name="spec", files=(SourceFile(path="../escaped.md", text="x"),))

    with pytest.raises(WorkspaceError, match="not a path inside the project"):
        copied(workspace, hostile)

    assert [] == list(tree.temporary.iterdir())


def test_nothing_in_a_copy_is_the_users_own_file(tree: Tree) -> None:
    tree.write("spec.md")
    tree.write("script.sh", "echo\n", executable=True)
    tree.commit()
    workspace = tree.workspace("spec.md")

    async def look() -> list[tuple[str, int, int]]:
        async with workspace.review_copy(await workspace.read()) as copy:
            assert 0o700 == stat.S_IMODE(copy.directory.stat().st_mode)
            assert not copy.directory.is_relative_to(tree.root)
            files = sorted(path for path in copy.directory.iterdir())
            return [(path.name, path.stat().st_nlink, stat.S_IMODE(path.stat().st_mode)) for path in files]

    assert [("script.sh", 1, 0o700), ("spec.md", 1, 0o600)] == asyncio.run(look())


@pytest.mark.parametrize("caps", [Caps(files=2), Caps(size=100), Caps(files_outside_git=2), Caps(size_outside_git=100)])
def test_a_project_that_is_too_large_is_not_copied_and_the_copy_says_so(tree: Tree, caps: Caps) -> None:
    tree.write("spec.md")
    tree.write("prd.md")
    for number in range(3):
        tree.write(f"src/{number}.py", "x" * 40)
    if caps.files == 2 or caps.size == 100:
        tree.commit()
    source = locate(tree.root, tree.root, ["spec.md"], kind=Kind.SPEC, upstream=["prd.md"])
    workspace = ProjectWorkspace(tree.root, source, caps=caps, temporary=tree.temporary)

    async def look() -> tuple[bool, list[str]]:
        async with workspace.review_copy(await workspace.read()) as copy:
            return copy.complete, list(files_below(copy.directory))

    assert (False, ["prd.md", "spec.md"]) == asyncio.run(look())


def test_a_reviewer_that_only_reads_leaves_no_trace(tree: Tree) -> None:
    tree.write("spec.md")
    tree.write("src/app.py", "x = 1\n")
    tree.commit()

    assert () == tampering(tree.workspace("spec.md"), ("copy", "cat spec.md src/app.py > /dev/null"))


@pytest.mark.parametrize(
    ("where", "command", "expected"),
    [
        ("copy", "printf '# Exporx\n\nRows are written as CSV.\n' > spec.md", ("spec.md",)),
        ("copy", "cp -p spec.md s && mv s spec.md", ()),
        ("copy", "echo more >> src/app.py", ("src/app.py",)),
        ("copy", "touch -r src/app.py keep && printf 'y = 1\n' > src/app.py && touch -r keep src/app.py && rm keep", ("src/app.py",)),
        ("copy", "rm src/app.py", ("src/app.py",)),
        ("copy", "echo x > 'src/new file'", ("src/new file",)),
        ("copy", "mkdir .claude", (".claude/",)),
        ("copy", "ln -s /etc link", ("link",)),
        ("copy", "mkfifo pipe", ("pipe",)),
        ("copy", "chmod +x src/app.py", ("src/app.py",)),
        ("tree", "echo more >> spec.md", ("spec.md",)),
        ("tree", "echo more >> prd.md", ("prd.md",)),
        ("tree", "rm spec.md", ("spec.md",)),
        ("tree", "echo more >> src/app.py", ()),
    ],
)  # fmt: skip
def test_what_a_reviewer_touched_is_seen(tree: Tree, where: str, command: str, expected: tuple[str, ...]) -> None:
    tree.write("spec.md")
    tree.write("prd.md")
    tree.write("src/app.py", "x = 1\n")
    tree.commit()
    source = locate(tree.root, tree.root, ["spec.md"], kind=Kind.SPEC, upstream=["prd.md"])
    workspace = ProjectWorkspace(tree.root, source, temporary=tree.temporary)

    found = tampering(workspace, (where, command))

    assert ((Tampering(where=where, paths=expected),) if expected else ()) == found


def test_a_reviewer_that_removes_its_copy_is_seen(tree: Tree) -> None:
    tree.write("spec.md")

    found = tampering(tree.workspace("spec.md"), ("copy", 'rm -r "$PWD"'))

    assert (Tampering(where="copy", paths=("./", "spec.md")),) == found


def test_the_copy_is_gone_afterwards_whatever_happened_to_it(tree: Tree) -> None:
    tree.write("spec.md")
    tree.write("src/app.py")
    workspace = tree.workspace("spec.md")

    async def review() -> None:
        async with workspace.review_copy(await workspace.read()) as copy:
            (copy.directory / "src").chmod(0o500)
            copy.directory.chmod(0o500)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        asyncio.run(review())
    assert [] == list(tree.temporary.iterdir())


@pytest.mark.parametrize("turns", [0, 1, 10, 100, 1000])
def test_a_cancelled_copy_leaves_nothing_behind(tree: Tree, turns: int) -> None:
    tree.write("spec.md")
    for number in range(100):
        tree.write(f"src/{number}.py")
    workspace = tree.workspace("spec.md")

    async def cancel_after_some_turns_of_the_loop() -> None:
        artifact = await workspace.read()

        async def review() -> None:
            async with workspace.review_copy(artifact):
                await asyncio.Event().wait()

        task = asyncio.create_task(review())
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel_after_some_turns_of_the_loop())

    assert [] == list(tree.temporary.iterdir())


def test_temporary_files_inside_the_project_are_refused(tree: Tree) -> None:
    tree.write("spec.md")
    workspace = ProjectWorkspace(tree.root, tree.workspace("spec.md").source, temporary=tree.root)

    with pytest.raises(WorkspaceError, match="is inside the project") as caught:
        copied(workspace)

    assert "TMPDIR" in (caught.value.hint or "")


def test_several_reviewers_have_copies_of_their_own(tree: Tree) -> None:
    tree.write("spec.md")
    workspace = tree.workspace("spec.md")

    async def two() -> set[bytes]:
        artifact = await workspace.read()
        async with workspace.review_copy(artifact) as first, workspace.review_copy(artifact) as second:
            (first.directory / "spec.md").write_text("mine\n")
            return {(first.directory / "spec.md").read_bytes(), (second.directory / "spec.md").read_bytes()}

    assert {b"mine\n", SPEC.encode()} == asyncio.run(two())
