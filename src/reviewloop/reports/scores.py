"""The terminal's table of scores: one row per criterion, or one row per artifact if there are several.

If there are many artifacts, only those that miss a criterion have a row; a line sums up the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from reviewloop.reports.phrases import criterion_text, names, plural, remark, score_text
from reviewloop.reports.report import CriterionResult, Reviewed, ReviewReport
from reviewloop.reports.safe_text import one_line
from reviewloop.reports.wrapped_lines import Page, Piece

_IN_FULL = 4
_INDENT = "  "


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    name: str
    score: str
    remark: str = ""
    score_style: str = ""
    remark_style: str = ""


def show_scores(page: Page, report: ReviewReport) -> None:
    scored = [reviewed for reviewed in report.artifacts if reviewed.criteria]
    if not scored:
        return
    page.line(Piece(text="Scores", style="bold"))
    if len(scored) == 1:
        _show_rows(page, list(_by_criterion(scored[0])))
    else:
        _show_rows(page, list(_by_artifact(report, in_full=len(scored) <= _IN_FULL)))
    if len(scored) > _IN_FULL:
        _show_rest(page, scored)
    page.blank()


def _show_rows(page: Page, rows: Sequence[_Row]) -> None:
    widest = max((cell_len(row.name) for row in rows), default=0)
    column = min(widest, page.width // 2)
    right = max((len(row.score) for row in rows), default=0)
    for row in rows:
        room = column - cell_len(row.name)
        if room < 0:
            page.text(row.name, Piece(text=_INDENT))
        name = row.name + " " * room if room >= 0 else " " * column
        lead = (Piece(text=f"{_INDENT}{name}  "), Piece(text=f"{row.score:>{right}}", style=row.score_style))
        page.text(row.remark, *lead, Piece(text="  "), style=row.remark_style)


def _by_criterion(reviewed: Reviewed) -> Iterator[_Row]:
    for result in reviewed.criteria:
        style = "" if result.met else "yellow"
        yield _Row(
            name=one_line(result.criterion),
            score=score_text(result.score),
            remark=remark(result),
            score_style=style,
            remark_style=style,
        )
    yield _Row(name="weighted total", score=score_text(reviewed.total), score_style="bold")


def _by_artifact(report: ReviewReport, *, in_full: bool) -> Iterator[_Row]:
    for name, reviewed in zip(names(report), report.artifacts, strict=True):
        results = reviewed.criteria if in_full else _missed(reviewed)
        if results:
            listed = one_line(", ".join(criterion_text(result) for result in results))
            yield _Row(name=one_line(name), score=score_text(reviewed.total), remark=listed, score_style="bold")


def _show_rest(page: Page, scored: list[Reviewed]) -> None:
    fine = sum(1 for reviewed in scored if not _missed(reviewed))
    if fine:
        page.text(f"{plural(fine, 'artifact')} without a missed criterion", Piece(text=_INDENT))
    unchecked = Counter(name for reviewed in scored for name in reviewed.unjudged)
    if unchecked:
        listed = ", ".join(f"{name} in {plural(count, 'artifact')}" for name, count in unchecked.items())
        page.text(one_line(f"not checked: {listed}"), Piece(text=_INDENT))


def _missed(reviewed: Reviewed) -> tuple[CriterionResult, ...]:
    return tuple(result for result in reviewed.criteria if result.met is False)
