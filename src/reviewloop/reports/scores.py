"""The terminal's table of scores: a row per criterion for one artifact, a row per artifact for several.

For many artifacts, only those that miss a criterion have a row, and the rest is summed up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from reviewloop.reports.phrases import names, plural, remark, score, standing
from reviewloop.reports.report import Judgement, Reviewed, ReviewReport
from reviewloop.reports.safe_text import one_line
from reviewloop.reports.wrapped_lines import Page, Piece

_IN_FULL = 4
_INDENT = "  "


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    name: str
    score: str
    told: str = ""
    score_style: str = ""
    told_style: str = ""


def show_scores(page: Page, report: ReviewReport) -> None:
    judged = [one for one in report.artifacts if one.judgements]
    if not judged:
        return
    page.line(Piece(text="Scores", style="bold"))
    if len(judged) == 1:
        _show_rows(page, list(_by_criterion(judged[0])))
    else:
        _show_rows(page, list(_by_artifact(report, in_full=len(judged) <= _IN_FULL)))
    if len(judged) > _IN_FULL:
        _show_rest(page, judged)
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
        page.text(row.told, *lead, Piece(text="  "), style=row.told_style)


def _by_criterion(one: Reviewed) -> Iterator[_Row]:
    for judgement in one.judgements:
        style = "" if judgement.met else "yellow"
        yield _Row(
            name=one_line(judgement.criterion),
            score=score(judgement.score),
            told=remark(judgement),
            score_style=style,
            told_style=style,
        )
    yield _Row(name="weighted total", score=score(one.total), score_style="bold")


def _by_artifact(report: ReviewReport, *, in_full: bool) -> Iterator[_Row]:
    for name, one in zip(names(report), report.artifacts, strict=True):
        shown = one.judgements if in_full else _missed(one)
        if shown:
            told = ", ".join(standing(judgement) for judgement in shown)
            yield _Row(name=one_line(name), score=score(one.total), told=one_line(told), score_style="bold")


def _show_rest(page: Page, judged: list[Reviewed]) -> None:
    fine = sum(1 for one in judged if not _missed(one))
    if fine:
        page.text(f"{plural(fine, 'artifact')} with no criterion missed", Piece(text=_INDENT))
    unjudged = Counter(name for one in judged for name in one.unjudged)
    if unjudged:
        told = ", ".join(f"{name} in {count}" for name, count in unjudged.items())
        page.text(one_line(f"nobody judged: {told}"), Piece(text=_INDENT))


def _missed(one: Reviewed) -> tuple[Judgement, ...]:
    return tuple(judgement for judgement in one.judgements if judgement.met is False)
