"""The rules on many documents: in several processes if there is enough to do, with the same reports in the same order.

The processes are forks, which start at once and know the documents without being sent them. Where a system cannot fork
safely, everything is done in this process.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from reviewloop.app.targets.gathering import Gathered
from reviewloop.rules.model import Report
from reviewloop.rules.runner import check
from reviewloop.rules.settings import RuleSettings
from reviewloop.rules.shell import Bash, Shell

ENOUGH = 1_500_000
"""From this many characters on, about a second of work, further processes are worth their start."""

MOST_PROCESSES = 8
_PARTS_EACH = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    documents: Sequence[Gathered]
    settings: RuleSettings
    shell: Shell

    def reports(self, part: range) -> list[Report]:
        chosen = (self.documents[number] for number in part)
        return [check(one.artifact, one.repository, self.settings, self.shell) for one in chosen]


def check_all(documents: Sequence[Gathered], settings: RuleSettings) -> list[Report]:
    """What the rules say of each document, in their order."""
    work = _Work(documents=documents, settings=settings, shell=Bash())
    size = sum(len(file.text) for one in documents for file in one.artifact.files)
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
    except BrokenProcessPool:  # somebody ended one of them, or memory ran out
        return work.reports(range(len(work.documents)))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


_taken: list[_Work] = []
"""In a forked process: what there is to do."""


def _take(work: _Work) -> None:
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that asks is the one to be interrupted
    for request in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(request, signal.SIG_DFL)
    _taken.append(work)


def _reports(part: range) -> list[Report]:
    return _taken[0].reports(part)
