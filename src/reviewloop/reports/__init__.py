"""Review reports: one module per format, each with a pure function from a `ReviewReport` to text."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from reviewloop.errors import UsageError

if TYPE_CHECKING:
    from reviewloop.reports.report import ReviewReport
    from reviewloop.reports.screen import Screen

# Each module has `render(report) -> str`; the terminal's also takes the screen.
FORMATS = {
    "terminal": "reviewloop.reports.terminal",
    "concise": "reviewloop.reports.concise",
    "json": "reviewloop.reports.json",
    "jsonl": "reviewloop.reports.jsonl",
    "sarif": "reviewloop.reports.sarif",
    "junit": "reviewloop.reports.junit",
    "github": "reviewloop.reports.github",
    "gitlab": "reviewloop.reports.gitlab",
    "rdjson": "reviewloop.reports.rdjson",
    "markdown": "reviewloop.reports.markdown",
}


def render(report: ReviewReport, name: str = "terminal", *, screen: Screen | None = None) -> str:
    """Render a report in one of the formats. The text ends in a newline unless it is empty.

    Args:
        report: The report to render.
        name: A key of `FORMATS`.
        screen: Where the terminal format is shown; 80 columns without colours by default.

    Raises:
        UsageError: The format does not exist.
    """
    if name not in FORMATS:
        raise UsageError(f'unknown report format "{name}"', hint=f"formats: {', '.join(FORMATS)}")
    module = import_module(FORMATS[name])
    if name != "terminal":
        return module.render(report)
    from reviewloop.reports.screen import Screen

    return module.render(report, screen or Screen())
