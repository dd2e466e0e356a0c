"""For reviewdog: Reviewdog Diagnostic Format, whose columns count bytes of UTF-8.

A finding's suggestion is prose, so it is part of the message; reviewdog's own suggestions are texts to put in place of
a range.
"""

from __future__ import annotations

from typing import Any

from reviewloop.core.types.finding import Severity
from reviewloop.reports.finding_places import Located, Unit, by_file
from reviewloop.reports.json import dumps
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
            "diagnostics": [_diagnostic(one, report) for file in by_file(report) for one in file.findings],
        },
        indent=2,
    )


def _diagnostic(one: Located, report: ReviewReport) -> dict[str, Any]:
    finding = one.finding
    location: dict[str, Any] = {"path": one.anchor}
    if region := one.region_in(Unit.BYTES):
        location["range"] = {
            "start": _position(region.line, region.column),
            "end": _position(region.end_line, region.end_column),
        }
    rule = report.rule(finding.rule)
    code = {"value": one.label}
    if rule and rule.docs.startswith(("https://", "http://")):
        code["url"] = rule.docs
    return {
        "message": f"{finding.issue}\n\nhint: {finding.suggestion}" if finding.suggestion else finding.issue,
        "location": location,
        "severity": _SEVERITIES[finding.severity],
        "code": code,
    }


def _position(line: int, column: int | None) -> dict[str, int]:
    return {"line": line} if column is None else {"line": line, "column": column}
