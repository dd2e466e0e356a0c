"""A task's Verify command, and the result of running it."""

from __future__ import annotations

from dataclasses import dataclass

from reviewloop.core.types.finding import Finding, Severity

RULE = "VERIFY"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verify:
    command: str
    timeout: float = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The result of a Verify command. `problem` says why there is no exit code; `output` is the end of its output."""

    command: str
    exit_code: int | None
    output: str = ""
    seconds: float = 0.0
    problem: str = ""

    @property
    def succeeds(self) -> bool:
        return self.exit_code == 0

    @property
    def summary(self) -> str:
        return f"`{self._name}` {self.problem or f'exits with {self.exit_code}'}"

    @property
    def findings(self) -> tuple[Finding, ...]:
        """A critical finding if the command fails, so that it blocks before any reviewer is paid."""
        if self.succeeds:
            return ()
        last = next((line for line in reversed(self.output.splitlines()) if line.strip()), "")
        return (
            Finding(
                issue=f"the task's Verify command fails: {self.summary}",
                severity=Severity.CRITICAL,
                rule=RULE,
                suggestion=f"Its output ends with: {last.strip()[:300]}" if last else "Make the command succeed.",
            ),
        )

    @property
    def _name(self) -> str:
        first, *more = self.command.strip().splitlines() or [""]
        return f"{first} ..." if more else first
