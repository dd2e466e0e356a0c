"""What reviewers are told from the memory, and which findings it suppresses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from reviewloop.core.types.memory_pattern import Memory, Pattern
from reviewloop.core.types.policy import Suppression
from reviewloop.text import count

MAX_ITEMS = 100
"""The most issues, rules and false positives that a reviewer is told, each; the most frequent ones."""

LONGEST = 400
"""The most characters of one of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandWritten:
    """The entries that people wrote into a service's file: rules, issues, and false positives with their reasons."""

    rules: tuple[str, ...] = ()
    issues: tuple[str, ...] = ()
    false_positives: Mapping[str, str] = field(default_factory=dict[str, str])


def suppressions(memories: Iterable[Memory], today: date) -> tuple[Suppression, ...]:
    """The false positives that are dismissed often enough to be suppressed, for a session's policy."""
    return tuple(
        Suppression(
            pattern=pattern.id,
            issue=pattern.issue,
            category=pattern.category,
            because=f"dismissed {count(pattern.dismissal_count, 'time')}, last on {pattern.dismissed_on}",
        )
        for memory in memories
        for pattern in memory.patterns
        if pattern.is_suppressed(today)
    )


def memory_brief(memories: Sequence[Memory], written: Sequence[HandWritten], today: date) -> str:
    """The memory for a reviewer's prompt: known issues first, then rules, then false positives."""
    active = [pattern for memory in memories for pattern in memory.active(today)]
    active.sort(key=lambda pattern: -pattern.frequency)
    false = [pattern for memory in memories for pattern in memory.false_positives(today)]
    false.sort(key=lambda pattern: pattern.dismissed_on or date.min, reverse=True)
    parts = [
        _list(
            "Issues found here before. Look for these first. If one of your findings matches an issue, put the\n"
            "issue's id into `pattern_id`.",
            [f"{known.id} ({known.severity}, {count(known.frequency, 'time')}): {known.issue}" for known in active],
            [issue for entries in written for issue in entries.issues],
        ),
        _list("Rules of this service:", [], [rule for entries in written for rule in entries.rules]),
        _list(
            "Known false positives. Do not report these, unless this case is clearly different.",
            [f"{pattern.id}: {pattern.issue} ({reason(pattern)})" for pattern in false],
            [f"{issue} ({why})" for entries in written for issue, why in entries.false_positives.items()],
        ),
    ]
    return "\n\n".join(part for part in parts if part)


def reason(pattern: Pattern) -> str:
    """Why a pattern is a false positive, in one line."""
    last = max(pattern.dismissals, key=lambda dismissal: (not dismissal.probation, dismissal.on))
    who = last.by or "a person"
    if last.probation:
        return f"on probation: {who} accepted work with this finding" + (f": {_flat(last.why)}" if last.why else "")
    return f"{who}: {_flat(last.why) or 'no reason given'}"


def _list(about: str, learned: Sequence[str], by_hand: Sequence[str]) -> str:
    """A list of at most `MAX_ITEMS` items. People's own entries take precedence."""
    if not learned and not by_hand:
        return ""
    mine = by_hand[:MAX_ITEMS]
    shown = [*learned[: MAX_ITEMS - len(mine)], *mine]
    left = len(learned) + len(by_hand) - len(shown)
    more = [f"({left} more on record)"] if left else []
    return "\n".join([about, *(f"- {_short(item)}" for item in shown), *more])


def _short(text: str) -> str:
    flat = _flat(text)
    return flat if len(flat) <= LONGEST else f"{flat[: LONGEST - 1]}…"


def _flat(text: str) -> str:
    return " ".join(text.split())
