"""Reports: one module per format, each a pure function from a `ReviewReport` to text."""

from __future__ import annotations

from importlib import import_module

from reviewloop.errors import UsageError
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
    """The report in the format of that name, ending in a newline unless it is empty.

    Args:
        report: What to tell.
        name: A key of `FORMATS`.
        screen: What the terminal format is shown on; 80 columns without colours if not given.

    Raises:
        UsageError: There is no such format.
    """
    if name not in FORMATS:
        raise UsageError(f'there is no report format "{name}"', hint=f"formats: {', '.join(FORMATS)}")
    module = import_module(FORMATS[name])
    return module.render(report, screen or Screen()) if name == "terminal" else module.render(report)
