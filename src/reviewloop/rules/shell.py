"""Whether a command is valid shell. `bash -n` parses and runs nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

TIMEOUT = 10.0
MAX_COMMAND = 8_000
_ERROR = re.compile(r"^(?:bash|.*?): line \d+: (.*)$")


class Shell(Protocol):
    """Parses commands, and never runs one."""

    @property
    def missing(self) -> str | None:
        """Why nothing can be parsed; None if it can."""
        ...

    def syntax_errors(self, commands: Sequence[str]) -> list[str | None]:
        """What is wrong with each command, in order; None where nothing is."""
        ...


class NoShell:
    """Nothing can be parsed."""

    missing = "bash is not installed"

    def syntax_errors(self, commands: Sequence[str]) -> list[str | None]:
        return [None] * len(commands)


class Bash:
    """The bash on this machine, found when it is first needed."""

    def __init__(self) -> None:
        self._path: str | None = None
        self._looked = False

    @property
    def missing(self) -> str | None:
        return None if self._bash() else NoShell.missing

    def syntax_errors(self, commands: Sequence[str]) -> list[str | None]:
        """Parse all commands in one process; only if that fails, halve the list to find the broken ones."""
        bash = self._bash()
        if bash is None or not commands:
            return [None] * len(commands)
        return self._halved(bash, list(commands))

    def _halved(self, bash: str, commands: list[str]) -> list[str | None]:
        error = _parse(bash, commands)
        if error is None:
            return [None] * len(commands)
        if len(commands) == 1:
            return [error]
        middle = len(commands) // 2
        return self._halved(bash, commands[:middle]) + self._halved(bash, commands[middle:])

    def _bash(self) -> str | None:
        if not self._looked:
            import shutil  # for task lists alone, like the process below

            self._path, self._looked = shutil.which("bash"), True
        return self._path


def shell_syntax_error(command: str) -> str | None:
    """What is wrong with one command, if anything is and bash is there to tell."""
    return Bash().syntax_errors([command])[0]


def _parse(bash: str, commands: Sequence[str]) -> str | None:
    import subprocess

    # Each command is a function body, so that an unclosed one cannot swallow its neighbour unnoticed.
    script = "\n".join(f"f() {{\n:\n{command[:MAX_COMMAND]}\n}}" for command in commands)
    try:
        done = subprocess.run(
            [bash, "--norc", "--noprofile", "-n"],
            input=script.encode("utf-8", "replace"),
            capture_output=True,
            timeout=TIMEOUT,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode == 0:
        return None
    first = done.stderr.decode("utf-8", "replace").splitlines()[:1]
    match = _ERROR.match(first[0]) if first else None
    return match[1] if match else (first[0] if first else "bash cannot parse it")
