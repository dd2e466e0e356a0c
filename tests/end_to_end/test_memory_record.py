"""The ledger is memory's record: its database can be lost, its files can be edited, and nothing is forgotten."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from test_memory import ALARM, PATTERNS, REAL, SERVICES, alarmed, dismiss_once, known

from project import PYTHON, Project, passing
from reviewloop.core.types.finding import Severity
from reviewloop.core.types.memory_pattern import Memory, Pattern, Sighting
from reviewloop.core.types.review import Stage
from reviewloop.errors import ExitCode
from reviewloop.memory.store import encode

pytestmark = pytest.mark.slow

__all__ = ["alarmed"]
DATABASE = ".reviewloop/memory.db"
LONG_AGO = Pattern(
    id="S1", issue="Nobody says who may export", severity=Severity.MINOR, listed=True,
    sightings=(Sighting(key="old", on=date(2020, 1, 1)),),
)  # fmt: skip
THEIRS = Memory(stage=Stage.SPEC, service="exports", patterns=(LONG_AGO,), numbered=1, reviews=7)


def exported(project: Project) -> Any:
    return json.loads(project.cli("memory", "export").stdout)


def on_record(project: Project) -> list[str]:
    lines = project.cli("events", "@memory", "--json").stdout.splitlines()
    return [json.loads(line)["type"].removeprefix("spec.review.memory_") for line in lines]


def without_row(project: Project, pattern: str) -> None:
    lines = project.read(PATTERNS).splitlines(keepends=True)
    project.write(PATTERNS, "".join(line for line in lines if f"<!-- {pattern} -->" not in line))


def test_every_command_that_changes_something_is_on_record(project: Project):
    project.configure(SERVICES)
    project.cli("memory", "import", str(project.write("theirs.json", f'{{"memory": [{encode(THEIRS)}]}}')))
    project.cli("memory", "add", "exports", REAL)
    project.cli("memory", "add", "exports", "--rule", "Money is in cents")
    project.cli("memory", "dismiss", "exports", "S2", "--why", "fine", "--by", "ada")
    project.cli("memory", "restore", "exports", "S2")
    project.cli("memory", "prune")
    assert ["imported", "added", "rule_added", "dismissed", "restored", "pruned"] == on_record(project)
    for look in ("list", "export", "prune"):
        project.cli("memory", look)
    assert 6 == len(on_record(project)), "what changes nothing leaves no event"


def test_memorys_book_is_no_session(alarmed: Project):
    alarmed.cli("memory", "add", "exports", REAL)
    assert [] == json.loads(alarmed.cli("status", "--json").stdout)
    assert 0 == json.loads(alarmed.cli("stats", "--json").stdout)["overview"]["sessions"]
    assert ExitCode.USAGE == alarmed.cli("resume", "@memory").exit_code


def test_the_database_can_be_deleted_and_comes_out_the_same(alarmed: Project):
    alarmed.cli("memory", "import", str(alarmed.write("theirs.json", f'{{"memory": [{encode(THEIRS)}]}}')))
    for _ in range(2):
        dismiss_once(alarmed)
    alarmed.cli("memory", "add", "exports", REAL, "--severity", "critical")
    alarmed.cli("memory", "add", "exports", "Nobody reads the log", "--stage", "quality")
    alarmed.cli("memory", "dismiss", "exports", "S2", "--why", "fine", "--by", "ada")
    without_row(alarmed, "S3")
    alarmed.cli("memory", "prune")
    alarmed.run("spec.md", "--fresh")
    assert ["imported", "added", "added", "dismissed", "taken_out", "pruned"] == on_record(alarmed)
    before, state = exported(alarmed), known(alarmed)
    assert ["suppressed", "active"] == [one["state"] for one in state.values()]
    files = {path: path.read_bytes() for path in (alarmed.root / ".reviewloop/memory").rglob("*.md")}
    (alarmed.root / DATABASE).unlink()
    assert before == exported(alarmed)
    assert files == {path: path.read_bytes() for path in files}


def test_without_database_and_files_what_blocks_no_more_still_blocks_no_more(alarmed: Project):
    for _ in range(3):
        dismiss_once(alarmed)
    (alarmed.root / DATABASE).unlink()
    (alarmed.root / PATTERNS).unlink()
    assert "passed_with_warnings" == alarmed.run("spec.md", "--fresh").session["outcome"]
    assert f"{ALARM} <!-- S1 -->" in alarmed.read(PATTERNS)


def test_a_database_that_a_crash_left_behind_catches_up(alarmed: Project):
    dismiss_once(alarmed)
    old = (alarmed.root / DATABASE).read_bytes()
    dismiss_once(alarmed)
    after = exported(alarmed)
    (alarmed.root / DATABASE).write_bytes(old)
    assert after == exported(alarmed)


def test_what_was_kept_before_the_ledger_had_it_stays_and_goes_on_record(alarmed: Project):
    alarmed.run("spec.md", "--fresh")
    (alarmed.root / DATABASE).unlink()
    older = sqlite3.connect(alarmed.root / DATABASE)
    older.execute("CREATE TABLE memory (stage TEXT, service TEXT, body TEXT NOT NULL, PRIMARY KEY (stage, service))")
    recent = replace(LONG_AGO, sightings=(Sighting(key="old", on=datetime.now(UTC).date() - timedelta(days=2)),))
    body = encode(replace(THEIRS, patterns=(recent,)))
    older.execute("INSERT INTO memory VALUES ('spec', 'exports', ?)", (body,))
    older.commit()
    older.close()
    assert {LONG_AGO.issue: 1} == {issue: one["frequency"] for issue, one in known(alarmed).items()}
    assert ["imported"] == on_record(alarmed)
    alarmed.cli("memory", "add", "exports", LONG_AGO.issue)
    (alarmed.root / DATABASE).unlink()
    assert {LONG_AGO.issue: 2} == {issue: one["frequency"] for issue, one in known(alarmed).items()}


def test_a_colleagues_files_are_taken_over_once_and_on_record(alarmed: Project):
    alarmed.cli("memory", "add", "exports", REAL)
    for path in (alarmed.root / ".reviewloop").glob("*.*"):
        path.unlink()
    alarmed.run("spec.md", "--fresh")
    assert {REAL: 1, ALARM: 1} == {issue: one["frequency"] for issue, one in known(alarmed).items()}
    assert ["imported"] == on_record(alarmed)


@pytest.mark.slow
def test_several_processes_that_learn_and_tell_at_once_lose_nothing(project: Project):
    project.reviewer(passing())
    project.configure(SERVICES)
    for name in "abcd":
        project.write(f"{name}.md", project.read("spec.md"))
    topics = ("time zones", "encodings", "quotas", "permissions", "retries", "backups")
    commands = [["memory", "add", "exports", f"Nobody says anything about {topic}"] for topic in topics]
    commands += [["run", f"{name}.md", "--quiet"] for name in "abcd"]
    running = [_started(project.root, command) for command in commands]
    ended = [process.communicate(timeout=120) for process in running]
    assert [0] * 10 == [process.returncode for process in running], [err for _, err in ended]
    assert ["reviewers of exports are told from now on\n"] * 6 == [err for _, err in ended[:6]]
    assert set(topics) == {issue.removeprefix("Nobody says anything about ") for issue in known(project)}
    (line,) = json.loads(project.cli("memory", "list", "--json").stdout)
    analytics = json.loads(project.read(".reviewloop/analytics.json"))
    assert (6, 4, 4) == (line["active"], line["reviews"], analytics["summary"]["total_reviews"])
    before = exported(project)
    (project.root / DATABASE).unlink()
    assert before == exported(project)
    assert 6 == project.read(PATTERNS).count("Nobody says anything about")


def _started(root: Path, command: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [PYTHON, "-m", "reviewloop", *command], cwd=root, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def test_an_event_of_a_newer_version_is_a_warning_and_the_review_goes_on(alarmed: Project):
    alarmed.run("spec.md", "--fresh")
    with sqlite3.connect(alarmed.root / ".reviewloop/reviewloop.db") as database:
        database.execute(
            "INSERT INTO events (id, session, seq, time, type, payload)"
            " VALUES ('x', '@memory', 1, '2026-01-01T00:00:00Z', 'spec.review.memory_dreamt', '{}')"
        )
    database.close()
    result = alarmed.run("spec.md", "--fresh")
    assert "blocked" == result.session["outcome"]
    assert "the reviewer memory is not up to date: event 1 of session @memory" in result.stderr
