"""Many documents are checked in several processes, and nobody can tell from the report."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from reviewloop.app.rule_review import ENOUGH

REVIEW = "import os, sys; {before}; from reviewloop.cli.main import main; main(sys.argv[1:])"
FILLER = "The rows are written in the order in which they were read.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in range(40):
        text = f"# Part {number}\n\n## Requirements\n\n- FR-{number}: The export is fast.\n\n" + FILLER * 800
        (tmp_path / f"spec-{number}.md").write_text(text)
    (tmp_path / "spec-empty.md").write_text("")
    assert sum(len(file.read_text()) for file in tmp_path.iterdir()) > ENOUGH
    return tmp_path


def review(folder: Path, *args: str, before: str = "pass") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", REVIEW.format(before=before), "review", *args]
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": ":".join(sys.path)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only there are processes forked")
def test_several_processes_say_what_one_says(folder: Path):
    alone = review(folder, ".", "--format", "jsonl", before="os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})")

    several = review(folder, ".", "--format", "jsonl")

    assert 40 == len([line for line in alone.stdout.splitlines() if '"REQ020"' in line])
    assert (alone.returncode, alone.stdout, alone.stderr) == (several.returncode, several.stdout, several.stderr)


@pytest.mark.slow
def test_a_named_file_that_cannot_be_read_is_reported_and_the_others_are_reviewed(folder: Path):
    names = sorted(file.name for file in folder.iterdir())

    done = review(folder, *names)

    assert 1 == done.returncode
    assert "spec-empty.md is empty" in done.stdout
