"""What a project gets: Reviewloop's own folder, the author's edits, and what the profile's readers look for."""

from __future__ import annotations

import stat
import subprocess

import pytest

from project import Project, failing, passing, says_go
from reviewloop.errors import ExitCode

pytestmark = pytest.mark.slow

TASK = """\
tasks:
  implement:
    agent: author
    outputs: [notes.md]
    overlays:
      agentic_review: {enabled: true, coder_agent: author, reviewer_agent: reviewer}
"""
GO = says_go("fine")


def git(project: Project, *arguments: str) -> str:
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"]
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=project.root, capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout


def committed(project: Project) -> None:
    git(project, "init", "-q")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "start")


def changed(project: Project) -> list[str]:
    return git(project, "status", "--porcelain", "--untracked-files=all").splitlines()


def test_after_init_and_a_review_nothing_is_new_but_the_configuration(
    project: Project, monkeypatch: pytest.MonkeyPatch
):
    committed(project)
    assert ExitCode.PASSED == project.cli("init").exit_code
    project.cli("review", ".")
    assert ["?? reviewloop.yml"] == changed(project)


def test_a_run_leaves_nothing_but_the_authors_edits(project: Project):
    project.reviewer(failing("Say which dialect"), passing())
    project.author()
    project.configure()
    committed(project)
    assert ExitCode.PASSED == project.run().exit_code
    assert [" M spec.md"] == changed(project)
    assert {"reviewloop.yml", "spec.md", ".git", ".reviewloop"} == {path.name for path in project.root.iterdir()}
    own = {path.name for path in (project.root / ".reviewloop").iterdir()}
    assert {"reviewloop.db", "memory.db", "analytics.json", "review-logs", "memory"} <= own


def test_everything_of_a_run_is_closed_to_other_users(project: Project):
    project.reviewer(passing())
    project.run()
    own = project.root / ".reviewloop"
    assert 0o700 == stat.S_IMODE(own.stat().st_mode)
    databases = list(own.glob("*.db*"))
    assert {0o600} == {stat.S_IMODE(path.stat().st_mode) for path in databases}
    assert {"reviewloop.db", "memory.db", "analytics.db"} <= {path.name for path in databases}


def test_a_task_with_an_overlay_is_logged_where_overlays_are_read_in_any_project(project: Project):
    project.reviewer(GO)
    project.author(r"printf '# Notes\n\nThe export streams its rows through csv.writer, one at a time.\n' > notes.md")
    project.configure(TASK)
    assert ExitCode.PASSED == project.cli("work").exit_code
    assert (project.root / ".ai-sdd/state/review-logs/implement.json").is_file()
    assert not (project.root / ".claude").exists()
    assert (project.root / ".reviewloop/memory").is_dir()


def test_a_person_finds_the_question_where_the_profile_has_it(project: Project):
    project.reviewer(failing("Say which dialect"))
    project.configure(max_iterations=1)
    project.run()
    assert 1 == len(list((project.root / ".reviewloop/inbox").glob("*.json")))
    project.run("spec.md", "--profile", "overlay", "--fresh")
    assert 1 == len(list((project.root / ".ai-sdd/state/hil").glob("*.json")))


def test_a_project_of_the_panel_keeps_figures_and_memory_where_the_panel_does(project: Project):
    project.reviewer('{"findings": [], "verdict": "pass"}')
    project.configure("profile: panel", strategy="single", auto_approve=True)
    project.run()
    assert (project.root / ".claude/review-analytics.json").is_file()
    assert (project.root / ".claude/agent-memory/project-orchestrator-spec-reviewer/MEMORY.md").is_file()
    assert not (project.root / ".ai-sdd").exists()
