"""A task's own check: the command that its list gives, and what came of running it."""

from __future__ import annotations

from dataclasses import dataclass

from reviewloop.core.types.finding import Finding, Severity

RULE = "VERIFY"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verify:
    """A command that succeeds when the task is done, and the seconds it may take."""

    command: str
    timeout: float = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What a Verify command did. Without an exit code, `problem` says why; `output` is the last of what it printed."""

    command: str
    exit_code: int | None
    output: str = ""
    seconds: float = 0.0
    problem: str = ""

    @property
    def succeeds(self) -> bool:
        return self.exit_code == 0

    @property
    def said(self) -> str:
        """What happened, in a sentence without its end."""
        return f"`{self._name}` {self.problem or f'exits with {self.exit_code}'}"

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Nothing if it succeeds. A failure blocks by itself: no reviewer has to be paid to look at it."""
        if self.succeeds:
            return ()
        last = next((line for line in reversed(self.output.splitlines()) if line.strip()), "")
        return (
            Finding(
                issue=f"the task's Verify command fails: {self.said}",
                severity=Severity.CRITICAL,
                rule=RULE,
                suggestion=f"Its output ends with: {last.strip()[:300]}" if last else "Make it succeed.",
            ),
        )

    @property
    def _name(self) -> str:
        first, *more = self.command.strip().splitlines() or [""]
        return f"{first} ..." if more else first
