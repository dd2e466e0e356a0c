"""What a person may want to do after a report, as commands that work when pasted."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from reviewloop.core.types.artifact import Kind
from reviewloop.reports.finding_places import FileFindings, worst_first
from reviewloop.reports.phrases import FROM_INPUT, common_folder
from reviewloop.reports.report import ReviewReport


@dataclass(frozen=True, slots=True, kw_only=True)
class NextStep:
    """What one may want, and the command or the line to write for it."""

    want: str
    do: str


def next_steps(report: ReviewReport, files: tuple[FileFindings, ...]) -> tuple[NextStep, ...]:
    return tuple(_next_steps(report, files))


def _next_steps(report: ReviewReport, files: tuple[FileFindings, ...]) -> Iterator[NextStep]:
    rules = [one.finding.rule for one in worst_first(one for file in files for one in file.findings)]
    known = [rule for rule in rules if report.rule(rule)]
    if known:
        yield NextStep(want="why a rule is there", do=f"reviewloop explain {known[0]}")
    # A diff has no place for a comment, and reviewers would need its range, which is no file's name.
    if all(one.artifact.kind is Kind.CHANGE for one in report.artifacts):
        return
    if known:
        yield NextStep(want="keep a line as it is", do=f"<!-- reviewloop: ignore {known[0]} because … -->")
    if not report.asked_agents and report.paths and report.paths != (FROM_INPUT,):
        yield NextStep(want="ask reviewers too", do=f"reviewloop review --agents {_target(report.paths)}")


def _target(paths: tuple[str, ...]) -> str:
    """The one file, else the folder that holds them all."""
    target = paths[0] if len(paths) == 1 else common_folder(paths)
    return shlex.quote(target if not target.startswith("-") or target == "-" else f"./{target}")
