"""What the user points at means the same in `review`, `run` and `stability`, and what makes no sense is an error."""

from __future__ import annotations

import io
import json
import subprocess
from typing import Any

import pytest

from project import SPEC, Project, Result, failing, passing
from reviewloop.app.targets.request import TargetRequest
from reviewloop.app.targets.resolver import Resolver
from reviewloop.errors import ExitCode

COMMANDS = ("review", "run", "stability")

REQUIREMENTS = """\
# Requirements: export

## Goal

Reports as files.

## User Stories

### US-1: Export

As a reader, I want a file, so that I can keep it.

**Acceptance Criteria:**
- AC-1.1: `GET /export` answers 200 with a CSV body.

## Functional Requirements

| ID | Requirement | Priority | Story |
|----|-------------|----------|-------|
| FR-1 | Export as CSV | High | US-1 |
| FR-2 | Export as PDF | Low | US-1 |

## Out of Scope

- Excel
"""

DESIGN = """\
# Design: export

## Overview

One handler streams rows.

## Architecture

The handler streams rows, for FR-1.

## Components

### Handler

Streams rows from the store to the reader.

## Data Flow

Store to handler to reader.

## Technical Decisions

| Decision | Choice | Rationale |
|----------|--------|-----------|
| Library | csv | it is there |

## File Structure

| File | Action | Purpose |
|------|--------|---------|
| src/export.py | Create | the handler |

## Error Handling

A missing report answers 404.

## Test Strategy

`pytest tests/test_export.py` checks FR-1.
"""

NOTES = "# Notes\n\nThe reports are exported once a day, by the job that also sends them to the readers.\n"


def git(project: Project, *arguments: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(
        ["git", *identity, *arguments], cwd=project.root, capture_output=True, text=True, check=True
    ).stdout


@pytest.fixture
def repository(project: Project) -> Project:
    """A project with a commit, and a passing reviewer."""
    project.reviewer(passing())
    project.configure()
    project.write("app/__init__.py", "")
    project.write("app/main.py", "import json\n\n\ndef main():\n    return json.dumps({})\n")
    project.write("app/gone.py", "import json\n\nprint(json)\n")
    project.write("app/old.py", "".join(f"VALUE_{number} = {number}\n" for number in range(20)))
    git(project, "init", "--quiet")
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message", "first")
    return project


@pytest.fixture
def changed(repository: Project) -> Project:
    """A change that edits, adds, deletes and renames files. Each new import but one resolves to nothing."""
    repository.write(
        "app/main.py", "import json\nfrom app.absent import it\n\n\ndef main():\n    return json.dumps(it)\n"
    )
    repository.write("app/added.py", "import os\n\nfrom .nowhere import other\n\nprint(os, other)\n")
    git(repository, "rm", "--quiet", "app/gone.py")
    git(repository, "mv", "app/old.py", "app/new.py")
    renamed = repository.root / "app/new.py"
    renamed.write_text(renamed.read_text() + "from .lost import found\n")
    git(repository, "add", "--all")
    return repository


def places(result: Result) -> list[tuple[str, str, int, str]]:
    findings: list[dict[str, Any]] = json.loads(result.stdout)["findings"]
    return sorted((one["rule"], one["file"], one["line"], one["severity"]) for one in findings)


def files(result: Result) -> list[str]:
    return [file["path"] for artifact in json.loads(result.stdout)["artifacts"] for file in artifact["files"]]


IMPORTS = [
    ("CHG040", "app/added.py", 3, "critical"),
    ("CHG040", "app/main.py", 2, "critical"),
    ("CHG040", "app/new.py", 21, "critical"),
]


@pytest.mark.parametrize("kind", [("--kind", "change"), ()])
def test_a_piped_diff_is_reviewed_like_the_change_itself(
    changed: Project, kind: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
):
    asked = changed.cli("review", "--diff", "HEAD", "--json")
    diff = git(changed, "diff", "HEAD").encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(diff)))

    piped = changed.cli("review", "-", *kind, "--json")

    assert places(asked) == IMPORTS
    assert places(piped) == places(asked)
    assert asked.exit_code == piped.exit_code == ExitCode.NEEDS_REVISION


def test_a_run_finds_in_a_change_what_a_review_finds(changed: Project):
    found = changed.cli("run", "--diff", "HEAD", "--json").session

    shown = found["rule_findings"]
    assert (
        sorted((one["rule"], one["place"]["file"], one["place"]["line"], one["severity"]) for one in shown) == IMPORTS
    )


