"""One damaged event in the ledger: its session is told as damaged, and all others are there as before."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from project import Project, failing
from reviewloop.errors import ExitCode

LEDGER = ".reviewloop/reviewloop.db"


def run_sql(project: Project, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(project.root / LEDGER)) as connection, connection:
        connection.execute(statement, values)


def of_bad(statement: str) -> Callable[[Project], None]:
    """Do something to the third event of the session `bad`."""
    return lambda project: run_sql(
        project, f"{statement} WHERE seq = 3 AND session = (SELECT session FROM sessions WHERE feature = '\"bad\"')"
    )


DAMAGE = {
    "cut off": of_bad("UPDATE events SET payload = substr(payload, 1, 9)"),
    "another shape": of_bad("UPDATE events SET payload = '[]'"),
    "not text": of_bad("UPDATE events SET payload = CAST(x'7bff7d' AS TEXT)"),
    "no time": of_bad("UPDATE events SET time = 'yesterday'"),
    "an unknown type": of_bad("UPDATE events SET type = 'spec.review.guessed'"),
    "gone": of_bad("DELETE FROM events"),
}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the two sessions are kept once they have run: every test damages its own copy."""
    return tmp_path_factory.mktemp("sessions") / "kept"


@pytest.fixture
def two_sessions(project: Project, kept: Path) -> Project:
    project.reviewer(failing())
    project.configure()
    if kept.exists():
        shutil.copytree(kept / "project", project.root, dirs_exist_ok=True)
        shutil.copytree(kept / "told", project.told, dirs_exist_ok=True)
        return project
    for name in ("bad", "good"):
        project.write(f"{name}.md", project.read("spec.md"))
        assert ExitCode.NEEDS_REVISION == project.run(f"{name}.md").exit_code
    shutil.copytree(project.root, kept / "project", ignore=shutil.ignore_patterns("reviewloop.yml"))
    shutil.copytree(project.told, kept / "told")
    return project


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
@pytest.mark.parametrize("command", ["status", "inbox"])
def test_the_other_sessions_are_listed_and_the_damaged_one_is_told(
    two_sessions: Project, command: str, damage: Callable[[Project], None]
):
    damage(two_sessions)

    shown, as_json = two_sessions.cli(command), two_sessions.cli(command, "--json")

    assert (ExitCode.INTERNAL, ExitCode.INTERNAL) == (shown.exit_code, as_json.exit_code)
    assert ("good", 1) == (shown.stdout.splitlines()[1].split()[0], len(json.loads(as_json.stdout)))
    for told in (shown.stderr, as_json.stderr):
        assert "session bad-" in told
        assert "\nhint: " in told


@pytest.mark.parametrize("command", ["stats", "progress", "calibrate"])
def test_figures_are_made_of_the_others(two_sessions: Project, command: str):
    DAMAGE["cut off"](two_sessions)

    result = two_sessions.cli(command, "--json")

    assert ExitCode.INTERNAL == result.exit_code
    assert "error: event 3 of session bad-" in result.stderr
    assert isinstance(json.loads(result.stdout), dict)


def test_events_are_printed_up_to_the_damaged_one_and_after_it(two_sessions: Project):
    before = two_sessions.events()
    DAMAGE["cut off"](two_sessions)

    every, good = two_sessions.cli("events", "--json"), two_sessions.cli("events", "good", "--json")

    printed = [json.loads(line)["id"] for line in every.stdout.splitlines()]
    assert [event["id"] for number, event in enumerate(before, 1) if number != 3] == printed
    assert (ExitCode.INTERNAL, 1) == (every.exit_code, every.stderr.count("error: "))
    assert (ExitCode.PASSED, "") == (good.exit_code, good.stderr)


@pytest.mark.parametrize("command", [("log",), ("status",), ("resume",), ("inbox", "show")])
def test_the_session_itself_is_refused_and_the_other_is_not(two_sessions: Project, command: tuple[str, ...]):
    DAMAGE["cut off"](two_sessions)

    bad, good = (two_sessions.cli(*command, name) for name in ("bad", "good"))

    assert (ExitCode.INTERNAL, "error: event 3 of session bad-") == (bad.exit_code, bad.stderr[:30])
    assert ExitCode.INTERNAL != good.exit_code


def test_what_is_reviewed_anew_is_listed_again(two_sessions: Project):
    DAMAGE["cut off"](two_sessions)

    assert ExitCode.INTERNAL == two_sessions.run("bad.md").exit_code
    assert ExitCode.NEEDS_REVISION == two_sessions.run("bad.md", "--fresh").exit_code

    result = two_sessions.cli("status", "--json")
    assert (ExitCode.PASSED, ["bad", "good"]) == (
        result.exit_code, [one["feature"] for one in json.loads(result.stdout)],
    )  # fmt: skip


def test_reviewers_learn_of_the_others_and_are_told_once(two_sessions: Project):
    DAMAGE["cut off"](two_sessions)
    (two_sessions.root / ".reviewloop/memory.db").unlink()

    first, second = two_sessions.run("good.md"), two_sessions.run("good.md")

    told = "warning: a session was skipped in the reviewer memory: event 3 of session bad-"
    assert (1, 0) == (first.stderr.count(told), second.stderr.count(told)), first.stderr
    (learned,) = json.loads(two_sessions.cli("memory", "list", "--json").stdout)
    assert 3 == learned["reviews"]


def test_doctor_finds_it(two_sessions: Project):
    DAMAGE["cut off"](two_sessions)

    result = two_sessions.cli("doctor", "--json")

    assert ExitCode.USAGE == result.exit_code
    assert ["session bad"] == [one["what"] for one in json.loads(result.stdout) if not one["ok"]]
