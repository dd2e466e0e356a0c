"""The parts of prompts: titled sections, findings in a few lines, and fenced data."""

from __future__ import annotations

from collections.abc import Iterable

from reviewloop.core.judging.contest import Contest
from reviewloop.core.types.finding import Finding, Severity
from reviewloop.core.types.verification import Verification

MAX_OUTPUT = 6000
"""The most characters of a Verify command's output in a prompt, counted from its end."""


def joined(*parts: str) -> str:
    """A prompt of these parts, without the empty ones."""
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
    labels = [str(finding.severity), *([str(finding.standing)] if finding.standing else [])]
    named = finding.rule or finding.id
    lines = [f"- [{', '.join(labels)}]{f' {named}' if named else ''} {finding.place}: {flat(finding.issue)}"]
    if finding.quote:
        lines.append(f"  Quote: {flat(finding.quote)}")
    if finding.suggestion and finding.severity > Severity.INFO and finding.suggestion != finding.issue:
        lines.append(f"  Suggestion: {flat(finding.suggestion)}")
    return "\n".join(lines)


def flat(text: str) -> str:
    """An agent's text on one line, so that it cannot look like a heading."""
    return " ".join(text.split())


def ruling_on(contest: Contest) -> str:
    return f"\n  Ruling: {contest.ruled.ruling}. {flat(contest.ruled.reason)}" if contest.ruled else ""


def verify_result(verified: Verification | None, marker: str) -> str:
    """The result of the task's Verify command. Its output is fenced as data."""
    if verified is None:
        return ""
    output = fenced("output", verified.output[-MAX_OUTPUT:], marker) if verified.output.strip() else "No output."
    return titled("The task's Verify command", f"{verified.summary}, after {verified.seconds:.1f} s.\n\n{output}")


def whole_files(marker: str, example: str) -> str:
    """How an author that cannot edit files answers with their text."""
    return f"""\
You cannot edit files. Instead, answer with the complete new text of each file you write, from the first line to the
last. Put each text between a line `BEGIN {marker} PATH` and a line `END {marker}`, with no code fence around it:

BEGIN {marker} {example}
(the complete new text)
END {marker}"""
