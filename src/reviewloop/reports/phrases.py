"""The sentences that several formats share."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable, Sequence

from reviewloop.core.types.finding import Finding, Severity
from reviewloop.reports.finding_places import FileFindings, Located
from reviewloop.reports.report import Judgement, ReviewReport

FROM_INPUT = "<stdin>"
"""The path of a document that is in no file."""

SEVERITIES = tuple(sorted(Severity, key=lambda severity: -severity.rank))


def summary(report: ReviewReport, files: Iterable[FileFindings]) -> str:
    """One line: how much of what, where, and how long it took."""
    paths = frozenset(report.paths)
    dirty = sum(1 for file in files if file.findings and file.path in paths)
    checked = len(paths)
    where = plural(checked, "file") if dirty in (0, checked) else f"{dirty} of {plural(checked, 'file')}"
    return f"{tally(report.findings) or 'no findings'} in {where} · checked in {seconds(report.elapsed)}"


def left_out(what: str) -> str:
    """What could not be read, and why, as a sentence about the run."""
    return f"left out: {what}"


def names(report: ReviewReport) -> tuple[str, ...]:
    """What to call each artifact: its file as seen from the folder that holds them all, else its kind and name."""
    folder = common_folder(report.paths)
    return tuple(
        posixpath.relpath(one.artifact.paths[0], folder)
        if len(one.artifact.paths) == 1 and one.artifact.paths[0]
        else f"{one.artifact.kind} {one.artifact.name}"
        for one in report.artifacts
    )


def common_folder(paths: Sequence[str]) -> str:
    folders = {posixpath.dirname(path) for path in paths}
    comparable = len({folder.startswith("/") for folder in folders}) == 1
    return (posixpath.commonpath(folders) if comparable else "") or "."


def tally(findings: Iterable[Finding]) -> str:
    """`2 critical, 1 minor`; nothing if there are none."""
    counts = Counter(finding.severity for finding in findings)
    return ", ".join(f"{counts[severity]} {severity}" for severity in SEVERITIES if counts[severity])


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def seconds(elapsed: float) -> str:
    return f"{elapsed:.2f} s" if elapsed < 10 else f"{elapsed:.0f} s"


def score(value: float | None) -> str:
    """A score with at most one decimal."""
    return "-" if value is None else f"{value:.1f}".removesuffix(".0")


def remark(judgement: Judgement) -> str:
    """What a reader must know about a criterion beside its score."""
    match judgement.met:
        case None:
            return "nobody judged it"
        case False if judgement.score is not None:
            return f"needs {score(judgement.needs)}"
        case False:
            return "not met"
        case True:
            return "" if judgement.score is not None else "met"


def standing(judgement: Judgement) -> str:
    """A criterion with its score, in a list of such: `scope (nobody judged it)`."""
    told = f" {score(judgement.score)}" if judgement.score is not None else ""
    aside = f" ({remark(judgement)})" if remark(judgement) else ""
    return f"{judgement.criterion}{told}{aside}"


def origin(one: Located) -> str:
    """Who raised it, since when, and in which section; nothing for a rule's own finding."""
    finding = one.finding
    parts = [", ".join(finding.by)] if finding.by and not finding.rule else []
    if finding.standing is not None:
        parts.append(finding.standing.replace("_", " "))
    if finding.place.section and one.source is None:
        parts.append(f"in “{finding.place.section}”")
    return " · ".join(parts)
