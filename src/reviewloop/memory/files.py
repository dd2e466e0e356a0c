"""The memory as files that people read and edit: `MEMORY.md`, `reviews/`, `service-patterns/`.

Updates keep people's text byte for byte. A damaged file is left unchanged, with a warning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from reviewloop.core.memory.learning import is_heard
from reviewloop.core.memory.recall import HandWritten, reason
from reviewloop.core.session.history import History
from reviewloop.core.statistics.finding_outcomes import finding_outcomes
from reviewloop.core.types.finding import Severity
from reviewloop.core.types.memory_pattern import Dismissal, Memory, Pattern, Sighting
from reviewloop.core.types.review import Stage
from reviewloop.private_files import FOLDER, make_memory_folder
from reviewloop.text import count
from reviewloop.views.atomic_files import replace_text, safe_name
from reviewloop.views.markdown_tables import (
    Broken,
    Row,
    bullets,
    cell,
    marked,
    newline_of,
    rows_in,
    with_block,
    with_bullet,
    with_marks,
    with_table,
)

COMMON = "Common Issues"
RULES = "Service-Specific Rules"
FALSE = "False Positives to Avoid"
ARCHIVE = "Archive"
_ISSUES = ("Pattern", "Frequency", "Last Seen", "Severity", "Example")
_REASONS = ("Pattern", "Why It's Not an Issue")
_LEARNINGS = 5
_TIMES = re.compile(r" \((\d{1,3}) times?(?:; suppressed)?\)$")


class MemoryFiles:
    """Reads and writes the memory files. The folder names of the two stages start with `prefix`."""

    def __init__(self, folder: Path, warn: Callable[[str], None], *, prefix: str = "") -> None:
        self._folder = folder
        self._warn = warn
        self._prefix = prefix
        self._warned: set[str] = set()

    def folder(self, stage: Stage) -> Path:
        return self._folder / f"{self._prefix}{stage}-reviewer"

    def path(self, stage: Stage, service: str) -> Path:
        return self.folder(stage) / "service-patterns" / f"{safe_name(service)}.md"

    def hand_written(self, stage: Stage, service: str) -> HandWritten:
        """The rules, issues and false positives that people wrote about a service."""
        text = self._read(self.path(stage, service))
        if not text:
            return HandWritten()
        return HandWritten(
            rules=tuple(bullets(text, RULES)),
            issues=tuple(row.cells[0] for row in rows_in(text, COMMON, len(_ISSUES)) if not row.id),
            false_positives={row.cells[0]: row.cells[1] for row in rows_in(text, FALSE, len(_REASONS)) if not row.id},
        )

    def counted_by_others(self, memory: Memory) -> tuple[Pattern, ...]:
        """The rows of a file that have a count, a date and a severity, but no id: other tools and people write them."""
        text = self._read(self.path(memory.stage, memory.service)) or ""
        rows = [row for name in (COMMON, ARCHIVE) for row in rows_in(text, name, len(_ISSUES)) if not row.id]
        patterns = [_pattern_from(row, date.min) for row in rows if _is_counted(row)]
        return tuple(replace(pattern, listed=False) for pattern in patterns if not memory.knows(pattern.issue))

    def services(self) -> list[str]:
        """The services that have a file, as their files are called."""
        found = (path.stem for stage in Stage for path in self.folder(stage).glob("service-patterns/*.md"))
        return sorted(dict.fromkeys(found))

    def add_rule(self, stage: Stage, service: str, rule: str) -> bool:
        """Add a rule to a service's file; False if the file is damaged."""
        path = self.path(stage, service)
        text = self._read(path)
        if text is None:
            return False
        try:
            self._replace(path, with_bullet(text or _title(service), RULES, rule))
        except Broken as damage:
            self._warn_once(path, damage)
            return False
        return True

    def written(self, memory: Memory, today: date) -> Memory:
        """Write a memory's file, and return the memory with its patterns marked as listed there."""
        path = self.path(memory.stage, memory.service)
        text = self._read(path)
        if text is None:
            return memory
        new = self._with_marks(path, text or _title(memory.service), memory)
        deleted = deleted_patterns(memory, text)
        for heading, columns, rows in _tables(memory, today):
            if heading == FALSE and not text:
                new += f"{newline_of(new)}## {RULES}{newline_of(new)}"
            try:
                new = with_table(new, heading, columns, [row for row in rows if row.id not in deleted])
            except Broken as damage:
                self._warn_once(path, damage)
        if new != text:
            self._replace(path, new)
        listed = marked(new)
        patterns = (replace(pattern, listed=pattern.listed or pattern.id in listed) for pattern in memory.patterns)
        return replace(memory, patterns=tuple(patterns))

    def _with_marks(self, path: Path, text: str, memory: Memory) -> str:
        """The text with an id in each row that was adopted."""
        listed = marked(text)
        adopted = [p for p in memory.patterns if not p.listed and p.taken_out is None and p.id not in listed]
        ids = {pattern.issue: pattern.id for pattern in adopted}
        try:
            for heading in (COMMON, ARCHIVE):
                text = with_marks(text, heading, _ISSUES, ids)
                ids = {issue: name for issue, name in ids.items() if name not in marked(text)}
        except Broken as damage:
            self._warn_once(path, damage)
        return text

    def deleted(self, memory: Memory) -> tuple[str, ...]:
        """The ids of patterns whose rows people deleted."""
        return deleted_patterns(memory, self._read(self.path(memory.stage, memory.service)))

    def adopted(self, stage: Stage, service: str, today: date) -> Memory:
        """The memory that a file describes, for a service that the database does not know, such as a colleague's."""
        text = self._read(self.path(stage, service))
        return _from_file(Memory(stage=stage, service=service), text or "", today)

    def write_review(self, stage: Stage, session: str, history: History) -> None:
        name = f"{history.started_at.date()}-{safe_name(history.feature)}.md"
        heading = f"# Review of {' '.join(history.feature.split())}, {history.started_at.date()}\n"
        self._put_block(self.folder(stage) / "reviews" / name, heading, session, _review(stage, history))

    def write_index(self, stage: Stage, memories: Sequence[Memory], today: date) -> None:
        heading = f"# What the {stage} reviewers know\n"
        self._put_block(self.folder(stage) / "MEMORY.md", heading, "index", _index(memories, today))

    def _put_block(self, path: Path, heading: str, name: str, body: str) -> None:
        text = self._read(path)
        if text is None:
            return
        try:
            new = with_block(text or heading, name, body)
        except Broken as damage:
            self._warn_once(path, damage)
        else:
            if new != text:
                self._replace(path, new)

    def _replace(self, path: Path, text: str) -> None:
        if self._folder.parent.name == FOLDER:
            make_memory_folder(self._folder)
        replace_text(path.resolve(), text)

    def _read(self, path: Path) -> str | None:
        """A file's text with its line ends; empty if there is no file, None if it is not UTF-8."""
        try:
            return path.read_bytes().decode("utf-8")
        except FileNotFoundError:
            return ""
        except UnicodeDecodeError as damage:
            self._warn_once(path, Broken(f"byte {damage.start} is not UTF-8 text"))
            return None

    def _warn_once(self, path: Path, damage: Broken) -> None:
        warning = f"{path} was not changed: {damage}"
        if warning not in self._warned:
            self._warned.add(warning)
            self._warn(warning)