def test_a_run_holds_a_change_against_its_task_as_a_review_does(repository: Project):
    repository.write(
        "tasks.md", "- [ ] 1.1 Parse\n  - **Files**: `app/parse.py`\n- [ ] 1.2 Run\n  - **Files**: `app/main.py`\n"
    )
    git(repository, "add", "tasks.md")
    git(repository, "commit", "--quiet", "--message", "tasks")
    repository.write("app/main.py", "import json\n\nprint(json)\n")
    asked = ("--diff", "HEAD", "--task", "tasks.md#1.1", "--json")

    reviewed = repository.cli("review", *asked)
    session = repository.cli("run", *asked).session

    assert [rule for rule, *_ in places(reviewed)] == ["CHG038", "CHG039"]
    assert sorted(one["rule"] for one in session["rule_findings"]) == ["CHG038", "CHG039"]
    assert session["feature"] == "1.1"


def test_untracked_files_belong_to_what_is_not_committed(repository: Project):
    repository.write("app/fresh.py", "from .nothing import it\n")

    found = repository.cli("review", "--uncommitted", "--json")

    assert places(found) == [("CHG040", "app/fresh.py", 1, "critical")]


def test_staged_is_the_index_and_not_the_working_tree(repository: Project):
    repository.write("app/main.py", "from app.absent import it\n")
    git(repository, "add", "app/main.py")
    repository.write("app/main.py", "import json\n\nprint(json)\n")

    assert places(repository.cli("review", "--staged", "--json")) == [("CHG040", "app/main.py", 1, "critical")]
    assert places(repository.cli("review", "--uncommitted", "--json")) == []


def test_an_author_edits_a_staged_change_only_if_the_tree_is_the_same(repository: Project):
    repository.reviewer(failing(), passing())
    repository.author("echo 'print(1)' >> app/main.py")
    repository.configure()
    git(repository, "commit", "--quiet", "--all", "--message", "agents")
    repository.write("app/main.py", "import json\n\nprint(json)\n")
    git(repository, "add", "--all")
    repository.write("app/main.py", "import json\n\nprint(json, 1)\n")

    refused = repository.cli("run", "--staged")
    git(repository, "add", "--all")
    works = repository.cli("run", "--staged", "--dry-run", "--json")

    assert refused.exit_code == ExitCode.USAGE
    assert "error: the working tree differs from the staged change" in refused.stderr
    assert "hint: " in refused.stderr
    assert works.exit_code == ExitCode.PASSED
    assert repository.prompts("reviewer") == []


@pytest.mark.parametrize("command", ["run", "stability"])
def test_standard_input_has_nothing_to_edit(repository: Project, command: str):
    refused = repository.cli(command, "-")

    assert refused.exit_code == ExitCode.USAGE
    assert refused.stderr == "error: standard input is only for `review`\nhint: save it to a file and name that\n"


@pytest.mark.parametrize(
    ("asked", "error", "hint"),
    [
        (("spec.md", "--prd", "none.md"), "none.md is not there", "check the path"),
        (("spec.md", "--upstream", "none.md"), "none.md is not there", "check the path"),
        (("--diff", "HEAD", "--prd", "none.md"), "none.md is not there", "check the path"),
        (("--diff", "HEAD", "--upstream", "none.md"), "none.md is not there", "check the path"),
        (("app",), "app holds no Markdown files", "name a folder with .md files"),
        (("spec.md", "--upstream", "app"), "app holds no Markdown files", "name a folder with .md files"),
        (("/etc",), "/etc lies outside the project", "move it into the project"),
        (("--diff", "none..HEAD"), "none..HEAD: git does not know none", "write BASE, BASE..END"),
        (("--diff", "HEAD"), "HEAD: nothing differs between commit", "make a change first"),
        (("--uncommitted",), "--uncommitted: nothing differs between commit", "make a change first"),
        (("--staged",), "--staged: nothing is staged", "stage a change with `git add`"),
        (("spec.md", "--staged"), "a path and --staged both say what to review", "leave one of them out"),
        (("spec.md", "--task", "tasks.md#1"), "--task is for a change", "add --diff"),
        (("spec.md", "--stdin-filename", "a.md"), "--stdin-filename is for standard input", "add -"),
        (("--diff", "HEAD", "--kind", "spec"), "a git range is a change, not a spec", "leave out --kind"),
        ((), "there is nothing to review", "name a file or a folder"),
    ],
)
def test_what_makes_no_sense_is_the_same_error_in_every_command(
    repository: Project, asked: tuple[str, ...], error: str, hint: str
):
    refused = [repository.cli(command, *asked) for command in COMMANDS]

    assert {result.exit_code for result in refused} == {ExitCode.USAGE}
    assert len({result.stderr for result in refused}) == 1
    assert refused[0].stderr.startswith(f"error: {error}")
    assert f"\nhint: {hint}" in refused[0].stderr
    assert repository.prompts("reviewer") == []


