"""For GitLab: a Code Quality report, shown in merge requests. Fingerprints tell new findings from old ones."""

from __future__ import annotations

from typing import Any

from reviewloop.core.types.finding import Severity
from reviewloop.reports.finding_places import Located, by_file
from reviewloop.reports.json import dumps
from reviewloop.reports.report import ReviewReport

_SEVERITIES = {
    Severity.CRITICAL: "critical",
    Severity.IMPORTANT: "major",
    Severity.MINOR: "minor",
    Severity.INFO: "info",
}


def render(report: ReviewReport) -> str:
    return dumps([_issue(one) for file in by_file(report) for one in file.findings], indent=2)


def _issue(one: Located) -> dict[str, Any]:
    finding = one.finding
    return {
        "type": "issue",
        "check_name": one.label,
        "description": f"{finding.issue} ({finding.suggestion})" if finding.suggestion else finding.issue,
        "severity": _SEVERITIES[finding.severity],
        "fingerprint": one.fingerprint,
        "location": {
            "path": one.anchor.removeprefix("./"),
            "lines": {
                "begin": one.region.line if one.region else 1,
                "end": one.region.end_line if one.region else 1,
            },
        },
    }
