"""How much two models of a panel say the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from reviewloop.core.judging.min_scores import stand
from reviewloop.core.panel.confidence import counts
from reviewloop.core.session.history import History, Iteration
from reviewloop.core.statistics.finding_outcomes import is_reviewed
from reviewloop.core.statistics.totals import totals
from reviewloop.core.types.finding import Finding, Group
from reviewloop.core.types.interval import Rate
from reviewloop.core.types.policy import Policy
from reviewloop.core.types.review import Review, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How often two models come to the same verdict, and how much of what either says both say."""

    first: str
    second: str
    verdicts: Rate
    findings: Rate

    def __add__(self, other: Agreement) -> Agreement:
        return Agreement(
            first=self.first,
            second=self.second,
            verdicts=self.verdicts + other.verdicts,
            findings=self.findings + other.findings,
        )


def agreement(histories: Iterable[History]) -> tuple[Agreement, ...]:
    """Of every two models that were heard in the same stage of the same review."""
    found = (
        one
        for history in histories
        for iteration in filter(is_reviewed, history.iterations)
        for one in _in_one_review(iteration, history.policy)
    )
    return totals(found, key=lambda one: (one.first, one.second))


def _in_one_review(iteration: Iteration, policy: Policy) -> Iterator[Agreement]:
    assert iteration.conclusion is not None
    gone = iteration.discarded.keys if iteration.discarded else ()
    for stage in dict.fromkeys(seat.stage for seat in policy.seats):
        raised = [one for one in iteration.conclusion.findings if one.stage == stage and one.rule is None]
        passes: dict[str, bool] = {}
        for seat in policy.seats:
            attempts = iteration.attempts(seat.name) if seat.stage is stage else ()
            result = attempts[-1].result if attempts and attempts[-1].call.key not in gone else None
            if isinstance(result, Review) and result.verdict is not Verdict.INCONCLUSIVE:
                mine = not any(counts(one) for one in raised if seat.agent in one.by)
                own = mine if stage else stand(result, seat, policy).verdict is Verdict.PASS
                passes[seat.agent] = passes.get(seat.agent, True) and own
        for first, second in combinations(passes, 2):
            yield Agreement(
                first=first,
                second=second,
                verdicts=Rate(hits=int(passes[first] is passes[second]), tries=1),
                findings=_in_common(first, second, raised),
            )


def _in_common(first: str, second: str, raised: list[Finding]) -> Rate:
    told = [{*one.by} & {first, second} for one in raised if one.group is not Group.CONTRADICTION]
    return Rate(hits=sum(len(by) == 2 for by in told), tries=sum(bool(by) for by in told))
