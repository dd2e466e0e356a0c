"""A session as terminal text: its outcome, the reason, open findings, and what to do."""

from __future__ import annotations

from rich.console import Console

from reviewloop.core.judging.finding_status import dismiss
from reviewloop.core.judging.open_points import low_scores_left, open_findings
from reviewloop.core.loop.endings import actions_to_show, restart
from reviewloop.core.panel.panel_report import panel_report
from reviewloop.core.session.history import History
from reviewloop.core.types.finding import Severity
from reviewloop.core.types.outcome import Outcome
from reviewloop.reports.rates import spent
from reviewloop.reports.safe_text import one_line
from reviewloop.text import count

_STYLES = {
    Outcome.PASSED: "bold green",
    Outcome.PASSED_WITH_WARNINGS: "bold yellow",
    Outcome.BLOCKED: "bold red",
    Outcome.ESCALATED: "bold magenta",
    Outcome.REJECTED: "bold red",
    Outcome.UNDONE: "bold",
}

_SEVERITIES = {
    Severity.CRITICAL: "bold red",
    Severity.IMPORTANT: "yellow",
    Severity.MINOR: "cyan",
    Severity.INFO: "dim",
}

_OUTPUT_LINES = 12


def describe(session: str, history: History, out: Console, *, log: str | None = None, under_way: bool = False) -> None:
    """Print the outcome, the reason, scores, findings and what to do."""
    outcome = history.outcome
    interrupted = "undo interrupted" if history.undo else "interrupted"
    label = str(outcome).replace("_", " ") if outcome else "running" if under_way else interrupted
    out.print(f"{history.feature}: ", end="")
    out.print(label, style=_STYLES[outcome] if outcome else "bold", end="")
    out.print(f"  {count(history.reviews, 'iteration')}, {spent(history.usage)}")
    if history.because:
        out.print(f"  {one_line(history.explanation)}")
    _scores(history, out)
    if report := panel_report(history):
        from reviewloop.reports.panel import terminal

        out.print()
        out.print(terminal(report), end="")
    for warning in history.warnings:
        out.print(f"  warning: {one_line(warning)}", style="yellow")
    _findings(history, out)
    _own_check(history, out)
    _left(history, out)
    if history.outcome in (Outcome.REJECTED, Outcome.UNDONE):
        out.print(f"\nstart again: {restart(history)}")
    if history.stopped:
        out.print("\nwhat to do")
        for action in actions_to_show(history):
            out.print(f"  {action}")
    if log:
        out.print(f"\nlog: {log}")
    out.print(f"session: {session}", style="dim")


def _left(history: History, out: Console) -> None:
    """What still stands against a work that waits, after a person dismissed findings."""
    if not history.dismissed or not history.stopped:
        return
    names = [finding.id for finding in open_findings(history) if finding.id]
    left = [f"{count(len(names), 'open finding')} ({', '.join(names)})"] if names else []
    left += [str(low) for low in low_scores_left(history)]
    dismissed = count(len(history.dismissed), "finding")
    out.print(f"\n{dismissed} dismissed; left: {'; '.join(left) or 'no open finding'}")
    out.print("  a dismissal decides nothing: send the work back with --retry, or accept it with --accept")


def _scores(history: History, out: Console) -> None:
    concluded = [iteration.conclusion for iteration in history.iterations if iteration.conclusion]
    if not concluded or not concluded[-1].scores:
        return
    last = concluded[-1]
    parts = [f"{name} {score:g}" for name, score in last.scores.items()]
    total = f"  total {last.total:.1f}" if last.total is not None else ""
    out.print(f"  scores: {', '.join(parts)}{total}")


def _own_check(history: History, out: Console) -> None:
    """The last lines of a task's own check, if it failed."""
    checked = history.iterations[-1].checked if history.iterations else None
    if checked is None or checked.verified is None or not checked.fails or not checked.verified.output.strip():
        return
    out.print("\nlast output of the check")
    for line in checked.verified.output.rstrip().splitlines()[-_OUTPUT_LINES:]:
        out.print(f"  {one_line(line)}", style="dim")


def _findings(history: History, out: Console) -> None:
    concluded = [iteration.conclusion for iteration in history.iterations if iteration.conclusion]
    findings = concluded[-1].findings if concluded else ()
    if history.iterations:  # the last one, also if a person's answer ended the session after it
        findings += history.iterations[-1].other_facts
    if not findings:
        return
    out.print()
    for finding in sorted(dismiss(findings, history), key=lambda finding: -finding.severity.rank):
        standing = f" ({str(finding.standing).replace('_', ' ')})" if finding.standing else ""
        out.print(f"  {finding.id or finding.rule or '':<8}", end="")
        out.print(f"{finding.severity:<10}", style=_SEVERITIES[finding.severity], end="")
        out.print(f"{one_line(str(finding.place))}{standing}: {one_line(finding.issue)}")
        if finding.suppressed:
            out.print(f"      {one_line(finding.suppressed)}", style="dim")
        elif finding.suggestion and finding.suggestion != finding.issue:
            out.print(f"      {one_line(finding.suggestion)}", style="dim")
