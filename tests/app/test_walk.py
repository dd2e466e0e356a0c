import os
from pathlib import Path

import pytest

from reviewloop.app.targets.gathering import Asked, gather
from reviewloop.app.targets.walk import Walk


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in (
        "b.md",
        "a.md",
        "notes.txt",
        ".hidden.md",
        "specs/login/spec.md",
        "specs/login/sub/deep.md",
        "specs/export/spec.md",
        ".kiro/specs/x/tasks.md",
        ".github/pull.md",
        "node_modules/lib/README.md",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("# x\n")
    return tmp_path


def found(project: Path, folder: str = "") -> list[str]:
    return [str(Path(path).relative_to(project)) for path in Walk().below(str(project / folder))]


def test_a_folders_documents_come_before_those_below_it_each_in_order(project: Path):
    assert [
        "a.md",
        "b.md",
        ".kiro/specs/x/tasks.md",
        "specs/export/spec.md",
        "specs/login/spec.md",
        "specs/login/sub/deep.md",
    ] == found(project)


def test_a_link_to_a_file_is_a_document_and_a_link_to_a_folder_is_not_entered(project: Path):
    (project / "specs/also.md").symlink_to("login/spec.md")
    (project / "specs/again").symlink_to("login")
    (project / "specs/folder.md").symlink_to("login")
    (project / "specs/loop.md").symlink_to("loop.md")

    assert [
        "specs/also.md",
        "specs/loop.md",
        "specs/export/spec.md",
        "specs/login/spec.md",
        "specs/login/sub/deep.md",
    ] == found(project, "specs")


def test_what_was_walked_past_is_known_to_be_no_link(project: Path):
    (project / "specs/also.md").symlink_to("login/spec.md")
    walk = Walk()
    list(walk.below(str(project)))

    assert walk.is_plain(str(project / "specs/login"))
    assert walk.is_plain(str(project / "specs/login/spec.md"))
    assert not walk.is_plain(str(project / "specs/also.md"))


def test_a_project_is_known_by_its_marks_whether_it_was_walked_through_or_not(project: Path):
    (project / "specs/.git").mkdir()
    (project / "specs/login/reviewloop.yml").symlink_to("nowhere")
    walked, fresh = Walk(), Walk()
    list(walked.below(str(project)))

    for walk in (walked, fresh):
        assert [False, True, False] == [walk.is_project(str(project / name)) for name in ("", "specs", "specs/login")]


@pytest.mark.parametrize("name", ["SPEC.MD", "spec.markdown", "spec.mdx", "Spec.Md"])
def test_markdown_has_several_names(project: Path, name: str):
    (project / "specs/export" / name).write_text("# x\n")

    assert f"specs/export/{name}" in found(project, "specs")


def test_a_folder_that_is_not_there_holds_nothing(project: Path):
    assert [] == found(project, "missing")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_cannot_be_read_is_told(project: Path):
    (project / "specs/login").chmod(0)

    gathering = gather(["specs"], project, Asked())

    assert ["spec"] == [one.artifact.name for one in gathering.found]
    assert ("specs/login cannot be read: permission denied",) == gathering.left_out
