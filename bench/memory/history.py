"""A ledger of 100 MB: what it costs to make memory again from it, to go on with it, and to add up its figures.

    python bench/memory/history.py [MEGABYTES]

Sessions are run by the real loop with recorded answers of some length, then the command line is timed as a user has it.
"""

from __future__ import annotations

import asyncio
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from reviewloop.agents.kinds.replay import Replay
from reviewloop.app.library import ReviewLoop
from reviewloop.ledger.sqlite import SqliteLedger

THINGS = ("export", "upload", "invoice", "report", "backup", "session", "token", "queue")
LACKS = ("no limit", "no owner", "no time zone", "no retry", "no error message")
SCORES = {"completeness": 60, "consistency": 85, "testability": 80, "architecture": 95}
CONFIG = "profile: spec-gate\nagents: {static: {kind: static}}\nservices: {core: '*.md'}\nreview: {reviewer: static}\n"


def answer(chance: random.Random) -> str:
    issues = {f"The {chance.choice(THINGS)} has {chance.choice(LACKS)}" for _ in range(3)}
    feedback = [{"section": "Overview", "issue": one, "suggestion": "Say so."} for one in issues]
    thoughts = " ".join(chance.choice(THINGS + LACKS) for _ in range(1500))
    return f"{thoughts}\n\n" + json.dumps({"verdict": "needs_revision", "score": SCORES, "feedback": feedback})


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


async def fill(path: Path, size: int) -> int:
    chance = random.Random(7)
    ledger = SqliteLedger(path)
    sessions = 0
    while _size(path) < size:
        for _ in range(50):
            reviewer = Replay([{"role": "review", "text": answer(chance)}])
            loop = ReviewLoop(reviewer, ledger=ledger, rules=False)
            await loop.run(f"# Spec {sessions}\n\n## Overview\n\nText.\n", name=f"spec-{sessions}")
            sessions += 1
    await ledger.close()
    return sessions


def timed(project: Path, *command: str) -> str:
    """Wall and CPU time of a command, and the most memory that any command took so far."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "reviewloop", *command], cwd=project, check=False, capture_output=True)
    seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return f"{' '.join(command)}: {seconds:.1f} s, {cpu:.1f} s of CPU, peak {after.ru_maxrss // 1024} MB"


def main(megabytes: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        (project / "reviewloop.yml").write_text(CONFIG)
        (project / "spec.md").write_text("# Spec\n\n## Overview\n\nWhat is built, and for whom, in one sentence.\n")
        (project / ".reviewloop").mkdir()
        path = project / ".reviewloop/reviewloop.db"
        sessions = asyncio.run(fill(path, megabytes * 1024 * 1024))
        print(f"{sessions} sessions, {path.stat().st_size / 1024 / 1024:.0f} MB")
        print("memory.db is made again:", timed(project, "memory", "list"))
        print("it is up to date:", timed(project, "memory", "list"))
        print("one more session:", timed(project, "run", "spec.md"))
        print("all figures:", timed(project, "stats"))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
