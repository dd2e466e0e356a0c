"""The JSON Lines format: one finding per line, each the same object as in the JSON report."""

from __future__ import annotations

from reviewloop.reports.finding_places import by_file
from reviewloop.reports.json import dumps, finding_object
from reviewloop.reports.report import ReviewReport


def render(report: ReviewReport) -> str:
    return "".join(dumps(finding_object(located)) for file in by_file(report) for located in file.findings)
