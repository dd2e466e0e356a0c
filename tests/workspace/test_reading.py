"""Reading an artifact: its text as it is, or why it cannot be reviewed."""

from __future__ import annotations

import asyncio
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workspace_samples import SPEC, Tree, texts

from reviewloop.core.types.artifact import Kind
from reviewloop.errors import ArtifactError
from reviewloop.workspace.files import Limits, decoded, document_text
from reviewloop.workspace.project import ProjectWorkspace
from reviewloop.workspace.source import Source
from target_helpers import locate


def read(tree: Tree, *paths: str, limits: Limits | None = None) -> dict[str, str]:
    return texts(asyncio.run(tree.workspace(*paths, limits=limits).read()))


def test_a_folder_is_its_markdown_files_in_order(tree: Tree) -> None:
    for path in ("b.md", "a.MD", "deep/c.markdown", ".hidden/d.md", "node_modules/e.md", ".progress.md", "code.py"):
        tree.write(f"specs/{path}", f"# {path}\n")

    assert ["specs/a.MD", "specs/b.md", "specs/deep/c.markdown"] == list(read(tree, "specs"))


def test_a_file_that_comes_later_belongs_to_its_folder(tree: Tree) -> None:
    tree.write("specs/a.md")
    workspace = tree.workspace("specs")
    tree.write("specs/b.md")

    assert ["specs/a.md", "specs/b.md"] == list(texts(asyncio.run(workspace.read())))


def test_a_link_in_a_folder_is_read_once_and_never_from_outside(tree: Tree) -> None:
    tree.write("specs/a.md")
    (tree.root / "specs/again.md").symlink_to("a.md")
    assert ["specs/a.md"] == list(read(tree, "specs"))

    (tree.root.parent / "secret.md").write_text("# Secret\n")
    (tree.root / "specs/out.md").symlink_to(tree.root.parent / "secret.md")
    artifact = asyncio.run(tree.workspace("specs").read())
    assert (("specs/a.md",), True) == (
        artifact.paths,
        artifact.unread[0].startswith("specs/out.md leads out of the project"),
    )


def test_line_ends_stay_and_a_byte_order_mark_is_no_text(tree: Tree) -> None:
    tree.write("spec.md", b"\xef\xbb\xbf# Export\r\n\r\nCSV.\r\n")

    assert {"spec.md": "# Export\r\n\r\nCSV.\r\n"} == read(tree, "spec.md")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "spec.md is empty"),
        (b" \n\t\r\n", "spec.md has only white space"),
        (b"\xef\xbb\xbf\n", "spec.md has only white space"),
        (b"---\ntitle: x\n---\n\n", "spec.md has only front matter"),
        (b"---\r\n---\r\n", "spec.md has only front matter"),
        (b"# Export\0", "spec.md is binary: byte 8 is NUL"),
        (b"caf\xe9", "spec.md is not UTF-8: byte 3 is 0xe9"),
        (b"\xef\xbb\xbfcaf\xe9", "spec.md is not UTF-8: byte 6 is 0xe9"),
        (b"x" * 101, "spec.md has more than 0.0001 MB"),
    ],
)
def test_a_file_that_cannot_be_reviewed_says_why(tree: Tree, content: bytes, message: str) -> None:
    tree.write("spec.md", content)

    with pytest.raises(ArtifactError) as caught:
        read(tree, "spec.md", limits=Limits(file=100))

    assert (message, "spec.md") == (caught.value.message, caught.value.path)
    assert caught.value.hint


@pytest.mark.parametrize("text", ["---\ntitle: x\n", "---\na\n---\ntext", "--- \nnot closed\n----\n"])
def test_text_that_only_looks_like_front_matter_is_text(tree: Tree, text: str) -> None:
    tree.write("spec.md", text)

    assert {"spec.md": text} == read(tree, "spec.md")


def test_many_files_may_come_to_too_much(tree: Tree) -> None:
    tree.write("a.md", "x" * 60)
    tree.write("b.md", "x" * 60)

    with pytest.raises(ArtifactError, match=r"b\.md is one too many"):
        read(tree, "a.md", "b.md", limits=Limits(total=100))


def test_a_file_that_is_gone_by_now_is_missed(tree: Tree) -> None:
    file = tree.write("spec.md")
    workspace = tree.workspace("spec.md")
    file.unlink()

    with pytest.raises(ArtifactError, match=r"spec\.md is not there"):
        asyncio.run(workspace.read())


def test_a_file_that_became_a_link_is_not_followed(tree: Tree) -> None:
    file = tree.write("docs/spec.md")
    workspace = tree.workspace("docs/spec.md")
    file.unlink()
    file.symlink_to("/etc/hostname")

    with pytest.raises(ArtifactError, match="not a regular file"):
        asyncio.run(workspace.read())


def test_a_folder_on_the_way_that_became_a_link_is_not_followed(tree: Tree) -> None:
    tree.write("docs/spec.md")
    workspace = tree.workspace("docs/spec.md")
    (tree.root / "docs").rename(tree.root.parent / "elsewhere")
    (tree.root / "docs").symlink_to(tree.root.parent / "elsewhere")

    with pytest.raises(ArtifactError, match="reached through a symbolic link"):
        asyncio.run(workspace.read())


def test_a_pipe_in_place_of_the_file_does_not_block(tree: Tree) -> None:
    file = tree.write("spec.md")
    workspace = tree.workspace("spec.md")
    file.unlink()
    os.mkfifo(file)

    with pytest.raises(ArtifactError, match="not a regular file"):
        asyncio.run(workspace.read())


@pytest.mark.parametrize("path", ["../secret.md", "/etc/hostname", "a/../../secret.md"])
def test_a_recorded_path_that_leads_out_is_refused(tree: Tree, path: str) -> None:
    workspace = ProjectWorkspace(tree.root, Source(kind=Kind.SPEC, name="spec", paths=(path,)))

    with pytest.raises(ArtifactError, match="not a path inside the project"):
        asyncio.run(workspace.read())


def test_upstream_comes_with_the_artifact(tree: Tree) -> None:
    tree.write("spec.md")
    tree.write("prd.md", "# PRD\n")
    source = locate(tree.root, tree.root, ["spec.md"], kind=Kind.SPEC, upstream=["prd.md"])

    artifact = asyncio.run(ProjectWorkspace(tree.root, source).read())

    assert [(Kind.PRD, "prd", {"prd.md": "# PRD\n"})] == [(doc.kind, doc.name, texts(doc)) for doc in artifact.upstream]
    assert {"spec.md": SPEC} == texts(artifact)


@given(st.binary(max_size=200))
def test_any_bytes_are_their_own_text_or_an_artifact_error(data: bytes) -> None:
    try:
        text = decoded("x.md", data)
    except ArtifactError:
        return
    assert data.removeprefix(b"\xef\xbb\xbf") == text.encode()


@given(st.text(max_size=200))
def test_any_text_is_a_document_or_says_nothing(text: str) -> None:
    try:
        read_as = document_text("x.md", text.encode("utf-8", "surrogatepass"), Limits())
    except ArtifactError:
        return
    assert text.removeprefix("\ufeff") == read_as
