"""What prompts are made of: parts with a title, findings in a line or two, and fenced data."""

from __future__ import annotations

from collections.abc import Iterable

from reviewloop.core.judging.contest import Contest
from reviewloop.core.types.finding import Finding, Severity
from reviewloop.core.types.verification import Verification

MAX_OUTPUT = 6000
"""How much of what a task's own check printed is told: the end of it."""


def joined(*parts: str) -> str:
    """A prompt; parts that say nothing are left out."""
    return "\n\n".join(part for part in parts if part) + "\n"


def titled(title: str, body: str, about: str = "") -> str:
    if not body.strip():
        return ""
    return f"# {title}\n\n{about}\n\n{body.strip()}" if about else f"# {title}\n\n{body.strip()}"


def listed(title: str, items: tuple[str, ...], about: str = "") -> str:
    return titled(title, "\n".join(f"- {item.strip()}" for item in items), about)


def fenced(title: str, text: str, marker: str) -> str:
    text = text if text.endswith("\n") else f"{text}\n"
    return f"BEGIN {marker} {title}\n{text}END {marker}"


def finding_lines(findings: Iterable[Finding]) -> str:
    return "\n".join(_line(finding) for finding in findings)


def _line(finding: Finding) -> str:
    """One finding, in one to three lines."""
    labels = [str(finding.severity), *([str(finding.standing)] if finding.standing else [])]
    named = finding.rule or finding.id
    lines = [f"- [{', '.join(labels)}]{f' {named}' if named else ''} {finding.place}: {flat(finding.issue)}"]
    if finding.quote:
        lines.append(f"  Quote: {flat(finding.quote)}")
    if finding.suggestion and finding.severity > Severity.INFO and finding.suggestion != finding.issue:
        lines.append(f"  Instead: {flat(finding.suggestion)}")
    return "\n".join(lines)


def flat(text: str) -> str:
    """What agents wrote, on one line, so that it cannot look like a heading."""
    return " ".join(text.split())


def ruling_on(contest: Contest) -> str:
    return f"\n  Ruled: {contest.ruled.ruling}, {flat(contest.ruled.reason)}" if contest.ruled else ""


def own_check(verified: Verification | None, marker: str) -> str:
    """What the task's own check printed: whatever it is, it is data."""
    if verified is None:
        return ""
    output = fenced("output", verified.output[-MAX_OUTPUT:], marker) if verified.output.strip() else "No output."
    return titled("The task's own check", f"{verified.said}, after {verified.seconds:.1f} s.\n\n{output}")


def whole_files(marker: str, example: str) -> str:
    """How an author who cannot edit files answers with them."""
    return f"""\
You cannot edit files: answer with the complete new text of each file you write, first line to last, nothing left out.
Put each text between a line `BEGIN {marker} PATH` and a line `END {marker}`, with no code fence around it:

BEGIN {marker} {example}
(the whole new text)
END {marker}"""
