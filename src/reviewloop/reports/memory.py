"""The reviewer memory as tables and as JSON objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from reviewloop.core.memory.recall import reason
from reviewloop.core.types.memory_pattern import Memory, Pattern
from reviewloop.core.types.review import Stage
from reviewloop.reports.safe_text import printable
from reviewloop.reports.tables import Table


def services_table(memories: Sequence[Memory], today: date) -> Table:
    columns = ("service", "stage", "reviews", "active", "false positives", "suppressed", "archived")
    rows = tuple((memory.service, str(memory.stage), *map(str, _counts(memory, today).values())) for memory in memories)
    return Table(title="memory", columns=columns, rows=rows)


def services_object(memories: Sequence[Memory], today: date) -> list[dict[str, Any]]:
    return [{"service": memory.service, "stage": str(memory.stage)} | _counts(memory, today) for memory in memories]


def service_tables(service: str, memories: Sequence[Memory], today: date) -> list[Table]:
    columns = ("id", "state", "frequency", "last seen", "severity", "issue", "why not")
    patterns = [pattern for memory in memories for pattern in memory.patterns]
    rows = tuple(tuple(str(value) for value in _row(pattern, today)) for pattern in patterns)
    return [Table(title=service, columns=columns, rows=rows, empty="no patterns")]


def told_text(told: Mapping[Stage, str]) -> str:
    """What reviewers are told, word for word, after a heading for each stage."""
    parts = [f"what {stage} reviewers are told\n\n{_printable_lines(text)}\n" for stage, text in told.items()]
    return "\n".join(parts) or "reviewers are told nothing\n"


def _printable_lines(text: str) -> str:
    return "\n".join(map(printable, text.splitlines()))


def service_object(memories: Sequence[Memory], told: Mapping[Stage, str], today: date) -> dict[str, Any]:
    return {
        "patterns": patterns_object(memories, today),
        "told": {str(stage): text for stage, text in told.items()},
    }


def patterns_object(memories: Sequence[Memory], today: date) -> list[dict[str, Any]]:
    names = ("id", "state", "frequency", "last_seen", "severity", "issue", "why_not")
    return [
        {"stage": str(memory.stage)}
        | dict(zip(names, _row(pattern, today), strict=True))
        | {"example": pattern.example}
        for memory in memories
        for pattern in memory.patterns
    ]


def _row(pattern: Pattern, today: date) -> tuple[object, ...]:
    why = reason(pattern) if pattern.dismissals else ""
    state, seen = _state(pattern, today), pattern.last_seen or ""
    return pattern.id, state, pattern.frequency, seen, pattern.severity, pattern.issue, why


def _state(pattern: Pattern, today: date) -> str:
    if pattern.is_false(today):
        return "suppressed" if pattern.is_suppressed(today) else "false positive"
    return "archived" if pattern.is_archived(today) else "active"


def _counts(memory: Memory, today: date) -> dict[str, int]:
    return {
        "reviews": memory.reviews,
        "active": len(memory.active(today)),
        "false_positives": len(memory.false_positives(today)),
        "suppressed": sum(pattern.is_suppressed(today) for pattern in memory.patterns),
        "archived": len(memory.archived(today)),
    }
