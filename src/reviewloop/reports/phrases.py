"""Sentences that several formats share."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable, Sequence

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.finding import Finding, Severity
from reviewloop.reports.finding_places import FileFindings, Located
from reviewloop.reports.report import CriterionResult, ReviewReport

FROM_INPUT = "<stdin>"
"""The path shown for a document read from standard input."""

SEVERITIES = tuple(sorted(Severity, key=lambda severity: -severity.rank))


def summary(report: ReviewReport, files: Iterable[FileFindings]) -> str:
    """`2 critical, 1 minor in 1 of 3 files · checked in 0.12 s`."""
    paths = frozenset(report.paths)
    dirty = sum(1 for file in files if file.findings and file.path in paths)
    where = plural(len(paths), "file")
    if dirty not in (0, len(paths)):
        where = f"{dirty} of {where}"
    elapsed = f"{report.elapsed:.2f} s" if report.elapsed < 10 else f"{report.elapsed:.0f} s"
    return f"{tally(report.findings) or 'no findings'} in {where} · checked in {elapsed}"


def plain_documents(report: ReviewReport) -> str:
    """How many documents are of no known kind; empty if there are none."""
    count = sum(reviewed.artifact.kind is Kind.DOCUMENT for reviewed in report.artifacts)
    return f"{plural(count, 'plain document')}: only the rules for any text apply" if count else ""


def left_out(problem: str) -> str:
    """A file that could not be read, and why, as a warning."""
    return f"skipped: {problem}"


def names(report: ReviewReport) -> tuple[str, ...]:
    """Each artifact's name: its file relative to the common folder, else its kind and name."""
    folder = common_folder(report.paths)
    return tuple(
        posixpath.relpath(artifact.paths[0], folder)
        if len(artifact.paths) == 1 and artifact.paths[0]
        else f"{artifact.kind} {artifact.name}"
        for artifact in (reviewed.artifact for reviewed in report.artifacts)
    )


def common_folder(paths: Sequence[str]) -> str:
    folders = {posixpath.dirname(path) for path in paths}
    comparable = len({folder.startswith("/") for folder in folders}) == 1
    return (posixpath.commonpath(folders) if comparable else "") or "."


def tally(findings: Iterable[Finding]) -> str:
    """`2 critical, 1 minor`; empty without findings."""
    counts = Counter(finding.severity for finding in findings)
    return ", ".join(f"{counts[severity]} {severity}" for severity in SEVERITIES if counts[severity])


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def score_text(score: float | None) -> str:
    """The score with at most one decimal."""
    return "-" if score is None else f"{score:.1f}".removesuffix(".0")


def remark(result: CriterionResult) -> str:
    """What to add to a criterion's score: `not checked`, `needs 70`, `not met`, `met` or nothing."""
    match result.met:
        case None:
            return "not checked"
        case False:
            return "not met" if result.score is None else f"needs {score_text(result.needs)}"
        case True:
            return "met" if result.score is None else ""


def criterion_text(result: CriterionResult) -> str:
    """A criterion in a list: `scope (not checked)`, `testability 45 (needs 70)`."""
    score = f" {score_text(result.score)}" if result.score is not None else ""
    aside = f" ({remark(result)})" if remark(result) else ""
    return f"{result.criterion}{score}{aside}"


def with_hint(finding: Finding) -> str:
    """The finding's issue and, in a paragraph of its own, its suggestion."""
    return f"{finding.issue}\n\nhint: {finding.suggestion}" if finding.suggestion else finding.issue


def origin(located: Located) -> str:
    """Who raised the finding, since when, and in which section; empty for an offline rule's finding."""
    finding = located.finding
    parts = [", ".join(finding.by)] if finding.by and not finding.rule else []
    if finding.standing is not None:
        parts.append(finding.standing.replace("_", " "))
    if finding.place.section and located.source is None:
        parts.append(f"in “{finding.place.section}”")
    return " · ".join(parts)
