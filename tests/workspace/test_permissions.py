"""Files and folders that may not be read or written. The superuser may do anything, so this is for everybody else."""

from __future__ import annotations

import asyncio
import os

import pytest
from workspace_samples import SPEC, Tree, blobs_of, change_of

from reviewloop.errors import ArtifactError, WorkspaceError
from reviewloop.ports import Tampering
from reviewloop.workspace.bring_back import bring_back

pytestmark = pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may do anything")


def test_a_document_that_may_not_be_read_says_so(tree: Tree) -> None:
    tree.write("spec.md").chmod(0)

    with pytest.raises(ArtifactError, match=r"spec\.md cannot be read: permission denied") as caught:
        asyncio.run(tree.workspace("spec.md").read())

    assert caught.value.hint


def test_a_copy_without_what_may_not_be_read_is_not_complete(tree: Tree) -> None:
    tree.write("spec.md")
    tree.write("closed.txt").chmod(0)
    workspace = tree.workspace("spec.md")

    async def look() -> tuple[bool, list[str]]:
        async with workspace.review_copy(await workspace.read()) as copy:
            return copy.complete, [path.name for path in copy.directory.iterdir()]

    assert (False, ["spec.md"]) == asyncio.run(look())


def test_a_folder_that_a_reviewer_closed_is_tampered_with(tree: Tree) -> None:
    tree.write("spec.md")
    tree.write("src/app.py")
    workspace = tree.workspace("spec.md")

    async def review() -> tuple[Tampering, ...]:
        async with workspace.review_copy(await workspace.read()) as copy:
            (copy.directory / "src").chmod(0)
            return await copy.tampered()

    assert (Tampering(where="copy", paths=("src/", "src/app.py")),) == asyncio.run(review())
    assert [] == list(tree.temporary.iterdir())


@pytest.mark.parametrize("closed", ["src", "src/app.py"])
def test_what_an_author_closed_is_not_taken_for_deleted(tree: Tree, closed: str) -> None:
    tree.write("src/app.py", "1\n")
    tree.commit()
    tree.write("src/app.py", "2\n")
    workspace = tree.change("HEAD")

    async def author() -> None:
        async with workspace.scratch(await workspace.read()) as scratch:
            assert scratch.directory
            (scratch.directory / closed).chmod(0)
            await scratch.work()

    with pytest.raises(WorkspaceError) as caught:
        asyncio.run(author())
    assert "your files are unchanged" in (caught.value.hint or "")


def test_a_folder_that_may_not_be_written_to_leaves_all_files_as_they_were(tree: Tree) -> None:
    tree.write("a.md")
    tree.write("closed/b.md")
    (tree.root / "closed").chmod(0o500)

    with pytest.raises(WorkspaceError, match="Permission denied") as caught:
        bring_back(
            tree.root, [change_of("a.md", SPEC, "new\n"), change_of("closed/b.md", SPEC, "new\n")], blobs_of("new\n")
        )

    assert "writable" in (caught.value.hint or "")
    assert {"a.md": SPEC.encode(), "closed/b.md": SPEC.encode()} == tree.files()


def test_a_deletion_that_is_not_allowed_takes_the_other_changes_back(tree: Tree) -> None:
    tree.write("a.md")
    tree.write("closed/b.md")
    (tree.root / "closed").chmod(0o500)
    changes = [
        change_of("a.md", SPEC, "new\n"),
        change_of("new.md", None, "new\n"),
        change_of("closed/b.md", SPEC, None),
    ]

    with pytest.raises(WorkspaceError):
        bring_back(tree.root, changes, blobs_of("new\n"))

    assert {"a.md": SPEC.encode(), "closed/b.md": SPEC.encode()} == tree.files()
