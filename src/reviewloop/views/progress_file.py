"""Appends review entries to the Learnings of a feature's `.progress.md` and changes nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from reviewloop.core.session.events import Event
from reviewloop.core.session.history import History, Iteration
from reviewloop.core.types.outcome import Outcome
from reviewloop.core.types.review import Verdict
from reviewloop.text import count
from reviewloop.views.atomic_files import replace_text
from reviewloop.views.progress_folder import SpecFolder, spec_folder
from reviewloop.views.ralph_state import EXECUTION

_NEXT = re.compile(r"^#{1,2} ", re.MULTILINE)
_STATUS = {Verdict.PASS: "PASS", Verdict.NEEDS_REVISION: "FAIL", Verdict.INCONCLUSIVE: "INCONCLUSIVE"}


class ProgressFile:
    """Writes the missing entries of each session, also after a crash between ledger and file."""

    label: ClassVar[str] = "the progress file"

    def __init__(self, root: Path, pattern: str) -> None:
        self._root = root
        self._pattern = pattern

    async def notice(self, session: str, history: History, events: Sequence[Event]) -> None:
        del events
        folder = spec_folder(self._root, self._pattern, history)
        if folder is None:
            return
        text = _read(folder.progress)
        missing = [
            new
            for iteration in history.iterations
            if mark(session, iteration) not in text and (new := entry(session, history, iteration))
        ]
        if missing:
            replace_text(folder.progress, with_entries(text or f"# Progress: {folder.name}\n", missing))


def mark(session: str, iteration: Iteration) -> str:
    """A comment that identifies an entry and that readers do not see."""
    return f"<!-- reviewloop: {session} {iteration.number} -->"


def entry(session: str, history: History, iteration: Iteration) -> str | None:
    """An iteration's entry; None until the next step is known."""
    conclusion, action = iteration.conclusion, _action(history, iteration)
    if conclusion is None or action is None:
        return None
    issues = [" ".join(finding.issue.split()) for finding in conclusion.findings if not finding.is_late]
    findings = f"{count(len(issues), 'finding')}: {'; '.join(issues)}" if issues else "none"
    commission = history.started.commission
    task = f"- Task: {commission.task}\n" if commission and commission.origin else ""
    kind = EXECUTION if task else history.started.kind
    return (
        f"### Review: {kind} (Iteration {iteration.number})\n{mark(session, iteration)}\n{task}"
        f"- Status: {_STATUS[conclusion.verdict]}\n- Findings: {findings}\n- Action: {action}\n"
    )


def _action(history: History, iteration: Iteration) -> str | None:
    is_last = iteration is history.iterations[-1]
    if iteration.is_unchanged and not is_last:
        return "the author changed nothing"
    if (iteration.revised and not iteration.is_unchanged) or not is_last:
        return "revised by the author"
    match history.outcome:
        case None:
            return None
        case Outcome.UNDONE:
            return f"undone: {history.because}"
        case Outcome.PASSED:
            return "proceed"
        case Outcome.PASSED_WITH_WARNINGS:
            return f"proceed with warnings: {'; '.join(history.warnings)}"
        case _:
            return f"a person decides: {history.explanation}"


def suggest(folder: SpecFolder, session: str, number: str, findings: Sequence[str]) -> None:
    """Write the findings that a review left for people to decide, once per session."""
    text = _read(folder.progress)
    comment = f"<!-- reviewloop: {session} suggestions -->"
    if comment in text:
        return
    lines = "".join(f"- {' '.join(finding.split())}\n" for finding in findings)
    new = f"### Task {number}\n{comment}\n{lines}"
    start = text or f"# Progress: {folder.name}\n"
    replace_text(folder.progress, with_entries(start, [new], "Review Suggestions"))


def with_entries(text: str, entries: Sequence[str], title: str = "Learnings") -> str:
    """The text with entries added at the end of a section, and no other change."""
    new = "\n".join(entries)
    heading = re.search(rf"^## +{title}[ \t]*\r?$", text, re.MULTILINE | re.IGNORECASE)
    if heading is None:
        return f"{_ended(text)}\n## {title}\n\n{new}"
    following = _NEXT.search(text, heading.end())
    end = following.start() if following else len(text)
    before, after = text[:end], text[end:]
    gap = "" if before.endswith("\n\n") else "\n"
    return f"{_ended(before)}{gap}{new}{chr(10) if after else ''}{after}"


def _ended(text: str) -> str:
    return text if text.endswith("\n") or not text else f"{text}\n"


def _read(path: Path) -> str:
    if not path.is_file():
        return ""
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise OSError(f"{path} was not changed: it is not UTF-8") from error