def deleted_patterns(memory: Memory, text: str | None) -> tuple[str, ...]:
    """The ids of patterns that the file no longer lists; none if the whole file is gone: it is written again."""
    if not text:
        return ()
    listed = marked(text)
    return tuple(pattern.id for pattern in memory.patterns if pattern.listed and pattern.id not in listed)


def _from_file(memory: Memory, text: str, today: date) -> Memory:
    found = {
        row.id: _pattern_from(row, today) for name in (ARCHIVE, COMMON) for row in rows_in(text, name, 5) if row.id
    }
    for row in rows_in(text, FALSE, len(_REASONS)):
        if row.id:
            issue, why = row.cells
            times = _TIMES.search(why)
            dismissals = tuple(
                Dismissal(key=f"file {number}", on=today, why=_TIMES.sub("", why), probation=times is None)
                for number in range(int(times[1]) if times else 1)
            )
            found[row.id] = Pattern(
                id=row.id, issue=issue, severity=Severity.IMPORTANT, dismissals=dismissals, listed=True
            )
    numbered = max((int(name[1:]) for name in found), default=0)
    return replace(memory, patterns=tuple(found.values()), numbered=numbered)


def _is_counted(row: Row) -> bool:
    _, frequency, seen, severity, _ = row.cells
    known = severity.lower() in list(Severity)
    return frequency.isdecimal() and len(frequency) < 7 and _day(seen) is not None and known


