"""The stability of a reviewer: its answers when the same question is asked several times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from reviewloop.core.judging.judge import confirm_review, failure_text
from reviewloop.core.matching.merge import merge_panel
from reviewloop.core.session.history import Ended
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.interval import Interval, wilson
from reviewloop.core.types.policy import Policy, Seat
from reviewloop.core.types.review import Review, Usage, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    criterion: str
    lowest: float
    highest: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurring:
    finding: Finding
    answers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stability:
    """A reviewer's answers to the same question.

    `verdicts` are in the order of the answers; `unheard` says why an answer has no verdict. A flip is a verdict that
    differs from the previous one; `flip_rate` is None with fewer than two verdicts, and `interval` is Wilson's, at 95%.
    """

    seat: str
    agent: str
    asked: int
    verdicts: tuple[Verdict, ...]
    unheard: tuple[str, ...]
    flips: int
    flip_rate: float | None
    interval: Interval
    scores: tuple[Spread, ...]
    findings: tuple[Recurring, ...]
    possibly_same: int
    usage: Usage


def stability(seat: Seat, attempts: Sequence[Sequence[Ended]], policy: Policy) -> Stability:
    """Compare the answers to the same question. The last attempt of each round counts."""
    rounds = [calls[-1] for calls in attempts if calls]
    heard = [ended.review for ended in rounds if ended.review]
    verdicts = tuple(confirm_review(review, seat, policy).verdict for review in heard)
    flips = sum(verdict is not following for verdict, following in pairwise(verdicts))
    changes = max(0, len(verdicts) - 1)
    by_answer = {
        str(number): [replace(finding, by=(str(number),), id="") for finding in review.findings]
        for number, review in enumerate(heard, 1)
    }
    merged = merge_panel(by_answer)
    found = [Recurring(finding=finding, answers=len(finding.by)) for finding in merged.findings]
    return Stability(
        seat=seat.name,
        agent=seat.agent,
        asked=len(rounds),
        verdicts=verdicts,
        unheard=tuple(failure_text(ended) for ended in rounds if ended.review is None),
        flips=flips,
        flip_rate=flips / changes if changes else None,
        interval=wilson(flips, changes),
        scores=_spreads(heard),
        findings=tuple(sorted(found, key=lambda recurring: (-recurring.answers, -recurring.finding.severity.rank))),
        possibly_same=len(merged.possible),
        usage=sum((ended.usage for calls in attempts for ended in calls), Usage()),
    )


def _spreads(reviews: Sequence[Review]) -> tuple[Spread, ...]:
    names = dict.fromkeys(name for review in reviews for name in review.scores)
    given = {name: [review.scores[name] for review in reviews if name in review.scores] for name in names}
    return tuple(Spread(criterion=name, lowest=min(scores), highest=max(scores)) for name, scores in given.items())
