"""The GitLab format: a Code Quality report for merge requests. Fingerprints tell new findings from old ones."""

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
    return dumps([_issue(located) for file in by_file(report) for located in file.findings], indent=2)


def _issue(located: Located) -> dict[str, Any]:
    finding, region = located.finding, located.region
    return {
        "type": "issue",
        "check_name": located.label,
        "description": f"{finding.issue} ({finding.suggestion})" if finding.suggestion else finding.issue,
        "severity": _SEVERITIES[finding.severity],
        "fingerprint": located.fingerprint,
        "location": {
            "path": located.anchor.removeprefix("./"),
            "lines": {"begin": region.line if region else 1, "end": region.end_line if region else 1},
        },
    }
