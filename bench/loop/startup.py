"""CPU time from the shell to the prompt: help, an offline review, the status of a session; against Python alone."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from measuring import load, table, verdict
from workload import spec

REVIEWLOOP = str(Path(sys.executable).parent / "reviewloop")
NOT_PASSED_ON = ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A command line, and the milliseconds of CPU it may take."""

    name: str
    command: Sequence[str]
    budget: float | None = None


PROGRAMS = (
    Program(name="`python -c pass`", command=[sys.executable, "-c", "pass"]),
    Program(name="`python -c 'import click'`", command=[sys.executable, "-c", "import click"]),
    Program(
        name="`python -c 'import reviewloop.app'`", command=[sys.executable, "-c", "import reviewloop.app"], budget=60
    ),
    Program(name="`reviewloop --help`", command=[REVIEWLOOP, "--help"], budget=100),
    Program(name="`reviewloop review spec.md`", command=[REVIEWLOOP, "review", "spec.md"], budget=400),
    Program(name="`reviewloop status`", command=[REVIEWLOOP, "status"], budget=200),
    Program(name="`reviewloop status --json`", command=[REVIEWLOOP, "status", "--json"], budget=200),
)


def installed(folder: str) -> dict[str, str]:
    """An environment in which modules stay compiled, as pip leaves them: in a folder that goes with the benchmark."""
    kept = {name: value for name, value in os.environ.items() if name not in NOT_PASSED_ON}
    return {**kept, "PYTHONPYCACHEPREFIX": str(Path(folder, "compiled"))}


def cpu_milliseconds(command: Sequence[str], folder: str) -> float:
    """User and system time of the process and all it started."""
    process = subprocess.Popen(
        command, cwd=folder, env=installed(folder), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    said = process.stderr.read()
    process.stderr.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):  # 1: the review has findings
        raise SystemExit(f"{command} ended with {process.returncode}: {said.decode()}")
    return 1000 * (usage.ru_utime + usage.ru_stime)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=15)
    wanted = parser.parse_args()
    before = load()
    taken: dict[str, list[float]] = {one.name: [] for one in PROGRAMS}
    with tempfile.TemporaryDirectory(prefix="reviewloop-bench-") as folder:
        Path(folder, "spec.md").write_text(spec(1))
        cpu_milliseconds([REVIEWLOOP, "run", "spec.md", "--quiet"], folder)  # a session for `status` to show
        for _ in range(wanted.rounds + 1):
            for one in PROGRAMS:
                taken[one.name].append(cpu_milliseconds(one.command, folder))
    middles = {name: median(times[1:]) for name, times in taken.items()}  # the first one compiles
    least = {name: min(times[1:]) for name, times in taken.items()}
    floor = middles[PROGRAMS[0].name]
    rows = [
        [
            one.name,
            f"{middles[one.name]:.0f}",
            f"{least[one.name]:.0f}",
            f"{middles[one.name] / floor:.1f}",
            f"{one.budget:.0f}" if one.budget else "",
            verdict(middles[one.name] < one.budget) if one.budget else "",
        ]
        for one in PROGRAMS
    ]
    print("## Start-up\n")
    print(table(["command", "CPU ms", "least", "times `python -c pass`", "budget ms", ""], rows))
    print(
        f"\nUser and system time, medians of {wanted.rounds}, modules compiled. Load before {before}, after {load()}."
    )


if __name__ == "__main__":
    main()