@pytest.mark.parametrize("command", COMMANDS)
def test_a_pattern_that_matches_only_pictures_is_an_error(repository: Project, command: str):
    (repository.root / "logo.png").write_bytes(b"\x89PNG\0")

    result = repository.cli(command, "*.png")

    assert result.exit_code == ExitCode.USAGE
    assert "logo.png holds no text" in result.stderr
    assert "hint: name a text file" in result.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_whose_documents_are_all_excluded_is_not_called_empty(repository: Project, command: str):
    repository.write("old/notes.md", NOTES)
    repository.configure("exclude: [old/]")

    result = repository.cli(command, "old")

    assert result.exit_code == ExitCode.USAGE
    assert "the configuration leaves out every document in old" in result.stderr


@pytest.mark.parametrize("asked", [("--staged",), ("--uncommitted",), ("--diff", "HEAD")])
def test_a_change_needs_a_repository_with_a_commit(project: Project, asked: tuple[str, ...]):
    outside = project.cli("review", *asked)
    git(project, "init", "--quiet")
    unborn = project.cli("review", *asked)

    assert outside.exit_code == unborn.exit_code == ExitCode.USAGE
    assert "hint: a change needs git; name files instead" in outside.stderr
    assert "there is no commit yet\nhint: commit something first" in unborn.stderr


def test_standard_input_has_each_document_above_it_once(repository: Project, monkeypatch: pytest.MonkeyPatch):
    repository.write("requirements.md", REQUIREMENTS)
    monkeypatch.chdir(repository.root)
    request = TargetRequest(
        paths=("-",), stdin=DESIGN.encode(), stdin_filename="design.md", upstream=("requirements.md",)
    )

    target = Resolver(root=repository.root, cwd=repository.root).resolve(request)

    assert [("requirements.md",), ("spec.md",)] == [above.paths for above in target.artifact.upstream]


def test_a_session_name_belongs_to_one_artifact(repository: Project):
    repository.write("docs/notes.md", NOTES)
    repository.cli("run", "spec.md")

    other_file = repository.cli("run", "docs/notes.md", "--name", "spec")
    change = repository.cli("run", "--uncommitted", "--name", "spec")

    assert other_file.exit_code == change.exit_code == ExitCode.USAGE
    assert other_file.stderr == (
        "error: the session name `spec` belongs to spec.md\nhint: choose another name: --name docs-spec\n"
    )
    assert change.stderr == (
        "error: the session name `spec` belongs to spec.md\nhint: choose another name: --name other-spec\n"
    )


@pytest.mark.parametrize("asked", [("--dry-run",), ("--upstream", "spec.md"), ("--kind", "spec")])
def test_a_feature_from_a_prd_drops_no_option(repository: Project, asked: tuple[str, ...]):
    repository.write("docs/prd/export.md", "---\nprd_id: export\ntitle: Export\nstatus: draft\n---\n\n# Export\n")

    refused = repository.cli("run", "--prd", "docs/prd/export.md", *asked)

    assert refused.exit_code == ExitCode.USAGE
    assert refused.stderr.startswith(f"error: {asked[0]} ")
    assert repository.prompts("reviewer") == []


def test_ignored_built_and_vendored_documents_are_left_out_unless_they_are_named(repository: Project):
    repository.write(".gitignore", "out/\n")
    for folder in ("docs", "out", "vendor", "node_modules/kit", "build"):
        repository.write(f"{folder}/notes.md", NOTES)

    assert files(repository.cli("review", ".", "--json")) == ["spec.md", "docs/notes.md"]
    for folder in ("out", "vendor", "node_modules/kit", "build"):
        assert files(repository.cli("review", folder, "--json")) == [f"{folder}/notes.md"]
        assert files(repository.cli("review", f"{folder}/notes.md", "--json")) == [f"{folder}/notes.md"]


