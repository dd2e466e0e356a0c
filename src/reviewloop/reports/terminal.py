"""For people at a terminal: findings by file with the source line, scores, a summary, and what to do next."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from reviewloop.reports.locate import FileFindings, Located, by_file, worst_first
from reviewloop.reports.next_steps import next_steps
from reviewloop.reports.report import ReviewReport
from reviewloop.reports.safe import clipped, one_line, without_orders
from reviewloop.reports.scores import scores
from reviewloop.reports.screen import Screen
from reviewloop.reports.snippet import snippet
from reviewloop.reports.words import origin, summary
from reviewloop.review.finding import Severity
from reviewloop.review.review import Verdict

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
    out = io.StringIO()
    console = Console(
        file=out,
        width=screen.width,
        color_system="standard" if screen.colour else None,
        force_terminal=screen.colour,
        no_color=not screen.colour,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
    )
    for part in _parts(report, screen.width):
        console.print(part, soft_wrap=isinstance(part, Text) and bool(part.no_wrap))
    text = "\n".join(line.rstrip() for line in out.getvalue().split("\n"))
    return without_orders(text.strip("\n")) + "\n"


def _parts(report: ReviewReport, width: int) -> Iterator[RenderableType]:
    files = by_file(report)
    for file in files:
        yield from _file(file, width)
    yield from scores(report)
    yield from _suppressed(files)
    for warning in report.warnings:
        yield Text.assemble(("warning: ", "yellow"), one_line(warning))
    for note in report.notes:
        yield Text.assemble(("note: ", "dim"), one_line(note))
    if report.warnings or report.notes:
        yield ""
    yield Text.assemble((report.verdict.replace("_", " "), _VERDICTS[report.verdict]), f": {summary(report, files)}")
    yield from _next(report, files)


def _file(file: FileFindings, width: int) -> Iterator[RenderableType]:
    if not file.findings:
        return
    yield Text(one_line(file.title), style="bold")
    label = max(len(_label(one)) for one in file.findings)
    position = max(len(one.position) for one in file.findings)
    hint: str | None = None
    for one in worst_first(file.findings):
        yield ""
        yield _head(one, label, position, width)
        # The same advice several times in a row is said once.
        yield from _body(one, width, hint=one.finding.suggestion if one.finding.suggestion != hint else None)
        hint = one.finding.suggestion
    yield ""


def _head(one: Located, label: int, position: int, width: int) -> RenderableType:
    finding = one.finding
    issue = Text(one_line(finding.issue))
    start = Text.assemble(
        (f"{finding.severity:<{len(Severity.IMPORTANT)}}  ", _STYLES[finding.severity]),
        (f"{_label(one):<{label}}  ", "bold"),
        (f"{one.position:>{position}}", "dim"),
    )
    if width - start.cell_len < _MESSAGE_ROOM:
        return Padding(Group(start, Padding(issue, (0, 0, 0, 2))), (0, 0, 0, 2))
    row = Table.grid(padding=(0, 2, 0, 0))
    row.add_column(width=start.cell_len)
    row.add_row(start, issue)
    return Padding(row, (0, 0, 0, 2))


def _body(one: Located, width: int, *, hint: str | None) -> Iterator[RenderableType]:
    line = str(one.region.line) if one.region else ""
    indent = max(len(line) + 2, 7)
    gutter = f"{' ' * indent} | "
    if part := snippet(one, width - len(gutter)):
        yield Text.assemble(
            (f"{line:>{indent}} | ", "dim"), part.before, (part.marked, _STYLES[one.finding.severity]), part.after
        )
        if part.carets:
            yield Text.assemble((gutter, "dim"), (part.carets, _STYLES[one.finding.severity]))
    for word, text in (("hint", hint), ("from", origin(one))):
        if text and text.strip():
            yield Padding(_hanging(word, one_line(text)), (0, 0, 0, indent + 1 - len(word)))


def _hanging(word: str, text: str) -> Table:
    row = Table.grid(padding=(0, 1, 0, 0))
    row.add_row(Text(f"{word}:", style="dim"), Text(text))
    return row


def _label(one: Located) -> str:
    return clipped(one_line(one.label), _LABEL_LIMIT)


def _suppressed(files: Sequence[FileFindings]) -> Iterator[RenderableType]:
    quiet = [one for file in files for one in file.suppressed]
    if not quiet:
        return
    yield Text(f"Suppressed: {len(quiet)}", style="bold")
    for one in quiet[:_SUPPRESSED_IN_FULL]:
        assert one.suppressed is not None
        where = ":".join(part for part in (one.anchor, one.position) if part)
        told = one_line(f"{_label(one)} {where} ({one.suppressed.by}): {one.suppressed.reason}")
        yield Padding(Text(told), (0, 0, 0, 2))
    if len(quiet) > _SUPPRESSED_IN_FULL:
        yield Text(f"  and {len(quiet) - _SUPPRESSED_IN_FULL} more; --format json lists them", style="dim")
    yield ""


def _next(report: ReviewReport, files: tuple[FileFindings, ...]) -> Iterator[RenderableType]:
    steps = next_steps(report, files)
    if not steps:
        return
    yield ""
    widest = max(len(step.want) for step in steps)
    for step in steps:
        # Not wrapped: what is to be pasted must stay on one line.
        yield Text.assemble((f"  {step.want:<{widest}}  ", "dim"), one_line(step.do), no_wrap=True)
