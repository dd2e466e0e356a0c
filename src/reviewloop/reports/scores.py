"""The terminal's table of scores: a row per criterion for one artifact, a row per artifact for several.

For many artifacts, only those that miss a criterion have a row, and the rest is summed up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from reviewloop.reports.report import Judgement, Reviewed, ReviewReport
from reviewloop.reports.safe import one_line
from reviewloop.reports.words import names, plural, remark, score, standing

_IN_FULL = 4


def scores(report: ReviewReport) -> Iterator[RenderableType]:
    judged = [one for one in report.artifacts if one.judgements]
    if not judged:
        return
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(overflow="fold")
    table.add_column(justify="right")
    table.add_column()
    yield Text("Scores", style="bold")
    if len(judged) == 1:
        _by_criterion(table, judged[0])
    else:
        _by_artifact(table, report, in_full=len(judged) <= _IN_FULL)
    if table.row_count:
        yield Padding(table, (0, 0, 0, 2))
    if len(judged) > _IN_FULL:
        yield from _rest(judged)
    yield ""


def _by_criterion(table: Table, one: Reviewed) -> None:
    for judgement in one.judgements:
        style = "" if judgement.met else "yellow"
        table.add_row(
            Text(one_line(judgement.criterion)),
            Text(score(judgement.score), style=style),
            Text(remark(judgement), style=style),
        )
    table.add_row("weighted total", Text(score(one.total), style="bold"))


def _by_artifact(table: Table, report: ReviewReport, *, in_full: bool) -> None:
    for name, one in zip(names(report), report.artifacts, strict=True):
        shown = one.judgements if in_full else _missed(one)
        if shown:
            told = ", ".join(standing(judgement) for judgement in shown)
            table.add_row(Text(one_line(name)), Text(score(one.total), style="bold"), Text(one_line(told)))


def _rest(judged: list[Reviewed]) -> Iterator[RenderableType]:
    fine = sum(1 for one in judged if not _missed(one))
    if fine:
        yield Padding(Text(f"{plural(fine, 'artifact')} with no criterion missed"), (0, 0, 0, 2))
    unjudged = Counter(name for one in judged for name in one.unjudged)
    if unjudged:
        told = ", ".join(f"{name} in {count}" for name, count in unjudged.items())
        yield Padding(Text(one_line(f"nobody judged: {told}")), (0, 0, 0, 2))


def _missed(one: Reviewed) -> tuple[Judgement, ...]:
    return tuple(judgement for judgement in one.judgements if judgement.met is False)
