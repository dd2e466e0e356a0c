"""For GitHub Actions: workflow commands that become annotations on the changed lines, the worst first.

GitHub shows ten of each level per step.
"""

from __future__ import annotations

from reviewloop.core.types.finding import Severity
from reviewloop.reports.finding_places import Located, by_file, worst_first
from reviewloop.reports.report import ReviewReport
from reviewloop.reports.safe_text import printable
from reviewloop.reports.text_range import lines_of

_LEVELS = {
    Severity.CRITICAL: "error",
    Severity.IMPORTANT: "warning",
    Severity.MINOR: "notice",
    Severity.INFO: "notice",
}
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_DATA, ":": "%3A", ",": "%2C"}


def render(report: ReviewReport) -> str:
    findings = worst_first(one for file in by_file(report) for one in file.findings)
    unread = (f"::error title=left out::{_escaped(text, _DATA)}" for text in report.left_out)
    return "".join(f"{line}\n" for line in (*unread, *map(_command, findings)))


def _command(one: Located) -> str:
    properties: dict[str, object] = {"file": one.anchor}
    if one.region:
        properties |= {"line": one.region.line, "endLine": one.region.end_line}
        # GitHub refuses columns for a range of several lines.
        if one.region.column and one.region.line == one.region.end_line:
            properties |= {"col": one.region.column, "endColumn": one.region.end_column or one.region.column}
    properties["title"] = f"{one.label} ({one.finding.severity})"
    listed = ",".join(f"{name}={_escaped(str(value), _PROPERTY)}" for name, value in properties.items())
    message = one.finding.issue
    if one.finding.suggestion:
        message = f"{message}\nhint: {one.finding.suggestion}"
    return f"::{_LEVELS[one.finding.severity]} {listed}::{_escaped(message, _DATA)}"


def _escaped(text: str, table: dict[str, str]) -> str:
    harmless = "\n".join(printable(line) for line in lines_of(text))
    return harmless.translate(str.maketrans(table))
