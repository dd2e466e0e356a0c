from __future__ import annotations

import os
from pathlib import Path

import pytest

from config.conftest import Project, lines
from reviewloop.config.discover import project_root, user_file
from reviewloop.config.load import load


def test_a_project_without_a_file_has_the_defaults(project: Project) -> None:
    config = project.config()

    assert ((), "spec-gate", project.root) == (config.files, config.profile, config.root)
    assert str(project.root / ".reviewloop/reviewloop.db") == config.ledger


def test_the_file_is_found_from_below(project: Project) -> None:
    project.write("reviewloop.yml", "profile: panel")
    project.write("src/deep/keep", "")

    config = project.config(cwd="src/deep")

    assert (project.root, (project.root / "reviewloop.yml",)) == (config.root, config.files)


def test_the_nearest_project_counts(project: Project) -> None:
    project.write("reviewloop.yml", "profile: panel")
    project.write("inner/reviewloop.yml", "profile: phases")

    assert ("phases", "panel") == (project.config(cwd="inner").profile, project.config().profile)


@pytest.mark.parametrize("marker", ["reviewloop.yml", ".reviewloop/keep", ".git/keep"])
def test_what_makes_a_directory_a_project(tmp_path: Path, marker: str) -> None:
    (tmp_path / "a" / marker).parent.mkdir(parents=True)
    (tmp_path / "a" / marker).touch()
    (tmp_path / "a/b/c").mkdir(parents=True)

    assert tmp_path / "a" == project_root(tmp_path / "a/b/c")


def test_the_open_file_beats_the_hidden_one(project: Project) -> None:
    project.write(".reviewloop/config.yml", "profile: phases")
    assert "phases" == project.config().profile

    project.write("reviewloop.yml", "profile: panel")
    assert "panel" == project.config().profile


@pytest.mark.parametrize("name", [".claude/project.yml", ".project-orchestrator/project.yml"])
def test_the_review_block_of_another_tools_file_is_read(project: Project, name: str) -> None:
    project.write(
        name,
        """
        services: !include services.yml
        services: twice is their business
        review:
          strategy: single
          single_model: opus
          max_fix_iterations: 1
        """,
    )

    policy = project.policy()

    assert ("panel", 2) == (policy.profile, policy.max_iterations)
    assert ["spec:opus", "quality:opus"] == [seat.name for seat in policy.seats]


def test_a_shared_file_without_a_review_block_is_passed_by(project: Project) -> None:
    project.write(".claude/project.yml", "services: [a]")
    project.write(".project-orchestrator/project.yml", "review: {max_fix_iterations: 4}")

    assert 5 == project.policy().max_iterations


def test_a_mistake_in_a_shared_file_is_shown_there(project: Project) -> None:
    project.write(".claude/project.yml", "services: [a]\nreview:\n  max_fix_iterations: 9\n")

    assert (
        lines("""
        error: .claude/project.yml:3:23: max_fix_iterations must be 1-5
          3 |   max_fix_iterations: 9
            |                       ^
        hint: use a whole number from 1 to 5
    """)
        == project.complaint()
    )


def test_a_file_with_the_wrong_ending_is_not_passed_by_in_silence(project: Project) -> None:
    project.write("reviewloop.yaml", "profile: panel")

    assert (
        lines("""
        error: reviewloop.yaml: this file is not read: its name must end in .yml
        hint: rename it to reviewloop.yml
    """)
        == project.complaint()
    )


def test_a_file_can_be_named(project: Project) -> None:
    project.write("reviewloop.yml", "profile: panel")
    project.write("ci/strict.yml", "profile: phases")

    assert "phases" == project.config(file="ci/strict.yml").profile


def test_a_named_file_that_is_missing_is_an_error(project: Project) -> None:
    assert lines("""
        error: ci/strict.yml: cannot read the file: No such file or directory
        hint: check the path and its permissions, or leave out --config
    """) == project.complaint(file="ci/strict.yml")


def test_a_named_shared_file_without_a_review_block_is_an_error(project: Project) -> None:
    project.write(".claude/project.yml", "services: [a]")

    assert lines("""
        error: .claude/project.yml: the file has no "review" block
        hint: of another tool's project.yml only this block is read; add it, or use a reviewloop.yml
    """) == project.complaint(file=".claude/project.yml")


def test_a_directory_is_no_file(project: Project) -> None:
    (project.root / "reviewloop.yml").mkdir()

    assert (
        lines("""
        error: reviewloop.yml: cannot read the file: Is a directory
        hint: make it readable, or remove it
    """)
        == project.complaint()
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_an_error(project: Project) -> None:
    project.write("reviewloop.yml", "profile: panel")
    (project.root / "reviewloop.yml").chmod(0)

    assert "error: reviewloop.yml: cannot read the file: Permission denied" == project.complaint()


def test_messages_name_the_file_from_where_the_user_is(project: Project) -> None:
    project.write("reviewloop.yml", "profil: panel")
    project.write("src/keep", "")

    assert 'error: ../reviewloop.yml:1:1: unknown key "profil"' == project.complaint(cwd="src").splitlines()[0]


def test_a_mistake_in_the_users_file_is_shown_there(project: Project) -> None:
    project.write_user_file("profil: panel")

    assert (
        'error: ../home/.config/reviewloop/config.yml:1:1: unknown key "profil"' == project.complaint().splitlines()[0]
    )


def test_where_the_users_file_is() -> None:
    assert Path("/cfg/reviewloop/config.yml") == user_file({"XDG_CONFIG_HOME": "/cfg", "HOME": "/me"})
    assert Path("/me/.config/reviewloop/config.yml") == user_file({"XDG_CONFIG_HOME": "relative", "HOME": "/me"})
    assert user_file({}) is None


def test_nothing_of_the_real_environment_is_read(project: Project) -> None:
    assert "spec-gate" == load(project.root, {}).profile
