"""Reviewers' stated confidence compared with people's decisions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from reviewloop.core.session.events import Answered, Blocked, Discarded, Escalated, Iterated, Passed, Payload, Resumed
from reviewloop.core.types.interval import Rate
from reviewloop.core.types.outcome import Answer
from reviewloop.core.types.review import Stage, Verdict

EDGES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A reviewer's confidence in its verdict, and whether a person agreed."""

    agent: str
    confidence: float
    right: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """Claims with a confidence from `low` to `high`. `stated` is their mean confidence."""

    low: float
    high: float
    stated: float
    observed: Rate


def claims(events: Iterable[Payload]) -> list[Claim]:
    """The claims of a session's reviewers about work that a person then decided on."""
    found: list[Claim] = []
    heard: list[Answered] = []
    concluded: Iterated | None = None
    stopped, before = False, 0
    for payload in events:
        match payload:
            case Answered():
                heard = [answer for answer in heard if answer.iteration == payload.iteration] + [payload]
            case Discarded(keys=keys):
                heard = [answer for answer in heard if answer.call.key not in keys]
            case Iterated(by_person=True):  # no reviewer said this
                concluded, stopped = None, False
            case Iterated():
                concluded, stopped, before = payload, False, len(found)
            case Escalated() | Blocked() | Passed():  # a person may overrule a pass too: then the last answer counts
                stopped = True
            case Resumed(action=action) if stopped and concluded and action is not Answer.CONTINUE:
                found[before:] = _judged(heard, concluded, good=action is Answer.ACCEPT)
                stopped = False
            case _:
                pass
    return found


def buckets(claimed: Sequence[Claim]) -> tuple[Bucket, ...]:
    """The claims by confidence, without empty buckets."""
    found: list[Bucket] = []
    for low, high in pairwise(EDGES):
        inside = [claim for claim in claimed if low <= claim.confidence < high or claim.confidence == high == EDGES[-1]]
        if inside:
            stated = sum(claim.confidence for claim in inside) / len(inside)
            observed = Rate(hits=sum(claim.right for claim in inside), tries=len(inside))
            found.append(Bucket(low=low, high=high, stated=stated, observed=observed))
    return tuple(found)


def _judged(heard: Sequence[Answered], concluded: Iterated, *, good: bool) -> list[Claim]:
    if concluded.verdict is Verdict.INCONCLUSIVE:
        return []
    failing = {finding.stage for finding in concluded.findings if finding.is_serious}
    return [
        Claim(
            agent=answer.answered_by or answer.call.agent,
            confidence=stated,
            right=(answer.review.verdict is Verdict.PASS) is good,
        )
        for answer in heard
        if answer.iteration == concluded.iteration
        and answer.review.verdict is not Verdict.INCONCLUSIVE
        and (stated := answer.review.confidence) is not None
        and (good or not _failed_elsewhere(answer.call.stage, failing))
    ]


def _failed_elsewhere(stage: Stage | None, failing: Collection[str | None]) -> bool:
    """Whether only other stages failed the work."""
    return stage is not None and bool(failing) and stage not in failing
