"""How steady a reviewer is: the same question about the same text, asked again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from reviewloop.core.judging.judge import stand, why
from reviewloop.core.matching.merge import merge_panel
from reviewloop.core.session.history import Ended
from reviewloop.core.types.finding import Finding
from reviewloop.core.types.interval import Interval, wilson
from reviewloop.core.types.policy import Policy, Seat
from reviewloop.core.types.review import Review, Usage, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The lowest and the highest score of a criterion."""

    criterion: str
    lowest: float
    highest: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurring:
    """A finding, in how many of the answers it is."""

    finding: Finding
    answers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Steadiness:
    """What the same reviewer said each time.

    `verdicts` are in the order of the answers; `unheard` says why there is none. A flip is a verdict that differs from
    the one before; `flip_rate` is None with fewer than two verdicts, and `interval` is Wilson's, at 95%.
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


def steadiness(seat: Seat, attempts: Sequence[Sequence[Ended]], policy: Policy) -> Steadiness:
    """Compare the answers to the same question. Each time there may have been several attempts; the last counts."""
    rounds = [some[-1] for some in attempts if some]
    reviews = [one.result for one in rounds if isinstance(one.result, Review)]
    heard = [one for one in reviews if one.verdict is not Verdict.INCONCLUSIVE]
    verdicts = tuple(stand(review, seat, policy).verdict for review in heard)
    flips = sum(one is not other for one, other in pairwise(verdicts))
    changes = max(0, len(verdicts) - 1)
    said = {
        str(number): [replace(finding, by=(str(number),), id="") for finding in review.findings]
        for number, review in enumerate(heard, 1)
    }
    merged = merge_panel(said)
    found = [Recurring(finding=finding, answers=len(finding.by)) for finding in merged.findings]
    return Steadiness(
        seat=seat.name,
        agent=seat.agent,
        asked=len(rounds),
        verdicts=verdicts,
        unheard=tuple(why(one) for one in rounds if one.result not in heard),
        flips=flips,
        flip_rate=flips / changes if changes else None,
        interval=wilson(flips, changes),
        scores=_spreads(heard),
        findings=tuple(sorted(found, key=lambda one: (-one.answers, -one.finding.severity.rank))),
        possibly_same=len(merged.possible),
        usage=sum((one.usage for some in attempts for one in some), Usage()),
    )


def _spreads(reviews: Sequence[Review]) -> tuple[Spread, ...]:
    names = dict.fromkeys(name for review in reviews for name in review.scores)
    given = {name: [review.scores[name] for review in reviews if name in review.scores] for name in names}
    return tuple(Spread(criterion=name, lowest=min(some), highest=max(some)) for name, some in given.items())