def test_the_project_says_which_documents_count_and_what_they_are(repository: Project):
    for path in ("docs/notes.md", "docs/old/notes.md", "other/notes.md"):
        repository.write(path, NOTES)
    repository.configure("include: ['docs/']\nexclude: ['docs/old/']\nkinds: {'docs/notes.md': prd}")

    found = repository.cli("review", ".", "--json")
    preview = repository.cli("run", ".", "--dry-run", "--json").session

    assert files(found) == preview["files"] == ["docs/notes.md"]
    assert json.loads(found.stdout)["artifacts"][0]["kind"] == preview["kind"] == "prd"
    assert files(repository.cli("review", "other/notes.md", "--json")) == ["other/notes.md"]


def test_paths_are_shown_as_seen_from_where_the_user_is(repository: Project):
    repository.write("docs/notes.md", NOTES)
    repository.root /= "docs"

    assert files(repository.cli("review", ".", "--json")) == ["notes.md"]
    assert files(repository.cli("review", "../spec.md", "--json")) == ["../spec.md"]


def prompt_of(project: Project, *asked: str) -> str:
    project.cli("run", *asked)
    return project.prompts("reviewer")[0]


def test_a_folder_of_several_kinds_is_reviewed_by_the_spec_rubric_and_each_kind_is_named(repository: Project):
    repository.write("specs/export/requirements.md", REQUIREMENTS)
    repository.write("specs/export/design.md", DESIGN.replace("for FR-1", "for FR-1 and FR-2"))
    repository.configure(static_gate="off")

    preview = repository.cli("run", "specs/export", "--dry-run", "--json").session
    prompt = prompt_of(repository, "specs/export")

    assert preview["kind"] == "spec"
    assert "architecture" in prompt
    assert "requirements specs/export/requirements.md" in prompt
    assert "design specs/export/design.md" in prompt


def test_a_folder_of_one_kind_is_reviewed_by_its_rubric(repository: Project):
    repository.write("docs/notes.md", NOTES)
    repository.write("docs/more.md", NOTES.replace("Notes", "More"))
    repository.configure(static_gate="off")

    found = repository.cli("run", "docs", "--json").session

    assert found["kind"] == "document"
    assert found["config"]["criteria"] == ["completeness", "consistency", "clarity"]


def test_a_design_is_compared_with_the_requirements_beside_it(repository: Project):
    repository.write("specs/export/requirements.md", REQUIREMENTS)
    repository.write("specs/export/design.md", DESIGN)
    repository.configure(static_gate="off")

    reviewed = repository.cli("review", "specs/export/design.md", "--json")
    run = repository.cli("run", "specs/export/design.md", "--json").session
    prompt = repository.prompts("reviewer")[0]

    missing = [finding["issue"] for finding in json.loads(reviewed.stdout)["findings"] if "FR-2" in finding["issue"]]
    assert missing
    assert missing == [one["issue"] for one in run["rule_findings"] if "FR-2" in one["issue"]]
    assert "specs/export/requirements.md" in prompt
    assert "Export as PDF" in prompt


def test_rule_findings_are_shown_whoever_ended_the_session(repository: Project):
    repository.write("requirements.md", REQUIREMENTS)
    repository.write("design.md", DESIGN)
    repository.reviewer(failing("no"))
    blocked = repository.cli("run", "design.md", "--json").session["rule_findings"]

    repository.cli("resume", "design", "--accept")

    assert any("FR-2" in one["issue"] for one in blocked)
    assert blocked == repository.cli("status", "design", "--json").session["rule_findings"]
    assert "FR-2" in repository.cli("status", "design").stdout


def test_a_finding_without_a_line_points_at_its_sections_heading(repository: Project):
    repository.reviewer(failing("It says nothing of time", section="Design"))

    found = repository.cli("run", "spec.md", "--json").session["findings"]

    heading = SPEC.splitlines().index("## Design") + 1
    assert [(one["place"]["file"], one["place"]["line"]) for one in found] == [("spec.md", heading)]


def test_a_file_that_is_not_under_review_is_no_place_for_a_finding(repository: Project):
    item = {"section": "Overview", "issue": "It is open", "suggestion": "Close it", "file": "/etc/passwd", "line": 3}
    repository.reviewer(failing(feedback=[item]))

    found = repository.cli("run", "spec.md", "--json").session["findings"]

    assert [one["place"]["file"] for one in found] != ["/etc/passwd"]
    assert all(one["place"]["file"] in (None, "spec.md") for one in found)
