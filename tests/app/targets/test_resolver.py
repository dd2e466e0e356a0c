"""What a user points at becomes a source, or a message that says what is wrong with it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from workspace_samples import Tree

from reviewloop.core.types.artifact import Kind
from reviewloop.errors import ArtifactError, ReviewloopError
from reviewloop.workspace.source import Source, Upstream
from target_helpers import locate, locate_change


def test_a_file_is_found_from_the_folder_one_is_in(tree: Tree) -> None:
    tree.write("specs/export/spec.md")

    source = locate(tree.root, tree.root / "specs", ["export/spec.md"], kind=Kind.SPEC)

    assert Source(kind=Kind.SPEC, name="spec", paths=("specs/export/spec.md",), as_kind=Kind.SPEC) == source


def test_an_absolute_path_and_a_relative_one_are_the_same_file_once(tree: Tree) -> None:
    file = tree.write("spec.md")

    source = locate(tree.root, tree.root, [file, "spec.md", "./spec.md"], kind=Kind.SPEC, name="export")

    assert Source(kind=Kind.SPEC, name="export", paths=("spec.md",), as_kind=Kind.SPEC) == source


def test_a_folder_is_named_after_itself_and_stays_a_folder(tree: Tree) -> None:
    tree.write("specs/export/spec.md")

    source = locate(tree.root, tree.root, ["specs/export"], kind=Kind.SPEC)

    assert ("export", ("specs/export",)) == (source.name, source.paths)


def test_the_project_itself_can_be_the_artifact(tree: Tree) -> None:
    tree.write("spec.md")

    source = locate(tree.root, tree.root, ["."], kind=Kind.SPEC)

    assert ("project", (".",)) == (source.name, source.paths)


def test_a_file_outside_the_project_is_refused(tree: Tree) -> None:
    outside = tree.root.parent / "other.md"
    outside.write_text("# Other\n")

    with pytest.raises(ArtifactError, match="lies outside the project") as caught:
        locate(tree.root, tree.root, [outside], kind=Kind.SPEC)

    assert caught.value.hint


def test_dots_do_not_lead_out_of_the_project(tree: Tree) -> None:
    (tree.root.parent / "other.md").write_text("# Other\n")

    with pytest.raises(ArtifactError, match="outside the project"):
        locate(tree.root, tree.root, ["../other.md"], kind=Kind.SPEC)


def test_a_link_out_of_the_project_is_refused(tree: Tree) -> None:
    outside = tree.root.parent / "other.md"
    outside.write_text("# Other\n")
    (tree.root / "spec.md").symlink_to(outside)

    with pytest.raises(ArtifactError, match=r"spec\.md leads out of the project, to .*other\.md"):
        locate(tree.root, tree.root, ["spec.md"], kind=Kind.SPEC)


def test_a_link_inside_the_project_stands_for_what_it_leads_to(tree: Tree) -> None:
    tree.write("docs/spec.md")
    (tree.root / "spec.md").symlink_to("docs/spec.md")

    assert ("docs/spec.md",) == locate(tree.root, tree.root, ["spec.md"], kind=Kind.SPEC).paths


def test_links_that_lead_in_circles_are_refused(tree: Tree) -> None:
    (tree.root / "a.md").symlink_to("b.md")
    (tree.root / "b.md").symlink_to("a.md")

    with pytest.raises(ArtifactError, match=r"a\.md cannot be followed"):
        locate(tree.root, tree.root, ["a.md"], kind=Kind.SPEC)


def test_a_link_to_nothing_says_so(tree: Tree) -> None:
    (tree.root / "spec.md").symlink_to("gone.md")

    with pytest.raises(ArtifactError, match=r"spec\.md is a symbolic link to nothing"):
        locate(tree.root, tree.root, ["spec.md"], kind=Kind.SPEC)


@pytest.mark.parametrize("given", [[], [""], ["missing.md"], ["empty"]])
def test_nothing_is_nothing_to_review(tree: Tree, given: list[str]) -> None:
    (tree.root / "empty").mkdir()

    with pytest.raises(ReviewloopError) as caught:
        locate(tree.root, tree.root, given, kind=Kind.SPEC)

    assert caught.value.hint


def test_a_pipe_is_no_document(tree: Tree) -> None:
    os.mkfifo(tree.root / "spec.md")

    with pytest.raises(ArtifactError, match="is a pipe"):
        locate(tree.root, tree.root, ["spec.md"], kind=Kind.SPEC)


def test_a_project_behind_a_link_is_found_all_the_same(tree: Tree, tmp_path: Path) -> None:
    tree.write("spec.md")
    (tmp_path / "shortcut").symlink_to(tree.root)

    source = locate(tmp_path / "shortcut", tmp_path / "shortcut", ["spec.md"], kind=Kind.SPEC)

    assert ("spec.md",) == source.paths


def test_upstream_is_located_like_the_artifact(tree: Tree) -> None:
    tree.write("docs/prd.md")
    tree.write("docs/spec.md")

    source = locate(tree.root, tree.root / "docs", ["spec.md"], kind=Kind.SPEC, upstream=["prd.md"])

    assert (Upstream(kind=Kind.PRD, path="docs/prd.md", given=True),) == source.upstream


def test_a_source_survives_the_ledger(tree: Tree) -> None:
    tree.write("specs/tasks.md", "- [ ] 1.2 Export\n")
    tree.commit()
    tree.write("spec.md")
    source = locate_change(
        tree.root,
        tree.root / "specs",
        "HEAD",
        task="tasks.md#1.2",
        upstream=["tasks.md"],
    )

    assert source == Source.from_json(json.loads(json.dumps(source.to_json())))
    assert ("1.2", "specs/tasks.md#1.2") == (source.name, source.task)


def test_a_damaged_record_of_a_source_is_told() -> None:
    with pytest.raises(ArtifactError, match="cannot be read"):
        Source.from_json({"kind": "poem"})
