"""Appends review entries to the Learnings of a feature's `.progress.md` and changes nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from reviewloop.core.judging.finding_status import dismiss
from reviewloop.core.session.events import Event
from reviewloop.core.session.history import History, Iteration
from reviewloop.core.types.outcome import Judge, Outcome
from reviewloop.core.types.review import Verdict
from reviewloop.text import count
from reviewloop.views.atomic_files import replace_text
from reviewloop.views.progress_folder import SpecFolder, spec_folder
from reviewloop.views.ralph_state import EXECUTION
from reviewloop.views.review_log import issue_text

_HEADING = re.compile(r"^#", re.MULTILINE)
_STOOD = re.compile(r"^- Action: (?:a person decides|proceed)\b[^\r\n]*", re.MULTILINE)
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
        entries = {
            mark(session, iteration): new
            for iteration in history.iterations
            if iteration.is_judged and (new := entry(session, history, iteration))
        }
        updated = text
        for comment, new in entries.items():
            updated = with_action(updated, comment, new)
        missing = [new for comment, new in entries.items() if comment not in text]
        if missing:
            updated = with_entries(updated or f"# Progress: {folder.name}\n", missing)
        if updated != text:
            replace_text(folder.progress, updated)


def mark(session: str, iteration: Iteration) -> str:
    """A comment that identifies an entry and that readers do not see."""
    return f"<!-- reviewloop: {session} {iteration.number} -->"


def entry(session: str, history: History, iteration: Iteration) -> str | None:
    """An iteration's entry; None until the next step is known."""
    conclusion, action = iteration.conclusion, _action(history, iteration)
    if conclusion is None or action is None:
        return None
    raised = dismiss(conclusion.findings, history)
    issues = [" ".join(issue_text(finding).split()) for finding in raised if not finding.is_late]
    noun = "rule finding" if iteration.judge is Judge.RULES else "finding"
    findings = f"{count(len(issues), noun)}: {'; '.join(issues)}" if issues else "none"
    commission = history.started.commission
    task = f"- Task: {commission.task}\n" if commission and commission.origin else ""
    kind = EXECUTION if task else history.started.kind
    return (
        f"### Review: {kind} (Iteration {iteration.number})\n{mark(session, iteration)}\n{task}"
        f"- Status: {_STATUS[conclusion.verdict]}\n- Findings: {findings}\n- Action: {action}\n"
    )


def _action(history: History, iteration: Iteration) -> str | None:
    judged = [past for past in history.iterations if past.is_judged]
    if iteration is not judged[-1]:
        return _followed_by(history, iteration)
    match history.outcome:
        case None:
            goes_on = history.current is not iteration or (iteration.revised and not iteration.is_unchanged)
            return _followed_by(history, iteration) if goes_on else None
        case Outcome.UNDONE:
            return f"undone: {history.because}"
        case Outcome.PASSED:
            return "proceed"
        case Outcome.PASSED_WITH_WARNINGS:
            return f"proceed with warnings: {'; '.join(history.warnings)}"
        case Outcome.REJECTED:
            return history.because
        case _:
            return f"a person decides: {history.explanation}"


def _followed_by(history: History, iteration: Iteration) -> str:
    """What came between an iteration and the next one: a fix, a contest, or a person's answer."""
    if iteration.is_unchanged:
        return "the author changed nothing"
    if iteration.revised:
        changed = iteration.authored and iteration.authored.changes
        return "revised by the author" if changed else "contested by the author"
    opened = next((w.opened for w in history.windows if w.number == iteration.window + 1), None)
    return f"{opened.by or 'a person'} said {opened.action}" if opened else "reviewed again"


def with_action(text: str, comment: str, new: str) -> str:
    """The text with a new Action in an entry that said how the session stood. Every other line stays as it is."""
    at = text.find(comment)
    if at < 0:
        return text
    heading = _HEADING.search(text, at)
    end = heading.start() if heading else len(text)
    action = new.partition("- Action: ")[2].rstrip("\n")
    return text[:at] + _STOOD.sub(lambda _: f"- Action: {action}", text[at:end], count=1) + text[end:]


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
