"""What reviewers have learned, as files that people read and write in: `MEMORY.md`, `reviews/`, `service-patterns/`.

What people wrote survives every update byte for byte. What they broke is left alone, with a warning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from reviewloop.core.memory.recall import HandWritten, reason
from reviewloop.core.session.history import History
from reviewloop.core.statistics.finding_outcomes import finding_outcomes
from reviewloop.core.types.finding import Severity
from reviewloop.core.types.memory_pattern import Dismissal, Memory, Pattern, Sighting
from reviewloop.core.types.review import Stage
from reviewloop.private_files import FOLDER, make_memory_folder
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
    """The files of what reviewers have learned. The folders of the two stages' reviewers start with `prefix`."""

    def __init__(self, folder: Path, warn: Callable[[str], None], *, prefix: str = "") -> None:
        self._folder = folder
        self._warn = warn
        self._prefix = prefix
        self._said: set[str] = set()

    def folder(self, stage: Stage) -> Path:
        return self._folder / f"{self._prefix}{stage}-reviewer"

    def path(self, stage: Stage, service: str) -> Path:
        return self.folder(stage) / "service-patterns" / f"{safe_name(service)}.md"

    def hand_written(self, stage: Stage, service: str) -> HandWritten:
        """What people wrote about a service."""
        text = self._read(self.path(stage, service))
        if not text:
            return HandWritten()
        return HandWritten(
            rules=tuple(bullets(text, RULES)),
            issues=tuple(row.cells[0] for row in rows_in(text, COMMON, len(_ISSUES)) if not row.id),
            false_positives={row.cells[0]: row.cells[1] for row in rows_in(text, FALSE, len(_REASONS)) if not row.id},
        )

    def add_rule(self, stage: Stage, service: str, rule: str) -> bool:
        """Write a rule into a service's file; False if that cannot be done without breaking it."""
        path = self.path(stage, service)
        text = self._read(path)
        if text is None:
            return False
        try:
            self._replace(path, with_bullet(text or _title(service), RULES, rule))
        except Broken as damage:
            self._complain(path, damage)
            return False
        return True

    def written(self, memory: Memory, today: date) -> Memory:
        """Write a memory's file; the memory then knows what is in it."""
        path = self.path(memory.stage, memory.service)
        text = self._read(path)
        if text is None:
            return memory
        new = text or _title(memory.service)
        deleted = gone_from(memory, text)
        for heading, columns, rows in _tables(memory, today):
            if heading == FALSE and not text:
                new += f"{newline_of(new)}## {RULES}{newline_of(new)}"
            try:
                new = with_table(new, heading, columns, [row for row in rows if row.id not in deleted])
            except Broken as damage:
                self._complain(path, damage)
        if new != text:
            self._replace(path, new)
        there = marked(new)
        return replace(
            memory, patterns=tuple(replace(one, listed=one.listed or one.id in there) for one in memory.patterns)
        )

    def deleted(self, memory: Memory) -> tuple[str, ...]:
        """The patterns whose rows somebody deleted."""
        return gone_from(memory, self._read(self.path(memory.stage, memory.service)))

    def adopted(self, stage: Stage, service: str, today: date) -> Memory:
        """What a file says, where there is nothing else: a colleague's, say."""
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
            self._complain(path, damage)
        else:
            if new != text:
                self._replace(path, new)

    def _replace(self, path: Path, text: str) -> None:
        if self._folder.parent.name == FOLDER:
            make_memory_folder(self._folder)
        replace_text(path.resolve(), text)

    def _read(self, path: Path) -> str | None:
        """A file's text with its line ends; nothing if it is not there, None if it is no text."""
        try:
            return path.read_bytes().decode("utf-8")
        except FileNotFoundError:
            return ""
        except UnicodeDecodeError as damage:
            self._complain(path, Broken(f"byte {damage.start} is not UTF-8 text"))
            return None

    def _complain(self, path: Path, damage: Broken) -> None:
        said = f"{path} is left as it is: {damage}"
        if said not in self._said:
            self._said.add(said)
            self._warn(said)


def gone_from(memory: Memory, text: str | None) -> tuple[str, ...]:
    """The patterns that were in a file and are not any more. If the whole file is gone, it is only written again."""
    if not text:
        return ()
    there = marked(text)
    return tuple(one.id for one in memory.patterns if one.listed and one.id not in there)


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
    archived = [one for one in memory.archived(today) if one.taken_out is None]
    return [
        (COMMON, _ISSUES, [_issue(one) for one in memory.active(today)]),
        (FALSE, _REASONS, [_reason(one, today) for one in memory.false_positives(today)]),
        (ARCHIVE, _ISSUES, [_issue(one) for one in archived]),
    ]


def _issue(one: Pattern) -> Row:
    cells = (
        cell(one.issue),
        str(one.frequency),
        str(one.last_seen or ""),
        str(one.severity).title(),
        cell(one.example),
    )
    return Row(id=one.id, cells=cells, counted=(1, 2))


def _reason(one: Pattern, today: date) -> Row:
    said = sum(not dismissal.probation for dismissal in one.dismissals)
    state = "; suppressed" if one.is_suppressed(today) else ""
    times = f" ({said} {'time' if said == 1 else 'times'}{state})" if said else ""
    return Row(id=one.id, cells=(cell(one.issue), cell(reason(one) + times)), counted=(1,))


def _title(service: str) -> str:
    return f"# {' '.join(service.split())} Review Patterns\n"


def _review(stage: Stage, history: History) -> str:
    lines = [f"Outcome: {history.outcome or 'running'}. {' '.join(history.explanation.split())}".strip()]
    for iteration in history.iterations:
        if iteration.is_reviewed:
            mine = [one for one in finding_outcomes(history, iteration) if (one.finding.stage or Stage.SPEC) == stage]
            lines += ["", f"## Iteration {iteration.number}", ""]
            lines += [
                f"- {outcome.finding.severity}, {outcome.resolution}: {cell(outcome.finding.issue)} "
                f"({cell(str(outcome.finding.place))})"
                for outcome in mine
            ] or ["No findings."]
    return "\n".join(lines)


def _index(memories: Sequence[Memory], today: date) -> str:
    frequent = sorted(
        ((one, memory.service) for memory in memories for one in memory.active(today)),
        key=lambda item: (-item[0].frequency, item[1], item[0].id),
    )
    return "\n".join(
        [
            f"Reviews: {sum(one.reviews for one in memories)}",
            "",
            "| Service | Reviews | Last review | Active patterns | False positives |",
            "|---|---|---|---|---|",
            *(
                f"| [{cell(one.service)}](<service-patterns/{safe_name(one.service)}.md>) | {one.reviews} "
                f"| {one.last_review or ''} | {len(one.active(today))} | {len(one.false_positives(today))} |"
                for one in memories
            ),
            "",
            "Key learnings:",
            "",
            *(f"- {cell(service)}: {cell(one.issue)} ({one.frequency})" for one, service in frequent[:_LEARNINGS]),
        ]
    )
