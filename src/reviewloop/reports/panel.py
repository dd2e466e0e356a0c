"""A panel's report, as Markdown and for the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewloop.core.panel.panel_report import PanelReport, StageTable, panel_report
from reviewloop.core.session.history import History
from reviewloop.core.types.review import Usage
from reviewloop.errors import UsageError
from reviewloop.reports.safe_text import one_line, well_formed
from reviewloop.text import count

_SPECIAL = re.compile(r"([\\`*_\[\]|~$<>])")
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
    fixes = f", {count(report.fixes, 'fix') if report.fixes == 1 else f'{report.fixes} fixes'}" if report.fixes else ""
    lines = [
        f"## Review result: {_words(report.feature)}, iteration {report.iteration}{fixes}",
        "",
        f"**Strategy:** {report.strategy}  ",
        f"**Confidence: {confidence(report)}** — {_words(report.because)}  ",
    ]
    if report.calibrated:
        lines.append(f"**Calibrated:** {calibrated(report)}  ")
    mark = "✅ " if report.approved else ""
    lines.append(f"**Auto-decision: {mark}{_words(report.decided)}**{_override(report)}")
    for table in report.stages:
        lines += ["", f"### {table.stage.capitalize()} findings", "", *_markdown_table(table)]
    if report.possibly_same:
        lines += ["", "### Possibly the same", ""]
        lines += [f"- {_words(one.first)} / {_words(one.second)} ({one.p:.2f})" for one in report.possibly_same]
    if told := speculation(report):
        lines += ["", told]
    return "\n".join(lines) + "\n"


def terminal(report: PanelReport) -> str:
    """The same in plain lines, indented to go below a session's first line."""
    lines = [f"strategy: {report.strategy}", f"confidence: {confidence(report)}"]
    if report.calibrated:
        lines.append(f"calibrated: {calibrated(report)}")
    lines.append(f"auto-decision: {one_line(report.decided)}{_override(report).replace('`', '')}")
    for table in report.stages:
        lines += ["", f"{table.stage} findings", *(f"  {line}" for line in _terminal_table(table))]
    for pair in report.possibly_same:
        lines += ["", "possibly the same, not counted as agreed"] if pair is report.possibly_same[0] else []
        lines.append(f"  {one_line(pair.first)} / {one_line(pair.second)} ({pair.p:.2f})")
    if told := speculation(report):
        lines += ["", told]
    return "".join(f"  {line}".rstrip() + "\n" for line in lines)


def confidence(report: PanelReport) -> str:
    return f"{report.level} ({report.confidence})" if report.confidence is not None else "none stated"


def calibrated(report: PanelReport) -> str:
    known = report.calibrated
    assert known is not None
    basis = f"after {count(known.n, 'answer')}" if known.n else "prior, nobody has answered yet"
    return f"{known.value:.2f} ({known.low:.2f} to {known.high:.2f}; {basis})"


def speculation(report: PanelReport) -> str:
    """What asking both stages at once brought, in a sentence."""
    if wasted := report.discarded:
        waited = f"; the iteration took {wasted.waited:.1f} s longer" if wasted.waited else ""
        return f"{count(wasted.answers, 'quality answer')} discarded, {_spent(wasted.usage)}{waited}."
    return f"Asking both stages at once saved {report.saved:.1f} s." if report.saved else ""


def _override(report: PanelReport) -> str:
    return f" (override with `{report.override}`)" if report.override else ""


def _spent(usage: Usage) -> str:
    parts = [f"{usage.seconds:.1f} s of work"]
    parts += [f"{usage.tokens:,} tokens"] if usage.tokens else []
    parts += [f"${usage.cost_usd:.4f}"] if usage.cost_usd is not None else []
    return ", ".join(parts)


def _markdown_table(table: StageTable) -> Iterator[str]:
    if table.note:
        yield table.note.capitalize() + "."
        return
    yield f"| {' | '.join(_HEADS)} |"
    yield "|---|--:|---|---|"
    for row in table.rows:
        yield f"| {_words(row.category)} | {row.count} | {row.severity} | {row.action} |"


def _terminal_table(table: StageTable) -> Iterator[str]:
    if table.note:
        yield table.note
        return
    rows = [(one_line(row.category), str(row.count), row.severity, row.action) for row in table.rows]
    widths = [max(len(row[column]) for row in (_HEADS, *rows)) for column in range(len(_HEADS))]
    for row in (tuple(head.lower() for head in _HEADS), *rows):
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _words(text: str) -> str:
    """Other people's words as plain text."""
    return _SPECIAL.sub(r"\\\1", one_line(text))
