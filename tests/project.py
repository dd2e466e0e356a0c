"""A scratch project and the command line, as a user has them: real files, real agents, real exit codes."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from reviewloop.cli.main import main
from reviewloop.cli.main import run as run_cli

SPEC = """\
# SPEC: Export

## Overview

Exports a report as CSV, for REQ-1.

## Requirements

- FR-1: `GET /export` answers with CSV.
- FR-2: 10,000 rows take at most 5 seconds.

## Design

Rows are streamed through `csv.writer`.

## Validation

`pytest tests/test_export.py` checks FR-1 and FR-2.
"""

SCORES = {"completeness": 90, "consistency": 85, "testability": 80, "architecture": 95}
CHECKS = dict.fromkeys(
    ("acceptance_criteria_met", "code_standards_met", "test_coverage_adequate", "security_review_passed"), True
)
OF_TASKS = dict.fromkeys(("traceability", "actionability", "structure", "quality_gates"), 90)
"""What a reviewer of a task list scores besides."""


def passing(**changes: Any) -> str:
    return json.dumps({"verdict": "pass", "score": SCORES, "feedback": []} | changes)


def says_go(feedback: str = "All criteria met.", **changes: Any) -> str:
    """A reviewer's GO, with all the checks that it needs."""
    return json.dumps({"decision": "GO", "feedback": feedback, "quality_checks": CHECKS} | changes)


def failing(*issues: str, section: str = "Overview", **changes: Any) -> str:
    feedback = [
        {"section": section, "issue": issue, "suggestion": f"Fix: {issue}"} for issue in issues or ("It is missing",)
    ]
    return json.dumps(
        {"verdict": "needs_revision", "score": SCORES | {"completeness": 60}, "feedback": feedback} | changes
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    exit_code: int
    stdout: str
    stderr: str

    @property
    def session(self) -> dict[str, Any]:
        return json.loads(self.stdout)


class Project:
    """A directory with a spec in it, and agents that are shell scripts and write down what they are told."""

    def __init__(self, base: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root = base / "project"
        self.tools = base / "tools"
        self.told = base / "told"
        for folder in (self.root, self.tools, self.told):
            folder.mkdir()
        self._capsys = capsys
        self.write("spec.md", SPEC)
        self._agents: dict[str, str] = {}

    def write(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def read(self, path: str = "spec.md") -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def agent(self, name: str, script: str, *, shell: str = "/bin/sh", **settings: Any) -> None:
        """A command agent from the body of a script. `$TOLD` is where it keeps what it was told."""
        file = self.tools / name
        # Calls that come at the same time must not take the same number.
        claim = f'N=0; until (set -C; : > "$TOLD/{name}-$N.txt") 2>/dev/null; do N=$((N + 1)); done'
        keep = f'TOLD="{self.told}"\n{claim}\ncat > "$TOLD/{name}-$N.txt"\n'
        file.write_text(f"#!{shell}\n{keep if shell == '/bin/sh' else ''}{script}\n", encoding="utf-8")
        file.chmod(file.stat().st_mode | stat.S_IXUSR)
        extra = "".join(f", {key}: {json.dumps(value)}" for key, value in settings.items())
        self._agents[name] = f"{{kind: command, command: [{json.dumps(str(file))}]{extra}}}"

    def reviewer(self, *answers: str, name: str = "reviewer", **settings: Any) -> None:
        """A reviewer that gives these answers, one a call, the last one from then on."""
        for number, text in enumerate(answers):
            (self.tools / f"{name}-answer-{number}").write_text(text, encoding="utf-8")
        last = len(answers) - 1
        self.agent(name, f'[ $N -gt {last} ] && N={last}\ncat "{self.tools}/{name}-answer-$N"', **settings)

    def author(self, script: str = 'echo "revised $N" >> spec.md', name: str = "author", **settings: Any) -> None:
        self.agent(name, script, **settings)

    def configure(self, text: str = "", **review: Any) -> None:
        """Write the configuration: the agents made so far, `reviewer` and `author` by name if there are any."""
        for role in ("reviewer", "author"):
            if role in self._agents:
                review.setdefault(role, role)
        lines = [text, "agents:", *(f"  {name}: {agent}" for name, agent in self._agents.items())]
        lines += ["review:", *(f"  {key}: {json.dumps(value)}" for key, value in review.items())] if review else []
        self.write("reviewloop.yml", "\n".join(lines if self._agents else [text, *lines[2:]]) + "\n")

    def cli(self, *args: str) -> Result:
        return self._call(lambda: run_cli(list(args)))

    def program(self) -> Result:
        """The whole program, as a shell starts it without arguments."""
        return self._call(_program)

    def _call(self, run: Callable[[], int]) -> Result:
        self._capsys.readouterr()
        before = Path.cwd()
        os.chdir(self.root)
        try:
            code = run()
        finally:
            os.chdir(before)
        out = self._capsys.readouterr()
        return Result(exit_code=code, stdout=out.out, stderr=out.err)

    def run(self, *args: str) -> Result:
        """`reviewloop run spec.md --json` with the configuration as it is; a default one if there is none."""
        if not (self.root / "reviewloop.yml").exists():
            self.configure()
        return self.cli("run", *(args or ("spec.md",)), "--json")

    def prompts(self, name: str) -> list[str]:
        """What an agent was told, call by call."""
        files = sorted(self.told.glob(f"{name}-*.txt"), key=lambda file: int(file.stem.rpartition("-")[2]))
        return [file.read_text(encoding="utf-8") for file in files]

    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.cli("events", "--json").stdout.splitlines()]

    def event_types(self) -> list[str]:
        return [event["type"].removeprefix("spec.review.") for event in self.events()]

    def answers(self) -> list[str]:
        """How each call ended."""
        ends = ("answered", "malformed", "unanswered")
        return [kind for kind in self.event_types() if kind in ends]


def _program() -> int:
    with pytest.raises(SystemExit) as end:
        main([])
    assert isinstance(end.value.code, int)
    return end.value.code


PYTHON = sys.executable
