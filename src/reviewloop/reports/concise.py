"""The concise format for editors and grep: `path:line:column: severity RULE message`, one line per finding."""

from __future__ import annotations

from reviewloop.reports.finding_places import Located, by_file
from reviewloop.reports.report import ReviewReport
from reviewloop.reports.safe_text import one_line
from reviewloop.reports.text_range import Region


def render(report: ReviewReport) -> str:
    return "".join(f"{_line(located)}\n" for file in by_file(report) for located in file.findings)


def _line(located: Located) -> str:
    region = located.region or Region(line=1, end_line=1)
    position = f"{located.anchor}:{region.line}:{region.column or 1}"
    return one_line(f"{position}: {located.finding.severity} {located.label} {located.finding.issue}")
