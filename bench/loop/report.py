"""Runs every benchmark of the loop, one after another: `python bench/loop/report.py [--write]`."""

from __future__ import annotations

import argparse
import os
import platform
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from measuring import HERE, load

SCRIPTS = ("overhead.py", "concurrency.py", "parsing.py", "startup.py")
PACKAGES = ("reviewloop", "click", "pydantic", "langgraph", "langgraph-checkpoint-sqlite", "aiosqlite")
RESULTS = HERE.parent / "RESULTS.md"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true", help="also write bench/RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="one round of everything, to see that it works")
    wanted = parser.parse_args()
    before = load()
    tables = [_tables(script, quick=wanted.quick) for script in SCRIPTS]
    report = "\n".join([_head(before), *tables])
    print(report)
    if wanted.write:
        RESULTS.write_text(report, encoding="utf-8")


def _tables(script: str, *, quick: bool) -> str:
    print(f"running {script}", file=sys.stderr)
    option = "--repetitions" if script == "parsing.py" else "--rounds"
    arguments = [option, "1"] if quick else []
    command = [sys.executable, str(HERE / script), *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def _head(before: str) -> str:
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return f"""\
# Results

Written by `./scripts/bench --write`; what is measured and how is in [README.md](README.md).

- {datetime.now(UTC):%Y-%m-%d %H:%M} UTC, commit {_commit()}
- {os.cpu_count()} CPUs ({_processor()}), {platform.system()} {platform.release()}
- load average (1, 5, 15 minutes) before the run {before}, after it {load()}
- Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {versions}
"""


def _commit() -> str:
    git = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=HERE, capture_output=True, text=True)
    return git.stdout.strip() or "unknown"


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


if __name__ == "__main__":
    main()