def _pattern_from(row: Row, today: date) -> Pattern:
    issue, frequency, seen, severity, example = row.cells
    times = int(frequency) if frequency.isdecimal() and len(frequency) < 7 else 1
    return Pattern(
        id=row.id,
        issue=issue,
        severity=Severity(severity.lower()) if severity.lower() in list(Severity) else Severity.IMPORTANT,
        example=example,
        sightings=(Sighting(key="file", on=_day(seen) or today),),
        earlier=max(0, times - 1),
        listed=True,
    )


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _tables(memory: Memory, today: date) -> list[tuple[str, tuple[str, ...], list[Row]]]:
    archived = [pattern for pattern in memory.archived(today) if pattern.taken_out is None]
    return [
        (COMMON, _ISSUES, [_issue_row(pattern) for pattern in memory.active(today)]),
        (FALSE, _REASONS, [_reason_row(pattern, today) for pattern in memory.false_positives(today)]),
        (ARCHIVE, _ISSUES, [_issue_row(pattern) for pattern in archived]),
    ]


def _issue_row(pattern: Pattern) -> Row:
    cells = (
        cell(pattern.issue),
        str(pattern.frequency),
        str(pattern.last_seen or ""),
        str(pattern.severity).title(),
        cell(pattern.example),
    )
    return Row(id=pattern.id, cells=cells, counted=(1, 2))


def _reason_row(pattern: Pattern, today: date) -> Row:
    number = sum(not dismissal.probation for dismissal in pattern.dismissals)
    state = "; suppressed" if pattern.is_suppressed(today) else ""
    times = f" ({count(number, 'time')}{state})" if number else ""
    return Row(id=pattern.id, cells=(cell(pattern.issue), cell(reason(pattern) + times)), counted=(1,))


def _title(service: str) -> str:
    return f"# {' '.join(service.split())} Review Patterns\n"


def _review(stage: Stage, history: History) -> str:
    lines = [f"Outcome: {history.outcome or 'running'}. {' '.join(history.explanation.split())}".strip()]
    for iteration in history.iterations:
        if iteration.conclusion and is_heard(iteration, stage):
            outcomes = finding_outcomes(history, iteration)
            own = [outcome for outcome in outcomes if (outcome.finding.stage or Stage.SPEC) == stage]
            lines += ["", f"## Iteration {iteration.number}", ""]
            lines += [
                f"- {outcome.finding.severity}, {outcome.resolution}: {cell(outcome.finding.issue)} "
                f"({cell(str(outcome.finding.place))})"
                for outcome in own
            ] or ["No findings."]
    return "\n".join(lines)


def _index(memories: Sequence[Memory], today: date) -> str:
    frequent = sorted(
        ((pattern, memory.service) for memory in memories for pattern in memory.active(today)),
        key=lambda item: (-item[0].frequency, item[1], item[0].id),
    )
    return "\n".join(
        [
            f"Reviews: {sum(memory.reviews for memory in memories)}",
            "",
            "| Service | Reviews | Last review | Active patterns | False positives |",
            "|---|---|---|---|---|",
            *(
                f"| [{cell(memory.service)}](<service-patterns/{safe_name(memory.service)}.md>) | {memory.reviews} "
                f"| {memory.last_review or ''} | {len(memory.active(today))} | {len(memory.false_positives(today))} |"
                for memory in memories
            ),
            "",
            "Key learnings:",
            "",
            *(
                f"- {cell(service)}: {cell(pattern.issue)} ({pattern.frequency})"
                for pattern, service in frequent[:_LEARNINGS]
            ),
        ]
    )
