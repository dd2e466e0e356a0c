"""What the offline rules say of a document, as a review, with paths as the user would write them."""

from __future__ import annotations

import os
from dataclasses import replace

from reviewloop.app.targets.gathering import Gathered
from reviewloop.core.types.artifact import Artifact
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.rubric import BY_KIND
from reviewloop.reports.report import Reviewed, Silencer, Suppressed
from reviewloop.rules import judgeable
from reviewloop.rules.model import Report
from reviewloop.rules.scoring import review_of


def reviewed_by_rules(one: Gathered, report: Report) -> Reviewed:
    """A document with what the rules said of it."""
    rubric = BY_KIND[one.artifact.kind]
    review = review_of(report.findings + report.unused, rubric, judgeable(one.artifact.kind))
    return reviewed_from_here(Reviewed.of(one.artifact, review, rubric, _silenced(report)), one.base)


def _silenced(report: Report) -> list[Suppressed]:
    inline = [Suppressed(finding=one.finding, reason=one.reason) for one in report.suppressed]
    known = [
        Suppressed(finding=finding, reason="known from the baseline", by=Silencer.BASELINE)
        for finding in report.baselined
    ]
    return inline + known


def reviewed_from_here(reviewed: Reviewed, base: str) -> Reviewed:
    """The same with paths as the user would write them."""
    if base in ("", "."):
        return reviewed
    return replace(
        reviewed,
        artifact=artifact_from_here(reviewed.artifact, base),
        findings=tuple(_moved(finding, base) for finding in reviewed.findings),
        suppressed=tuple(replace(one, finding=_moved(one.finding, base)) for one in reviewed.suppressed),
    )


def artifact_from_here(artifact: Artifact, base: str) -> Artifact:
    """The same with paths as the user would write them."""
    files = tuple(replace(file, path=_join(base, file.path)) for file in artifact.files)
    return replace(artifact, files=files)


def _moved(finding: Finding, base: str) -> Finding:
    file = finding.place.file
    return replace(finding, place=replace(finding.place, file=_join(base, file))) if file else finding


def _join(base: str, path: str) -> str:
    return os.path.relpath(os.path.join(base, path)).replace(os.sep, "/")  # noqa: PTH118 - paths may be made up
