"""The terminal format: findings by file with their source lines, scores, a summary and next steps."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from reviewloop.core.types.finding import Severity
from reviewloop.core.types.review import Verdict
from reviewloop.reports.finding_places import FileFindings, Located, by_file, worst_first
from reviewloop.reports.next_steps import next_steps
from reviewloop.reports.phrases import left_out, origin, plain_documents, summary
from reviewloop.reports.report import ReviewReport
from reviewloop.reports.safe_text import clipped, one_line, without_commands
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
    """The report in the screen's width. Its only escape sequences are the report's own colours."""
    page = Page(screen)
    files = by_file(report)
    for file in files:
        _show_file(page, file)
    show_scores(page, report)
    _show_suppressed(page, files)
    _show_remarks(page, report)
    verdict = Piece(text=report.verdict.replace("_", " "), style=_VERDICTS[report.verdict])
    page.text(summary(report, files), verdict, Piece(text=": "))
    if plain := plain_documents(report):
        page.text(plain, style="dim")
    _show_next(page, report, files)
    return without_commands(str(page).strip("\n")) + "\n"


def _show_file(page: Page, file: FileFindings) -> None:
    if not file.findings:
        return
    page.text(one_line(file.title), style="bold")
    label = max(len(_label(located)) for located in file.findings)
    position = max(len(located.position) for located in file.findings)
    previous: str | None = None
    for located in worst_first(file.findings):
        page.blank()
        _show_head(page, located, label, position)
        # A hint that equals the previous finding's is not repeated.
        hint = located.finding.suggestion
        _show_body(page, located, hint=hint if hint != previous else None)
        previous = hint
    page.blank()


def _show_head(page: Page, located: Located, label: int, position: int) -> None:
    finding = located.finding
    start = (
        Piece(text="  "),
        Piece(text=f"{finding.severity:<{len(Severity.IMPORTANT)}}  ", style=_STYLES[finding.severity]),
        Piece(text=f"{_label(located):<{label}}  ", style="bold"),
        Piece(text=f"{located.position:>{position}}", style="dim"),
    )
    if page.width - sum(cell_len(piece.text) for piece in start) < _MESSAGE_ROOM:
        page.line(*start)
        page.text(one_line(finding.issue), Piece(text="    "))
    else:
        page.text(one_line(finding.issue), *start, Piece(text="  "))


def _show_body(page: Page, located: Located, *, hint: str | None) -> None:
    style = _STYLES[located.finding.severity]
    line = str(located.region.line) if located.region else ""
    indent = max(len(line) + 2, 7)
    gutter = f"{' ' * indent} | "
    if part := snippet(located, page.width - len(gutter)):
        number = Piece(text=f"{line:>{indent}} | ", style="dim")
        page.line(number, Piece(text=part.before), Piece(text=part.marked, style=style), Piece(text=part.after))
        if part.carets:
            page.line(Piece(text=gutter, style="dim"), Piece(text=part.carets, style=style))
    for word, text in (("hint", hint), ("from", origin(located))):
        if text and text.strip():
            page.text(one_line(text), Piece(text=f"{word:>{indent + 1}}: ", style="dim"))


def _label(located: Located) -> str:
    return clipped(one_line(located.label), _LABEL_LIMIT)


def _show_suppressed(page: Page, files: Sequence[FileFindings]) -> None:
    suppressed = [located for file in files for located in file.suppressed]
    if not suppressed:
        return
    page.line(Piece(text=f"Suppressed: {len(suppressed)}", style="bold"))
    for located in suppressed[:_SUPPRESSED_IN_FULL]:
        assert located.suppressed is not None
        reason = f"({located.suppressed.by}): {located.suppressed.reason}"
        page.text(one_line(f"{_label(located)} {located.where} {reason}"), Piece(text="  "))
    if (more := len(suppressed) - _SUPPRESSED_IN_FULL) > 0:
        page.text(f"and {more} more; --format json lists them", Piece(text="  "), style="dim")
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
    steps = list(next_steps(report, files))
    if not steps:
        return
    page.blank()
    widest = max(len(step.action) for step in steps)
    for step in steps:
        # Not wrapped: a command must stay on one line to be pasted.
        page.line(Piece(text=f"  {step.action:<{widest}}  ", style="dim"), Piece(text=one_line(step.command)))
