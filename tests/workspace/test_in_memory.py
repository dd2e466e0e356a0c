"""Reviewing texts that a program holds: the same promises, without files."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from workspace_samples import SPEC, blobs_of, change_of, files_below, texts

from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.errors import WorkspaceError
from reviewloop.ports import Conflict, Tampering, Work
from reviewloop.workspace.in_memory import MemoryWorkspace

BETTER = "# Export\n\nBetter.\n"


def workspace_of(kind: Kind = Kind.SPEC, **files: str) -> MemoryWorkspace:
    named = {name.replace("_", "."): text for name, text in (files or {"spec_md": SPEC}).items()}
    sources = tuple(SourceFile(path=path, text=text) for path, text in named.items())
    upstream = (Artifact(kind=Kind.PRD, name="prd", files=(SourceFile(path="docs/prd.md", text="# PRD\n"),)),)
    return MemoryWorkspace(Artifact(kind=kind, name="spec", files=sources, upstream=upstream))


def work(workspace: MemoryWorkspace, edits: dict[str, str | None]) -> Work:
    async def author() -> Work:
        async with workspace.scratch(await workspace.read()) as scratch:
            await scratch.write(edits)
            return await scratch.work()

    return asyncio.run(author())


def test_an_edit_replaces_the_text() -> None:
    workspace = workspace_of()

    found = work(workspace, {"spec.md": BETTER})

    assert Work(changes=(change_of("spec.md", SPEC, BETTER),), blobs=blobs_of(SPEC, BETTER)) == found
    assert None is asyncio.run(workspace.bring_back(found.changes, found.blobs))
    assert {"spec.md": BETTER} == texts(asyncio.run(workspace.read()))
    assert None is asyncio.run(workspace.bring_back(found.changes, found.blobs)), "twice is once"


def test_other_paths_are_refused_and_the_same_text_is_no_change() -> None:
    assert Work(refused=("../x", "other.md")) == work(workspace_of(), {"other.md": "x", "../x": "x", "spec.md": SPEC})


@pytest.mark.parametrize("edit", [None, "", " \n", "---\na: b\n---\n"])
def test_the_artifact_cannot_be_destroyed(edit: str | None) -> None:
    with pytest.raises(WorkspaceError, match="destroyed the artifact"):
        work(workspace_of(), {"spec.md": edit})


def test_one_of_two_files_may_go() -> None:
    workspace = workspace_of(a_md="a", b_md="b")

    found = work(workspace, {"b.md": None})
    asyncio.run(workspace.bring_back(found.changes, found.blobs))

    assert {"a.md": "a"} == texts(workspace.artifact)


def test_a_change_may_get_new_files() -> None:
    workspace = workspace_of(Kind.CHANGE, change_diff="+1\n", app_py="1\n")

    found = work(workspace, {"new.py": "2\n", "app.py": ""})
    asyncio.run(workspace.bring_back(found.changes, found.blobs))

    assert {"change.diff": "+1\n", "app.py": "", "new.py": "2\n"} == texts(workspace.artifact)


def test_a_text_that_changed_meanwhile_is_kept_and_so_is_the_authors() -> None:
    workspace = workspace_of()
    found = work(workspace, {"spec.md": BETTER})
    workspace.artifact = workspace_of(spec_md="# Mine\n").artifact

    conflict = asyncio.run(workspace.bring_back(found.changes, found.blobs))

    assert Conflict(paths=("spec.md",), kept_at="memory:1") == conflict
    assert ({"spec.md": "# Mine\n"}, {"spec.md": BETTER}) == (texts(workspace.artifact), workspace.kept["memory:1"])


def test_a_directory_is_made_for_those_who_ask_and_goes_away() -> None:
    workspace = workspace_of()

    async def review() -> tuple[Path, dict[str, bytes], tuple[Tampering, ...], tuple[Tampering, ...]]:
        async with workspace.review_copy(workspace.artifact) as copy:
            untouched = await copy.tampered()
            files = files_below(copy.directory)
            (copy.directory / "spec.md").write_text("mine\n")
            return copy.directory, files, untouched, await copy.tampered()

    directory, files, untouched, touched = asyncio.run(review())

    assert {"spec.md": SPEC.encode(), "docs/prd.md": b"# PRD\n"} == files
    assert ((), (Tampering(where="copy", paths=("spec.md",)),)) == (untouched, touched)
    assert not directory.exists()


def test_an_author_with_hands_gets_a_directory_and_its_work_is_found() -> None:
    workspace = workspace_of()

    async def author() -> tuple[Path, Work]:
        async with workspace.scratch(workspace.artifact) as scratch:
            await scratch.write({"spec.md": "# First\n"})
            directory = scratch.directory
            assert "# First\n" == (directory / "spec.md").read_text()
            (directory / "spec.md").write_text(BETTER)
            (directory / "other.md").write_text("x")
            return directory, await scratch.work()

    directory, found = asyncio.run(author())

    assert (
        Work(changes=(change_of("spec.md", SPEC, BETTER),), refused=("other.md",), blobs=blobs_of(SPEC, BETTER))
        == found
    )
    assert not directory.exists()


def test_a_missing_content_is_told() -> None:
    with pytest.raises(WorkspaceError, match="missing"):
        asyncio.run(workspace_of().bring_back([change_of("spec.md", SPEC, BETTER)], {}))
