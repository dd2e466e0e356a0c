"""An author may contest a finding; somebody independent rules on it, once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from reviewloop.core.dialects.answer import Answer
from reviewloop.core.dialects.json_extraction import objects
from reviewloop.core.judging.finding_status import CERTAIN
from reviewloop.core.judging.ratchet import known
from reviewloop.core.session.events import Contested, Ruled
from reviewloop.core.session.history import History
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.outcome import Judgment
from reviewloop.core.types.policy import Policy

RULING_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"ruling": {"enum": [word.value for word in Judgment]}, "reason": {"type": "string"}},
    "required": ["ruling", "reason"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What an arbiter says of a contest."""

    ruling: Judgment
    reason: str


def contestable(findings: Iterable[Finding], history: History) -> tuple[Finding, ...]:
    """What a reviewer raised. What a program found is so, and a person has the last word."""
    by_people = {(one.finding.issue, one.finding.place) for one in history.added}
    return tuple(one for one in findings if one.rule is None and (one.issue, one.place) not in by_people)


def read_contests(answer: Answer, findings: Sequence[Finding]) -> Mapping[str, str]:
    """The ids an author contests, each with its reason. What is no valid contest of one of the findings is none."""
    ids = {finding.id for finding in findings}
    contests: dict[str, str] = {}
    for found in objects(answer.own_words()).objects:
        items: Any = found.value.get("contested")
        if isinstance(items, list) and not answer.quotes(found.text):
            said = {_text(item, "id"): _text(item, "reason") for item in cast("list[Any]", items)}
            contests |= {name: reason for name, reason in said.items() if name in ids and reason}
    return contests


def _text(item: Any, key: str) -> str:
    value: Any = cast("dict[str, Any]", item).get(key) if isinstance(item, dict) else None
    text = value.strip() if isinstance(value, str) else ""
    return text if text.strip(".…") else ""


def unruled(history: History) -> tuple[Contested, ...]:
    """Contests that nobody has ruled on. Of one finding, in whatever words, there is one ruling in a session."""
    found: list[Contested] = []
    for contest in history.contested:
        settled = [one.finding for one in (*history.ruled, *found)]
        if not known([contest.finding], settled, same_from=CERTAIN):
            found.append(contest)
    return tuple(found)


def arbiter_of(contest: Contested, policy: Policy) -> str | None:
    """Who rules: another reviewer, else the arbiter; never who raised it, nor the author."""
    involved = {*contest.finding.by, contest.by}
    named = (*(seat.agent for seat in policy.seats if seat.agent != "static"), policy.arbiter)
    return next((agent for agent in named if agent and agent not in involved), None)


def next_to_rule(history: History, policy: Policy) -> Contested | None:
    return next((one for one in unruled(history) if arbiter_of(one, policy)), None)


def read_ruling(answer: Answer) -> Opinion | None:
    """The last valid ruling in an answer; None if it has none. An answer that ends inside an object is no answer."""
    extracted = objects(answer.own_words())
    for found in () if extracted.cut else reversed(extracted.objects):
        word = found.value.get("ruling")
        if word in tuple(Judgment) and not answer.quotes(found.text):
            return Opinion(ruling=Judgment(word), reason=_text(found.value, "reason") or "no reason given")
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """A finding that an author contests, its reason, and the ruling if there is one that can be used."""

    finding: Finding
    reason: str
    ruled: Ruled | None = None


def contests_told(history: History) -> tuple[Contest, ...]:
    """What authors contested in this session, each finding once, with the author's last words on it."""
    told: dict[tuple[str, str], Contest] = {}
    for one in history.contested:
        ruled = ruling_on(one, history)
        key = (one.finding.issue, str(one.finding.place))
        told[key] = Contest(finding=one.finding, reason=one.reason, ruled=ruled if ruled and ruled.ruling else None)
    return tuple(told.values())


def ruling_on(contest: Contested, history: History) -> Ruled | None:
    """The ruling on a contested finding, if there is one."""
    again = known([contest.finding], [one.finding for one in history.ruled], same_from=CERTAIN)
    return next((one for one in history.ruled if again and one.finding is again[0]), None)
