"""What people and accidents do to the analytics and memory files: reviews go on, the damage is named, nothing is lost."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from test_analytics import PATH as ANALYTICS
from test_memory import ALARM, FOLDER, PATTERNS, SERVICES, alarmed, known

from project import PYTHON, Project, Result, failing, passing
from reviewloop.agents.kinds.replay import Replay
from reviewloop.app.library import ReviewLoop
from reviewloop.errors import ExitCode
from reviewloop.ledger.sqlite import SqliteLedger

__all__ = ["alarmed"]


def features(project: Project) -> list[str]:
    return [one["feature"] for one in json.loads(project.read(ANALYTICS))["reviews"]]


def reviewed(project: Project, name: str) -> Result:
    project.write(f"{name}.md", project.read("spec.md"))
    result = project.run(f"{name}.md")
    assert "passed" == result.session["outcome"], "the review goes on"
    return result


@pytest.fixture
def passes(project: Project) -> Project:
    project.reviewer(passing())
    project.configure(SERVICES)
    return project


@pytest.mark.parametrize(
    ("edit", "damage"),
    [
        (lambda text: text.replace('"feature": "a",', '"feature": "a"'), "line 3, column 43: Expecting ',' delimiter"),
        pytest.param(
            lambda text: text.replace("{\n", '{\n  "version": 3,\n', 1), "unknown key 'version'", marks=pytest.mark.slow
        ),
        pytest.param(
            lambda text: text.replace('"task": null, ', ""), "reviews[0] has no `task`", marks=pytest.mark.slow
        ),
        (lambda text: text[: len(text) // 2], "line "),
    ],
    ids=["a comma is gone", "another version", "a field is gone", "half of it"],
)
def test_a_hand_edited_analytics_file_is_left_alone_and_caught_up_with_once_repaired(
    passes: Project, edit: Any, damage: str
):
    reviewed(passes, "a")
    good = passes.read(ANALYTICS)
    broken = passes.write(ANALYTICS, edit(good)).read_bytes()
    result = reviewed(passes, "b")
    assert (broken, True) == ((passes.root / ANALYTICS).read_bytes(), damage in result.stderr), result.stderr
    assert f"{ANALYTICS} was not changed: " in result.stderr
    passes.write(ANALYTICS, good)
    assert ("", ["a", "b", "c"]) == (_warnings(reviewed(passes, "c")), features(passes))


def test_an_analytics_file_with_windows_line_ends_is_read_and_extended(passes: Project):
    reviewed(passes, "a")
    path = passes.root / ANALYTICS
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert ("", ["a", "b"]) == (_warnings(reviewed(passes, "b")), features(passes))


def test_a_file_of_100_mb_of_somebody_elses_making_is_not_even_read(passes: Project):
    path = passes.write(ANALYTICS, "{")
    os.truncate(path, 100 * 1024 * 1024)
    assert "it was changed and is larger than 64 MB" in reviewed(passes, "a").stderr
    assert 100 * 1024 * 1024 == path.stat().st_size


@pytest.mark.parametrize("folder", [FOLDER.rpartition("/")[0], FOLDER, f"{FOLDER}/service-patterns"])
def test_a_file_where_a_folder_should_be_is_named(alarmed: Project, folder: str):
    path = alarmed.write(folder, "not a folder")
    result = alarmed.run()
    assert ("blocked", "not a folder") == (result.session["outcome"], path.read_text())
    assert "the reviewer memory could not be written" in result.stderr
    assert "the ledger has every event" in result.stderr
    path.unlink()
    assert 1 == known(alarmed)[ALARM]["frequency"], "nothing that was learned is lost"


def without_privileges(project: Project, *command: str) -> subprocess.CompletedProcess[str]:
    """A command that cannot write where it may not: root may everywhere, unless that right is taken away."""
    drop: list[str] = []
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("nothing is read-only for root")
        drop = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    return subprocess.run(
        [*drop, PYTHON, "-m", "reviewloop", *command], cwd=project.root, text=True, capture_output=True, check=False,
        timeout=60,
    )  # fmt: skip


@pytest.mark.slow
def test_a_read_only_directory_is_a_warning_and_what_was_learned_comes_later(alarmed: Project):
    alarmed.configure(f"{SERVICES}\npaths: {{analytics: .reviewloop/memory/analytics.json}}", max_iterations=1)
    alarmed.run("spec.md", "--fresh")
    memory = alarmed.root / ".reviewloop/memory"
    before = {path: path.read_bytes() for path in memory.rglob("*") if path.is_file()}
    folders = [path for path in memory.rglob("*") if path.is_dir()] + [memory]
    for folder in folders:
        folder.chmod(0o500)
    try:
        result = without_privileges(alarmed, "run", "spec.md", "--fresh", "--json")
    finally:
        for folder in folders:
            folder.chmod(0o700)
    assert ("blocked", before) == (json.loads(result.stdout)["outcome"], {path: path.read_bytes() for path in before})
    assert "the review analytics could not be written" in result.stderr
    assert "the reviewer memory could not be written" in result.stderr
    alarmed.run("spec.md", "--fresh")
    analytics = json.loads(alarmed.read(".reviewloop/memory/analytics.json"))
    assert (3, 3) == (known(alarmed)[ALARM]["frequency"], len(analytics["reviews"]))
    assert f"| {ALARM} <!-- S1 --> | 3 |" in alarmed.read(PATTERNS)


@pytest.mark.slow
def test_a_long_ledger_is_learned_from_page_by_page(project: Project):
    """More events than are read at once. What 100 MB cost is in bench/memory/history.py."""
    project.configure("services: {core: '*.md'}")
    sessions = 120

    async def fill() -> None:
        ledger = SqliteLedger(project.root / ".reviewloop/reviewloop.db")
        loop = ReviewLoop(Replay([{"role": "review", "text": failing(ALARM)}]), ledger=ledger, rules=False)
        for number in range(sessions):
            await loop.run("# Spec\n\n## Overview\n\nText.\n", name=f"spec-{number}")
        await ledger.close()

    asyncio.run(fill())
    assert len(project.events()) > 500
    (line,) = json.loads(project.cli("memory", "list", "--json").stdout)
    assert (sessions, 1, sessions) == (line["reviews"], line["active"], _frequency(project, line["service"]))
    assert sessions == len(list((project.root / FOLDER / "reviews").iterdir()))


def _frequency(project: Project, service: str) -> int:
    return known(project, service)[ALARM]["frequency"]


def _warnings(result: Result) -> str:
    return "".join(line for line in result.stderr.splitlines() if line.startswith("warning"))


@pytest.mark.slow
def test_a_service_with_thousands_of_patterns_has_a_bounded_prompt(alarmed: Project):
    words = Path(__file__).read_text(encoding="utf-8").split()
    patterns = [
        {"id": f"S{n}", "issue": f"{words[n % len(words)]} {n} is not described", "severity": "minor",
         "sightings": [{"key": f"s{n}", "on": "2999-01-01"}]}
        for n in range(1, 3001)
    ]  # fmt: skip
    many = {"memory": [{"stage": "spec", "service": "exports", "patterns": patterns, "numbered": len(patterns)}]}
    alarmed.cli("memory", "import", str(alarmed.write("many.json", json.dumps(many))))
    result = alarmed.run()
    told = alarmed.prompts("reviewer")[0].partition("# Lessons from earlier reviews")[2].partition("\n# ")[0]
    assert ("blocked", 100, True) == (
        result.session["outcome"], told.count("is not described"), "(2900 more on record)" in told,
    )  # fmt: skip
    assert ("S3001", 1) == (known(alarmed)[ALARM]["id"], known(alarmed)[ALARM]["frequency"])


def test_a_record_that_is_deleted_under_a_run_is_told_as_that(project: Project):
    project.agent("reviewer", f'rm -f "{project.root.parent}"/elsewhere/ledger.db*\nexit 3')
    project.configure("ledger: ../elsewhere/ledger.db")

    told = project.run()

    assert ExitCode.INTERNAL == told.exit_code
    assert "its record is gone" in told.stderr
