"""What the offline rules say of documents: in several processes if there is enough to do."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

from reviewloop.config.offline_settings import OfflineSettings
from reviewloop.core.judging.min_scores import confirm_review
from reviewloop.core.types.artifact import Artifact
from reviewloop.core.types.policy import Policy
from reviewloop.core.types.review import Review, Verdict
from reviewloop.reports.report import Reviewed, Silencer, Suppressed
from reviewloop.rules import checkable_criteria
from reviewloop.rules.model import Report
from reviewloop.rules.repository import Repository, repository_at
from reviewloop.rules.runner import check
from reviewloop.rules.scoring import review_of
from reviewloop.rules.settings import RuleSettings
from reviewloop.rules.shell import Bash, Shell

ENOUGH = 1_500_000
"""From this many characters on, about a second of work, more processes are worth their start."""

MOST_PROCESSES = 8
_PARTS_EACH = 8


def review_by_rules(documents: Sequence[Artifact], settings: OfflineSettings) -> list[Reviewed]:
    """Every document with what the rules say of it, and the verdict that a run without reviewers would reach."""
    reports = check_all(documents, repository_at(settings.root), settings.rules)
    policies = {kind: settings.policy(kind) for kind in {document.kind for document in documents}}
    return [
        _reviewed(document, report, policies[document.kind])
        for document, report in zip(documents, reports, strict=True)
    ]


def _reviewed(document: Artifact, report: Report, policy: Policy) -> Reviewed:
    review = review_of(report.findings + report.unused, policy.rubric, checkable_criteria(document.kind))
    review = replace(review, verdict=_verdict(review, policy))
    return Reviewed.of(document, review, policy.rubric, _suppressed(report))


def _verdict(review: Review, policy: Policy) -> Verdict:
    """What the loop would make of it: the static gate first, then the scores and the findings."""
    if any(policy.static_gate.closes_on(finding.severity) for finding in review.findings):
        return Verdict.NEEDS_REVISION
    if review.verdict is Verdict.INCONCLUSIVE:
        return review.verdict
    return confirm_review(review, policy.seats[0], policy).verdict


def _suppressed(report: Report) -> list[Suppressed]:
    inline = [Suppressed(finding=silenced.finding, reason=silenced.reason) for silenced in report.suppressed]
    known = [
        Suppressed(finding=finding, reason="known from the baseline", by=Silencer.BASELINE)
        for finding in report.baselined
    ]
    return inline + known


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    documents: Sequence[Artifact]
    repository: Repository
    settings: RuleSettings
    shell: Shell

    def reports(self, part: range) -> list[Report]:
        return [check(self.documents[number], self.repository, self.settings, self.shell) for number in part]


def check_all(documents: Sequence[Artifact], repository: Repository, settings: RuleSettings) -> list[Report]:
    """What the rules say of each document, in order.

    The processes are forks, which start at once and know the documents without being sent them. Where a system cannot
    fork safely, everything is done in this process.
    """
    work = _Work(documents=documents, repository=repository, settings=settings, shell=Bash())
    size = sum(file.size for document in documents for file in document.files)
    processes = min(len(os.sched_getaffinity(0)), MOST_PROCESSES, len(documents)) if sys.platform == "linux" else 1
    everything = range(len(documents))
    if size < ENOUGH or processes < 2:
        return work.reports(everything)
    step = -(-len(documents) // (processes * _PARTS_EACH))
    return _forked(work, [everything[start : start + step] for start in everything[::step]], processes)


def _forked(work: _Work, parts: Sequence[range], processes: int) -> list[Report]:
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(processes, get_context("fork"), initializer=_take, initargs=(work,))
    try:
        return [report for reports in pool.map(_reports, parts) for report in reports]
    except BrokenProcessPool:  # a process was killed, or memory ran out
        return work.reports(range(len(work.documents)))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


_taken: list[_Work] = []
"""In a forked process: what there is to do."""


def _take(work: _Work) -> None:
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then ends the pool
    for request in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(request, signal.SIG_DFL)
    _taken.append(work)


def _reports(part: range) -> list[Report]:
    return _taken[0].reports(part)
