"""What to do after reading a report, as commands and comments to paste."""

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
    """An action, and the command or comment that performs it."""

    action: str
    command: str


def next_steps(report: ReviewReport, files: tuple[FileFindings, ...]) -> Iterator[NextStep]:
    rules = [located.finding.rule for located in worst_first(found for file in files for found in file.findings)]
    known = [rule for rule in rules if report.rule(rule)]
    if known:
        yield NextStep(action="Explain the rule", command=f"reviewloop explain {known[0]}")
    # A diff cannot hold a comment, and asking reviewers takes its range instead of a file name.
    if all(reviewed.artifact.kind is Kind.CHANGE for reviewed in report.artifacts):
        return
    if known:
        yield NextStep(action="Ignore the finding", command=f"<!-- reviewloop: ignore {known[0]} because … -->")
    if not report.asked_agents and report.paths and report.paths != (FROM_INPUT,):
        yield NextStep(action="Ask reviewers", command=f"reviewloop review --agents {_target(report.paths)}")


def _target(paths: tuple[str, ...]) -> str:
    """The only file, else the folder that holds all files."""
    target = paths[0] if len(paths) == 1 else common_folder(paths)
    return shlex.quote(target if not target.startswith("-") or target == "-" else f"./{target}")
