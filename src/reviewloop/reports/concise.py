"""For editors and grep: `path:line:column: severity RULE message`, one line each."""

from __future__ import annotations

from reviewloop.reports.finding_places import Located, by_file
from reviewloop.reports.report import ReviewReport
from reviewloop.reports.safe_text import one_line
from reviewloop.reports.text_range import Region


def render(report: ReviewReport) -> str:
    return "".join(f"{_line(one)}\n" for file in by_file(report) for one in file.findings)


def _line(one: Located) -> str:
    region = one.region or Region(line=1, end_line=1)
    where = f"{one.anchor}:{region.line}:{region.column or 1}"
    return one_line(f"{where}: {one.finding.severity} {one.label} {one.finding.issue}")
