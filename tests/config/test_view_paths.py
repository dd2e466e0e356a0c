"""Where views are written: inside the project, unless the user's own file says otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from config.conftest import Project
from reviewloop.config.view_paths import ViewPaths


@pytest.mark.parametrize("profile", ["spec-gate", "phases"])
def test_by_default_everything_is_in_our_own_folder(project: Project, profile: str) -> None:
    paths = project.config(f"profile: {profile}").paths

    assert ViewPaths() == paths
    assert {".reviewloop"} == {
        Path(path).parts[0] for path in (paths.review_logs, paths.analytics, paths.memory, paths.human_items) if path
    }


def test_the_profiles_that_other_tools_work_with_use_those_tools_places(project: Project) -> None:
    overlay, panel = (project.config(f"profile: {name}").paths for name in ("overlay", "panel"))

    assert (".ai-sdd/state/review-logs", ".ai-sdd/state/hil") == (overlay.review_logs, overlay.human_items)
    assert (".claude/review-analytics.json", ".claude/agent-memory") == (panel.analytics, panel.memory)
    assert (".reviewloop/memory", ".reviewloop/inbox") == (overlay.memory, panel.human_items)


def test_a_path_that_was_written_down_holds_in_every_profile(project: Project) -> None:
    config = project.config("paths: {review_logs: logs, human_items: false}")

    assert [("logs", None)] * 2 == [
        (one.review_logs, one.human_items) for one in (config.paths, config.paths_under("overlay"))
    ]


@pytest.mark.parametrize("path", ["/srv/logs", "~/logs", "../logs", "logs/../../logs", ".git/hooks"])
def test_a_project_writes_nothing_outside_itself(project: Project, path: str) -> None:
    said = project.complaint(f"paths:\n  review_logs: {path}\n")

    assert said.startswith("error: reviewloop.yml:2:16: paths.review_logs must be a path inside the project, found ")
    assert "hint: give a path relative to the project's root" in said


def test_a_path_that_only_turns_around_stays_inside(project: Project) -> None:
    assert "logs" == project.config("paths: {review_logs: ./tmp/../logs/}").paths.review_logs


def test_the_users_own_file_may_name_any_place(project: Project) -> None:
    project.write_user_file("paths: {review_logs: /srv/logs, memory: ~/memory}")
    paths = project.config("").paths

    assert ("/srv/logs", str(Path.home() / "memory")) == (paths.review_logs, paths.memory)
