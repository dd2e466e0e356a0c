"""What reviewers are told before they look, and what is not to block."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from reviewloop.core.types.memory_pattern import Memory, Pattern
from reviewloop.core.types.policy import Suppression

TOLD = 100
"""How many issues, rules and false positives each a reviewer is told of at most: the most frequent ones."""

LONGEST = 400
"""How many characters of one of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandWritten:
    """What people wrote into a service's file: rules, issues and false positives with their reasons."""

    rules: tuple[str, ...] = ()
    issues: tuple[str, ...] = ()
    false_positives: Mapping[str, str] = field(default_factory=dict[str, str])


def suppressions(memories: Iterable[Memory], today: date) -> tuple[Suppression, ...]:
    """What people have said often enough is no issue, for the policy of a session."""
    return tuple(
        Suppression(
            pattern=one.id,
            issue=one.issue,
            category=one.category,
            because=f"{sum(not d.probation for d in one.dismissals)} times no issue here, last on {one.dismissed_on}",
        )
        for memory in memories
        for one in memory.patterns
        if one.is_suppressed(today)
    )


def told(memories: Sequence[Memory], written: Sequence[HandWritten], today: date) -> str:
    """What reviewers are told before they look: known issues first, then rules, then what is no issue."""
    active = sorted((one for memory in memories for one in memory.active(today)), key=lambda one: -one.frequency)
    false = [one for memory in memories for one in memory.false_positives(today)]
    false.sort(key=lambda one: one.dismissed_on or date.min, reverse=True)
    parts = [
        _list(
            "Issues that came up here before. Look for these first. If a finding of yours is one of them, put its id\n"
            "into `pattern_id`.",
            [f"{one.id} ({one.severity}, {one.frequency} times): {one.issue}" for one in active],
            [issue for one in written for issue in one.issues],
        ),
        _list("Rules of this service:", [], [rule for one in written for rule in one.rules]),
        _list(
            "People said that these are no issues here. Do not raise them, unless it is clearly different this time.",
            [f"{one.id}: {one.issue} ({reason(one)})" for one in false],
            [f"{issue} ({why})" for one in written for issue, why in one.false_positives.items()],
        ),
    ]
    return "\n\n".join(part for part in parts if part)


def reason(pattern: Pattern) -> str:
    """Why people say a pattern is no issue, in one line."""
    last = max(pattern.dismissals, key=lambda one: (not one.probation, one.on))
    who = last.by or "a person"
    if last.probation:
        return f"on probation: {who} accepted it as it was" + (f": {_flat(last.why)}" if last.why else "")
    return f"{who}: {_flat(last.why) or 'no reason given'}"


def _list(about: str, learned: Sequence[str], by_hand: Sequence[str]) -> str:
    """At most as many as a prompt can bear. What people wrote themselves has precedence."""
    if not learned and not by_hand:
        return ""
    mine = by_hand[:TOLD]
    shown = [*learned[: TOLD - len(mine)], *mine]
    left = len(learned) + len(by_hand) - len(shown)
    more = [f"({left} more are on record)"] if left else []
    return "\n".join([about, *(f"- {_short(item)}" for item in shown), *more])


def _short(text: str) -> str:
    flat = _flat(text)
    return flat if len(flat) <= LONGEST else f"{flat[: LONGEST - 1]}…"


def _flat(text: str) -> str:
    return " ".join(text.split())
