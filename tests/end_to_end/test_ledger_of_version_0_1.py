"""A ledger that version 0.1 wrote is read, and its sessions go on."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from project import Project
from reviewloop.errors import ExitCode

DUMP = Path(__file__).parents[1] / "ledger/data/version_0_1.sql"


@pytest.fixture
def old(project: Project) -> Project:
    """A project whose only ledger is the old one. Its reviewers were called `reviewer`, `never` and `judge`."""
    (project.root / ".reviewloop").mkdir()
    connection = sqlite3.connect(project.root / ".reviewloop/reviewloop.db")
    connection.executescript(DUMP.read_text(encoding="utf-8"))
    connection.close()
    for name in ("reviewer", "never", "judge", "coder"):
        project.agent(name, "exit 1")
    project.configure()
    project.write("other.md", project.read("spec.md"))
    return project


def test_every_event_is_read(old: Project):
    rows = (
        sqlite3.connect(old.root / ".reviewloop/reviewloop.db").execute("SELECT session, type FROM events").fetchall()
    )
    events = [json.loads(line) for line in old.cli("events", "--json").stdout.splitlines()]
    assert rows == [(event["session"], event["type"]) for event in events]
    assert {"spec.review.commissioned", "spec.review.blocked", "spec.review.memory_added"} <= {kind for _, kind in rows}


def test_its_sessions_are_shown_and_counted(old: Project):
    ended = {name: old.cli("status", name, "--json").session["outcome"] for name in ("spec", "other", "notes")}
    assert {"spec": "passed", "other": "blocked", "notes": "passed"} == ended
    assert "Say which CSV dialect" in old.cli("log", "spec").stdout
    assert ExitCode.PASSED == old.cli("stats", "--format", "json").exit_code
    assert "Money is in cents" in old.cli("memory", "show", "p01").stdout
    assert ExitCode.PASSED == old.cli("doctor").exit_code


def test_a_person_answers_a_session_of_then(old: Project):
    assert ExitCode.PASSED == old.cli("resume", "other", "--accept", "--anyway", "--note", "fine as it is").exit_code
    assert "passed_with_warnings" == old.cli("status", "other", "--json").session["outcome"]


def test_a_newer_ledger_is_refused_with_advice(old: Project):
    connection = sqlite3.connect(old.root / ".reviewloop/reviewloop.db")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    result = old.cli("status")
    assert ExitCode.INTERNAL == result.exit_code
    assert "a newer Reviewloop wrote it: upgrade this one" in result.stderr
