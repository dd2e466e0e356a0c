"""A panel's report as Markdown and as terminal text."""

from __future__ import annotations

from collections.abc import Iterator

from reviewloop.core.panel.panel_report import PanelReport, StageTable, panel_report
from reviewloop.core.session.history import History
from reviewloop.errors import UsageError
from reviewloop.reports.markdown import plain_text
from reviewloop.reports.rates import spent
from reviewloop.reports.safe_text import one_line, well_formed
from reviewloop.reports.tables import Table, as_text
from reviewloop.text import count

_HEADS = ("Category", "Count", "Severity", "Action")


def session_markdown(history: History) -> str:
    """The panel's report of a session, as Markdown.

    Raises:
        UsageError: No panel reviewed the session.
    """
    report = panel_report(history)
    if report is None:
        raise UsageError(
            f"session {history.feature} was not reviewed by a panel",
            hint=f"see `reviewloop status {history.feature}` or `reviewloop log {history.feature}`",
        )
    return well_formed(markdown(report))


def markdown(report: PanelReport) -> str:
    fixes = f", {report.fixes} {'fix' if report.fixes == 1 else 'fixes'}" if report.fixes else ""
    lines = [
        f"## Review result: {plain_text(report.feature)}, iteration {report.iteration}{fixes}",
        "",
        f"**Strategy:** {report.strategy}  ",
        f"**Confidence: {confidence(report)}** — {plain_text(report.because)}  ",
    ]
    if report.calibrated:
        lines.append(f"**Calibrated:** {calibrated(report)}  ")
    mark = "✅ " if report.approved else ""
    lines.append(f"**Auto-decision: {mark}{plain_text(report.decided)}**{_override(report)}")
    for table in report.stages:
        lines += ["", f"### {table.stage.capitalize()} findings", "", *_markdown_table(table)]
    if report.possibly_same:
        lines += ["", "### Possibly the same", ""]
        lines += [
            f"- {plain_text(pair.first)} / {plain_text(pair.second)} ({pair.p:.0%})" for pair in report.possibly_same
        ]
    if sentence := speculation(report):
        lines += ["", sentence]
    return "\n".join(lines) + "\n"


def terminal(report: PanelReport) -> str:
    """Plain lines, indented below a session's first line."""
    lines = [f"strategy: {report.strategy}", f"confidence: {confidence(report)}"]
    if report.calibrated:
        lines.append(f"calibrated: {calibrated(report)}")
    lines.append(f"auto-decision: {one_line(report.decided)}{_override(report).replace('`', '')}")
    for table in report.stages:
        lines += ["", *_terminal_table(table)]
    if report.possibly_same:
        lines += ["", "possibly the same, not counted as agreed"]
        lines += [f"  {one_line(pair.first)} / {one_line(pair.second)} ({pair.p:.0%})" for pair in report.possibly_same]
    if sentence := speculation(report):
        lines += ["", sentence]
    return "".join(f"  {line}".rstrip() + "\n" for line in lines)


def confidence(report: PanelReport) -> str:
    return f"{report.level} ({report.confidence})" if report.confidence is not None else "none stated"


def calibrated(report: PanelReport) -> str:
    known = report.calibrated
    assert known is not None
    basis = f"after {count(known.n, 'answer')}" if known.n else "prior, no answers yet"
    return f"{known.value:.2f} ({known.low:.2f} to {known.high:.2f}; {basis})"


def speculation(report: PanelReport) -> str:
    """The time saved or lost by asking both stages at once, as a sentence."""
    if wasted := report.discarded:
        waited = f"; time lost: {wasted.waited:.1f} s" if wasted.waited else ""
        return f"{count(wasted.answers, 'quality answer')} discarded ({spent(wasted.usage)}){waited}."
    return f"Asking both stages at once saved {report.saved:.1f} s." if report.saved else ""


def _override(report: PanelReport) -> str:
    return f" (override with `{report.override}`)" if report.override else ""


def _markdown_table(table: StageTable) -> Iterator[str]:
    if table.note:
        yield table.note.capitalize() + "."
        return
    yield f"| {' | '.join(_HEADS)} |"
    yield "|---|--:|---|---|"
    for row in table.rows:
        yield f"| {plain_text(row.category)} | {row.count} | {row.severity} | {row.action} |"


def _terminal_table(table: StageTable) -> list[str]:
    rows = () if table.note else tuple((row.category, str(row.count), row.severity, row.action) for row in table.rows)
    columns = tuple(head.lower() for head in _HEADS)
    text = as_text([Table(title=f"{table.stage} findings", columns=columns, rows=rows, empty=table.note)])
    return text.splitlines()
