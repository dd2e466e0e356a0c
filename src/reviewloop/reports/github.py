"""The GitHub format: workflow commands that become annotations on the changed lines.

The worst findings come first, because GitHub shows only ten annotations of each level per step.
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
    findings = worst_first(located for file in by_file(report) for located in file.findings)
    skipped = (f"::error title=skipped::{_escaped(text, _DATA)}" for text in report.left_out)
    return "".join(f"{line}\n" for line in (*skipped, *map(_command, findings)))


def _command(located: Located) -> str:
    finding, region = located.finding, located.region
    properties: dict[str, object] = {"file": located.anchor}
    if region:
        properties |= {"line": region.line, "endLine": region.end_line}
        # GitHub rejects columns for a range of several lines.
        if region.column and region.line == region.end_line:
            properties |= {"col": region.column, "endColumn": region.end_column or region.column}
    properties["title"] = f"{located.label} ({finding.severity})"
    listed = ",".join(f"{name}={_escaped(str(value), _PROPERTY)}" for name, value in properties.items())
    message = f"{finding.issue}\nhint: {finding.suggestion}" if finding.suggestion else finding.issue
    return f"::{_LEVELS[finding.severity]} {listed}::{_escaped(message, _DATA)}"


def _escaped(text: str, table: dict[str, str]) -> str:
    harmless = "\n".join(printable(line) for line in lines_of(text))
    return harmless.translate(str.maketrans(table))
