"""The terminal format: findings by file with their source lines, scores, a summary and next steps."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.finding import Severity
from reviewloop.core.types.review import Verdict
from reviewloop.reports.finding_places import FileFindings, Located, by_file, worst_first
from reviewloop.reports.phrases import FROM_INPUT, common_folder, left_out, origin, plain_documents, summary
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


@dataclass(frozen=True, slots=True, kw_only=True)
class NextStep:
    """An action, and the command or comment that performs it."""

    action: str
    command: str


def next_steps(report: ReviewReport, files: tuple[FileFindings, ...]) -> Iterator[NextStep]:
    rules = [located.finding.rule for located in worst_first(found for file in files for found in file.findings)]
    known = [rule for rule in rules if report.rule(rule)]
    if known:
        yield NextStep(action="Explain the rule", command=f"reviewloop explain {known[0]}")
    # A diff cannot hold a comment, and asking reviewers takes its range instead of a file name.
    if all(reviewed.artifact.kind is Kind.CHANGE for reviewed in report.artifacts):
        return
    if known:
        yield NextStep(action="Ignore the finding", command=f"<!-- reviewloop: ignore {known[0]} because … -->")
    if not report.asked_agents and report.paths and report.paths != (FROM_INPUT,):
        yield NextStep(action="Ask reviewers", command=f"reviewloop review --agents {_target(report.paths)}")


def _target(paths: tuple[str, ...]) -> str:
    """The only file, else the folder that holds all files."""
    target = paths[0] if len(paths) == 1 else common_folder(paths)
    return shlex.quote(target if not target.startswith("-") or target == "-" else f"./{target}")
