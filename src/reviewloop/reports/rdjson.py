"""The Reviewdog Diagnostic Format, whose columns count UTF-8 bytes.

A finding's suggestion is prose and becomes part of the message: reviewdog's suggestions are replacement texts.
"""

from __future__ import annotations

from typing import Any

from reviewloop.core.types.finding import Severity
from reviewloop.reports.finding_places import Located, Unit, by_file
from reviewloop.reports.json import dumps
from reviewloop.reports.phrases import with_hint
from reviewloop.reports.report import ReviewReport

_SEVERITIES = {
    Severity.CRITICAL: "ERROR",
    Severity.IMPORTANT: "WARNING",
    Severity.MINOR: "INFO",
    Severity.INFO: "INFO",
}


def render(report: ReviewReport) -> str:
    return dumps(
        {
            "source": {"name": "reviewloop"},
            "diagnostics": [_diagnostic(located, report) for file in by_file(report) for located in file.findings],
        },
        indent=2,
    )


def _diagnostic(located: Located, report: ReviewReport) -> dict[str, Any]:
    location: dict[str, Any] = {"path": located.anchor}
    if region := located.region_in(Unit.BYTES):
        location["range"] = {
            "start": _position(region.line, region.column),
            "end": _position(region.end_line, region.end_column),
        }
    rule = report.rule(located.finding.rule)
    code = {"value": located.label}
    if rule and rule.docs.startswith(("https://", "http://")):
        code["url"] = rule.docs
    return {
        "message": with_hint(located.finding),
        "location": location,
        "severity": _SEVERITIES[located.finding.severity],
        "code": code,
    }


def _position(line: int, column: int | None) -> dict[str, int]:
    return {"line": line} if column is None else {"line": line, "column": column}
