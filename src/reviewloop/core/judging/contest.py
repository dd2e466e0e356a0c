"""Contested findings: the author says that a finding is wrong, and an independent agent rules on it, once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from reviewloop.core.dialects.answer import Answer
from reviewloop.core.dialects.json_extraction import json_objects, json_parts
from reviewloop.core.judging.finding_status import CERTAIN
from reviewloop.core.judging.independence import authors_of, raisers
from reviewloop.core.judging.ratchet import find_repeats
from reviewloop.core.session.events import Contested, Ruled
from reviewloop.core.session.history import History
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.outcome import Judgment
from reviewloop.core.types.policy import STATIC, Policy

RULING_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"ruling": {"enum": [word.value for word in Judgment]}, "reason": {"type": "string"}},
    "required": ["ruling", "reason"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    ruling: Judgment
    reason: str


def contestable(findings: Iterable[Finding], history: History) -> tuple[Finding, ...]:
    """The findings that reviewers raised. Findings of rules and of people cannot be contested."""
    by_people = {(added.finding.issue, added.finding.place) for added in history.added}
    raised = (finding for finding in findings if finding.rule is None)
    return tuple(finding for finding in raised if (finding.issue, finding.place) not in by_people)


def read_contests(answer: Answer, findings: Sequence[Finding]) -> Mapping[str, str]:
    """The author's reason by contested finding id. Unknown ids and empty reasons are ignored."""
    ids = {finding.id for finding in findings}
    contests: dict[str, str] = {}
    for part in json_parts(answer.text):
        items: Any = part.object.get("contested") if part.object else None
        if isinstance(items, list) and not answer.quotes_object(part.object, part.text):
            reasons = {_text(item, "id"): _text(item, "reason") for item in cast("list[Any]", items)}
            contests |= {name: reason for name, reason in reasons.items() if name in ids and reason}
    return contests


def _text(item: Any, key: str) -> str:
    value: Any = cast("dict[str, Any]", item).get(key) if isinstance(item, dict) else None
    text = value.strip() if isinstance(value, str) else ""
    return text if text.strip(".…") else ""


def unruled(history: History) -> tuple[Contested, ...]:
    """Contests without a ruling. A finding gets one ruling in a session and stage, however it is worded.

    A ruling that the budget cut short does not count.
    """
    found: list[Contested] = []
    for contest in history.contested:
        ruled = [event for event in history.ruled if event.failure is None or event.failure.cause != "budget"]
        settled = [event.finding for event in (*ruled, *found) if event.finding.stage == contest.finding.stage]
        if not find_repeats([contest.finding], settled, same_from=CERTAIN):
            found.append(contest)
    return tuple(found)


def arbiter_of(contest: Contested, history: History, policy: Policy) -> str | None:
    """The agent that rules: the arbiter, else another reviewer; never who raised the finding, and never an author."""
    involved = {*raisers(contest.finding, history), contest.by, *authors_of(history)}
    named = (policy.arbiter, *(seat.agent for seat in policy.seats if seat.agent != STATIC))
    return next((agent for agent in named if agent and agent not in involved), None)


def next_to_rule(history: History, policy: Policy) -> Contested | None:
    return next((contest for contest in unruled(history) if arbiter_of(contest, history, policy)), None)


def read_ruling(answer: Answer) -> Opinion | None:
    """The ruling in an answer; None if there is none, if rulings disagree, or if an object is broken or cut off."""
    values = [value for value in json_objects(answer.text) or () if "ruling" in value]
    own = [value for value in values if not answer.quotes_object(value, "")]
    words = {value["ruling"] if isinstance(value["ruling"], str) else "" for value in own}
    if len(words) != 1 or not words <= set(Judgment):
        return None
    return Opinion(ruling=Judgment(words.pop()), reason=_text(own[-1], "reason") or "no reason given")


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """A contested finding, the author's reason, and the ruling if there is a usable one."""

    finding: Finding
    reason: str
    ruled: Ruled | None = None


def latest_contests(history: History) -> tuple[Contest, ...]:
    """Each contested finding of this session once, with the author's latest reason."""
    found: dict[tuple[str, str, str | None], Contest] = {}
    for event in history.contested:
        ruled = ruling_on(event, history)
        key = (event.finding.issue, str(event.finding.place), event.finding.stage)
        usable = ruled if ruled and ruled.ruling else None
        found[key] = Contest(finding=event.finding, reason=event.reason, ruled=usable)
    return tuple(found.values())


def ruling_on(contest: Contested, history: History) -> Ruled | None:
    of_stage = [ruled for ruled in history.ruled if ruled.finding.stage == contest.finding.stage]
    repeats = find_repeats([contest.finding], [ruled.finding for ruled in of_stage], same_from=CERTAIN)
    return next((ruled for ruled in of_stage if repeats and ruled.finding is repeats[0]), None)
