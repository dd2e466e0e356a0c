"""How sure reviewers say they are, against what people made of the work."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from reviewloop.core.panel.confidence import counts
from reviewloop.core.session.events import Answered, Blocked, Discarded, Escalated, Iterated, Payload, Resumed
from reviewloop.core.types.interval import Rate
from reviewloop.core.types.outcome import Answer
from reviewloop.core.types.review import Stage, Verdict

EDGES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A reviewer was so sure of its verdict, and a person agreed with it or not."""

    agent: str
    confidence: float
    right: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """Claims of about the same confidence, from `low` up to `high`. `stated` is their mean."""

    low: float
    high: float
    stated: float
    observed: Rate


def claims(events: Iterable[Payload]) -> list[Claim]:
    """What the reviewers of a session claimed about work that a person then had the last word on."""
    found: list[Claim] = []
    heard: list[Answered] = []
    concluded: Iterated | None = None
    stopped = False
    for payload in events:
        match payload:
            case Answered():
                heard = [one for one in heard if one.iteration == payload.iteration] + [payload]
            case Discarded(keys=keys):
                heard = [one for one in heard if one.call.key not in keys]
            case Iterated():
                concluded, stopped = payload, False
            case Escalated() | Blocked():
                stopped = True
            case Resumed(action=action) if stopped and concluded and action is not Answer.CONTINUE:
                found += _judged(heard, concluded, good=action is Answer.ACCEPT)
                stopped = False
            case _:
                pass
    return found


def buckets(said: Sequence[Claim]) -> tuple[Bucket, ...]:
    """The claims by how sure they are; what nobody claimed is left out."""
    found: list[Bucket] = []
    for low, high in pairwise(EDGES):
        some = [one for one in said if low <= one.confidence < high or one.confidence == high == EDGES[-1]]
        if some:
            stated = sum(one.confidence for one in some) / len(some)
            observed = Rate(hits=sum(one.right for one in some), tries=len(some))
            found.append(Bucket(low=low, high=high, stated=stated, observed=observed))
    return tuple(found)


def _judged(heard: Sequence[Answered], concluded: Iterated, *, good: bool) -> list[Claim]:
    if concluded.verdict is Verdict.INCONCLUSIVE:
        return []
    failing = {one.stage for one in concluded.findings if counts(one)}
    return [
        Claim(agent=one.call.agent, confidence=sure, right=(one.review.verdict is Verdict.PASS) is good)
        for one in heard
        if one.iteration == concluded.iteration
        and one.review.verdict is not Verdict.INCONCLUSIVE
        and (sure := one.review.confidence) is not None
        and not (not good and _is_another_stages(one.call.stage, failing))
    ]


def _is_another_stages(stage: Stage | None, failing: Collection[str | None]) -> bool:
    """Whether work was turned down for what is not this stage's business."""
    return stage is not None and bool(failing) and stage not in failing
