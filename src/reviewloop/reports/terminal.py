"""For people at a terminal: findings by file with the source line, scores, a summary, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from reviewloop.core.types.finding import Severity
from reviewloop.core.types.review import Verdict
from reviewloop.reports.finding_places import FileFindings, Located, by_file, worst_first
from reviewloop.reports.next_steps import next_steps
from reviewloop.reports.phrases import left_out, origin, summary
from reviewloop.reports.report import ReviewReport
from reviewloop.reports.safe_text import clipped, one_line, without_orders
from reviewloop.reports.scores import show_scores
from reviewloop.reports.screen import Screen
from reviewloop.reports.snippet import snippet
from reviewloop.reports.wrapped_lines import Page, Piece

_STYLES = {
    Severity.CRITICAL: "bold red",
    Severity.IMPORTANT: "yellow",
    Severity.MINOR: "cyan",
    Severity.INFO: "dim",
}
_VERDICTS = {Verdict.PASS: "bold green", Verdict.NEEDS_REVISION: "bold red", Verdict.INCONCLUSIVE: "bold yellow"}
_LABEL_LIMIT = 20
_MESSAGE_ROOM = 30
_SUPPRESSED_IN_FULL = 10


def render(report: ReviewReport, screen: Screen) -> str:
    """The report as text of the screen's width; the only escape sequences in it are its own colours."""
    page = Page(screen)
    files = by_file(report)
    for file in files:
        _show_file(page, file)
    show_scores(page, report)
    _show_suppressed(page, files)
    _show_remarks(page, report)
    verdict = Piece(text=report.verdict.replace("_", " "), style=_VERDICTS[report.verdict])
    page.text(summary(report, files), verdict, Piece(text=": "))
    _show_next(page, report, files)
    return without_orders(str(page).strip("\n")) + "\n"


def _show_file(page: Page, file: FileFindings) -> None:
    if not file.findings:
        return
    page.text(one_line(file.title), style="bold")
    label = max(len(_label(one)) for one in file.findings)
    position = max(len(one.position) for one in file.findings)
    hint: str | None = None
    for one in worst_first(file.findings):
        page.blank()
        _show_head(page, one, label, position)
        # The same advice several times in a row is said once.
        _show_body(page, one, hint=one.finding.suggestion if one.finding.suggestion != hint else None)
        hint = one.finding.suggestion
    page.blank()


def _show_head(page: Page, one: Located, label: int, position: int) -> None:
    finding = one.finding
    start = (
        Piece(text="  "),
        Piece(text=f"{finding.severity:<{len(Severity.IMPORTANT)}}  ", style=_STYLES[finding.severity]),
        Piece(text=f"{_label(one):<{label}}  ", style="bold"),
        Piece(text=f"{one.position:>{position}}", style="dim"),
    )
    if page.width - sum(cell_len(piece.text) for piece in start) < _MESSAGE_ROOM:
        page.line(*start)
        page.text(one_line(finding.issue), Piece(text="    "))
    else:
        page.text(one_line(finding.issue), *start, Piece(text="  "))


def _show_body(page: Page, one: Located, *, hint: str | None) -> None:
    style = _STYLES[one.finding.severity]
    line = str(one.region.line) if one.region else ""
    indent = max(len(line) + 2, 7)
    gutter = f"{' ' * indent} | "
    if part := snippet(one, page.width - len(gutter)):
        number = Piece(text=f"{line:>{indent}} | ", style="dim")
        page.line(number, Piece(text=part.before), Piece(text=part.marked, style=style), Piece(text=part.after))
        if part.carets:
            page.line(Piece(text=gutter, style="dim"), Piece(text=part.carets, style=style))
    for word, text in (("hint", hint), ("from", origin(one))):
        if text and text.strip():
            page.text(one_line(text), Piece(text=f"{word:>{indent + 1}}: ", style="dim"))


def _label(one: Located) -> str:
    return clipped(one_line(one.label), _LABEL_LIMIT)


def _show_suppressed(page: Page, files: Sequence[FileFindings]) -> None:
    quiet = [one for file in files for one in file.suppressed]
    if not quiet:
        return
    page.line(Piece(text=f"Suppressed: {len(quiet)}", style="bold"))
    for one in quiet[:_SUPPRESSED_IN_FULL]:
        assert one.suppressed is not None
        where = ":".join(part for part in (one.anchor, one.position) if part)
        told = one_line(f"{_label(one)} {where} ({one.suppressed.by}): {one.suppressed.reason}")
        page.text(told, Piece(text="  "))
    if len(quiet) > _SUPPRESSED_IN_FULL:
        page.text(
            f"and {len(quiet) - _SUPPRESSED_IN_FULL} more; --format json lists them", Piece(text="  "), style="dim"
        )
    page.blank()


def _show_remarks(page: Page, report: ReviewReport) -> None:
    warnings = (*map(left_out, report.left_out), *report.warnings)
    for warning in warnings:
        page.text(one_line(warning), Piece(text="warning: ", style="yellow"))
    for note in report.notes:
        page.text(one_line(note), Piece(text="note: ", style="dim"))
    if warnings or report.notes:
        page.blank()


def _show_next(page: Page, report: ReviewReport, files: tuple[FileFindings, ...]) -> None:
    steps = next_steps(report, files)
    if not steps:
        return
    page.blank()
    widest = max(len(step.want) for step in steps)
    for step in steps:
        # Not wrapped: what is to be pasted must stay on one line.
        page.line(Piece(text=f"  {step.want:<{widest}}  ", style="dim"), Piece(text=one_line(step.do)))
