"""Checks shell syntax with `bash -n`, which parses commands and runs nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

TIMEOUT = 10.0
MAX_COMMAND = 8_000
_ERROR = re.compile(r"^(?:bash|.*?): line \d+: (.*)$")


class Shell(Protocol):
    """Parses commands and never runs them."""

    @property
    def missing(self) -> str | None:
        """Why the shell cannot parse commands; None if it can."""
        ...

    def syntax_errors(self, commands: Sequence[str]) -> list[str | None]:
        """The syntax error of each command, in order; None for valid commands."""
        ...


class NoShell:
    missing = "bash is not installed"

    def syntax_errors(self, commands: Sequence[str]) -> list[str | None]:
        return [None] * len(commands)


class Bash:
    """The local bash, located on first use."""

    def __init__(self) -> None:
        self._path: str | None = None
        self._looked = False

    @property
    def missing(self) -> str | None:
        return None if self._bash() else NoShell.missing

    def syntax_errors(self, commands: Sequence[str]) -> list[str | None]:
        """Parse all commands in one process; if that fails, bisect the list to find the broken ones."""
        bash = self._bash()
        if bash is None or not commands:
            return [None] * len(commands)
        return self._bisect(bash, list(commands))

    def _bisect(self, bash: str, commands: list[str]) -> list[str | None]:
        error = _parse(bash, commands)
        if error is None:
            return [None] * len(commands)
        if len(commands) == 1:
            return [error]
        middle = len(commands) // 2
        return self._bisect(bash, commands[:middle]) + self._bisect(bash, commands[middle:])

    def _bash(self) -> str | None:
        if not self._looked:
            import shutil  # only task lists need it

            self._path, self._looked = shutil.which("bash"), True
        return self._path


def _parse(bash: str, commands: Sequence[str]) -> str | None:
    import subprocess

    # Each command becomes a function body, so that an unclosed quote or block cannot swallow the next command.
    script = "\n".join(f"f() {{\n:\n{command[:MAX_COMMAND]}\n}}" for command in commands)
    try:
        result = subprocess.run(
            [bash, "--norc", "--noprofile", "-n"],
            input=script.encode("utf-8", "replace"),
            capture_output=True,
            timeout=TIMEOUT,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if result.returncode == 0:
        return None
    first = result.stderr.decode("utf-8", "replace").splitlines()[:1]
    match = _ERROR.match(first[0]) if first else None
    return match[1] if match else (first[0] if first else "bash cannot parse it")
