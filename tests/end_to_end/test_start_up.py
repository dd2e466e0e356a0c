"""What a command does not need, it does not import: that is most of its start-up."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from reviewloop import app

HEAVY = (
    "asyncio",
    "markdown_it",
    "pydantic",
    "reviewloop.agents",
    "reviewloop.config.load",
    "reviewloop.config.schema",
    "reviewloop.engine",
    "reviewloop.ledger",
    "reviewloop.core.session.events",
    "rich.console",
    "sqlite3",
    "subprocess",
    "yaml",
)
UNREAD = (
    "difflib",
    "markdown_it",
    "pydantic",
    "reviewloop.agents",
    "reviewloop.core.dialects",
    "reviewloop.core.session.events.memory",
    "reviewloop.core.session.revisions",
    "reviewloop.core.statistics",
    "reviewloop.documents.model",
    "reviewloop.engine",
    "reviewloop.memory",
    "reviewloop.ports",
    "reviewloop.views",
    "reviewloop.workspace.change",
    "reviewloop.workspace.git",
    "reviewloop.workspace.project",
    "rich.console",
    "tempfile",
    "yaml",
)
"""What nobody needs who only reads the record."""
PASSING = """\
# Export

## Purpose

Users take their data with them.

## Requirements

- FR-1: `GET /export` answers with CSV within 2 seconds.

## Design

The handler streams rows from a cursor, for FR-1.

## Testing

A test calls `GET /export` and measures the time, for FR-1.
"""
SPEC = "# Export\n\n## Requirements\n\n- FR-1: `GET /export` answers with CSV within 2 seconds.\n"


def imported(folder: Path, *args: str) -> set[str]:
    """The modules that a command had imported when it ended."""
    code = (
        "import sys; from reviewloop.cli.main import run; run(sys.argv[1:]);"
        "sys.stderr.write('\\n'.join(['imported:', *sys.modules]))"
    )
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code, *args], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return set(done.stderr.partition("imported:\n")[2].split("\n"))


@pytest.mark.parametrize(
    "form", ["terminal", *(pytest.param(form, marks=pytest.mark.slow) for form in ("json", "sarif"))]
)
def test_an_offline_review_imports_nothing_of_the_loop(tmp_path: Path, form: str):
    (tmp_path / "spec.md").write_text(SPEC)

    modules = imported(tmp_path, "review", "spec.md", "--format", form)

    assert "reviewloop.rules.requirements" in modules
    assert [] == [name for name in HEAVY if name in modules]


def test_a_review_of_a_spec_does_not_import_the_rules_for_task_lists(tmp_path: Path):
    (tmp_path / "spec.md").write_text(SPEC)

    assert "reviewloop.rules.tasks" not in imported(tmp_path, "review", "spec.md")


def test_settings_are_read_as_soon_as_somebody_wrote_some(tmp_path: Path):
    (tmp_path / "spec.md").write_text(SPEC)
    (tmp_path / "reviewloop.yml").write_text("rules: {ignore: [DOC001]}\n")

    assert "reviewloop.config.load" in imported(tmp_path, "review", "spec.md")


def test_help_imports_click_and_no_command(tmp_path: Path):
    modules = imported(tmp_path, "--help")

    assert {"reviewloop", "reviewloop.cli", "reviewloop.cli.main", "reviewloop.cli.streams", "reviewloop.errors"} == {
        name for name in modules if name.partition(".")[0] == "reviewloop"
    }
    assert "dataclasses" not in modules


@pytest.mark.parametrize("command", ["status", "inbox", "events"])
def test_a_look_at_the_ledger_imports_neither_engine_nor_rules_nor_figures(tmp_path: Path, command: str):
    (tmp_path / "spec.md").write_text(SPEC)
    imported(tmp_path, "run", "spec.md", "--quiet")

    modules = imported(tmp_path, command)

    assert "reviewloop.ledger.sqlite" in modules
    assert [] == [name for name in UNREAD if name in modules]
    assert {"reviewloop.rules", "reviewloop.rules.settings"} == {
        name for name in modules if name.startswith("reviewloop.rules")
    }


def test_status_compares_a_passed_document_without_a_workspace_for_agents(tmp_path: Path):
    (tmp_path / "spec.md").write_text(PASSING)
    imported(tmp_path, "run", "spec.md", "--quiet")

    modules = imported(tmp_path, "status")

    assert "reviewloop.workspace.files" in modules
    assert [] == [name for name in UNREAD if name in modules]


def test_the_use_cases_are_offered_by_name_and_loaded_when_used(tmp_path: Path):
    code = "import sys, reviewloop.app; sys.stdout.write(' '.join(sys.modules))"
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)

    ours = {name for name in done.stdout.split() if name.partition(".")[0] == "reviewloop"}
    assert {"reviewloop", "reviewloop.app"} == ours
    assert sorted(app.__all__) == app.__all__
    assert set(app._HOME) == set(app.__all__)
    assert all(getattr(app, name) for name in app.__all__)
