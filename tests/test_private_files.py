"""Reviewloop's own folder is private, and git ignores all of it but what a team may share."""

from __future__ import annotations

import sqlite3
import stat
import subprocess
from pathlib import Path

import pytest

from reviewloop.private_files import make_database, make_folders, make_memory_folder


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def new_to_git(root: Path) -> list[str]:
    done = subprocess.run(
        ["git", "status", "--porcelain", "--untracked-files=all"], cwd=root, capture_output=True, text=True, check=True
    )
    return [line[3:] for line in done.stdout.splitlines()]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    return tmp_path


def test_git_sees_only_what_a_team_may_share(repository: Path):
    own = repository / ".reviewloop"
    make_folders(own / "review-logs")
    for name in ("reviewloop.db", "review-logs/a.json", "config.yml", "baseline.json"):
        (own / name).write_text("")
    assert [".reviewloop/baseline.json", ".reviewloop/config.yml"] == new_to_git(repository)


def test_the_memory_is_shared_once_somebody_decides_so(repository: Path):
    memory = repository / ".reviewloop/memory"
    make_memory_folder(memory)
    (memory / "MEMORY.md").write_text("# Known")
    assert [] == new_to_git(repository)
    (memory / ".gitignore").unlink()
    make_memory_folder(memory)
    assert [".reviewloop/memory/MEMORY.md"] == new_to_git(repository)


def test_the_folder_and_its_databases_are_for_their_owner_alone(tmp_path: Path):
    path = tmp_path / ".reviewloop/reviewloop.db"
    make_database(path)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE words (word TEXT)")
        files = sorted(file.name for file in path.parent.glob("reviewloop.db*"))
        assert ["reviewloop.db", "reviewloop.db-shm", "reviewloop.db-wal"] == files
        assert {0o600} == {mode(path.parent / name) for name in files}
    assert 0o700 == mode(path.parent)


def test_what_was_open_to_others_is_closed_to_them(tmp_path: Path):
    own = tmp_path / ".reviewloop"
    own.mkdir(mode=0o755)
    for name in ("reviewloop.db", "reviewloop.db-wal"):
        (own / name).touch(mode=0o644)
    make_database(own / "reviewloop.db")
    assert [0o700, 0o600, 0o600] == [mode(own), mode(own / "reviewloop.db"), mode(own / "reviewloop.db-wal")]


def test_what_the_owner_may_not_do_stays_so(tmp_path: Path):
    own = tmp_path / ".reviewloop"
    own.mkdir()
    own.chmod(0o555)
    make_folders(own)
    assert 0o500 == mode(own)


def test_a_ledger_that_a_team_shares_elsewhere_stays_shared(tmp_path: Path):
    shared = tmp_path / "shared/ledger.db"
    shared.parent.mkdir()
    shared.touch(mode=0o644)
    shared.chmod(0o664)
    make_database(shared)
    assert (0o664, []) == (mode(shared), list(shared.parent.glob(".git*")))


def test_a_folder_that_somebody_keeps_elsewhere_is_left_as_it_is(tmp_path: Path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o755)
    (tmp_path / ".reviewloop").symlink_to(elsewhere)
    make_folders(tmp_path / ".reviewloop/inbox")
    assert (0o755, ["inbox"]) == (mode(elsewhere), [path.name for path in elsewhere.iterdir()])


def test_an_ignore_file_that_somebody_changed_stays_theirs(tmp_path: Path):
    ignore = tmp_path / ".reviewloop/.gitignore"
    ignore.parent.mkdir()
    ignore.write_text("*.db\n")
    make_folders(ignore.parent)
    assert "*.db\n" == ignore.read_text()
