"""How often two models of a panel agree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from reviewloop.core.judging.independence import as_answered
from reviewloop.core.judging.min_scores import confirm_review
from reviewloop.core.session.history import History, Iteration
from reviewloop.core.statistics.totals import totals
from reviewloop.core.types.finding import Finding, Group
from reviewloop.core.types.interval import Rate
from reviewloop.core.types.policy import Policy
from reviewloop.core.types.review import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How often two models give the same verdict, and the share of their findings that both raise."""

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
    """The agreement of every two models that answered in the same stage of the same review."""
    found = (
        pair
        for history in histories
        for iteration in history.iterations
        if iteration.is_reviewed
        for pair in _in_one_review(iteration, history.policy)
    )
    return totals(found, key=lambda pair: (pair.first, pair.second))


def _in_one_review(iteration: Iteration, policy: Policy) -> Iterator[Agreement]:
    assert iteration.conclusion is not None
    policy = as_answered(policy, iteration)
    discarded = iteration.discarded.keys if iteration.discarded else ()
    for stage in dict.fromkeys(seat.stage for seat in policy.seats):
        findings = iteration.conclusion.findings
        raised = [finding for finding in findings if finding.stage == stage and finding.rule is None]
        passes: dict[str, bool] = {}
        for seat in policy.seats:
            ended = iteration.final(seat.name) if seat.stage is stage else None
            review = ended.heard if ended and ended.call.key not in discarded else None
            if review:
                mine = not any(finding.is_serious for finding in raised if seat.agent in finding.by)
                own = mine if stage else confirm_review(review, seat, policy).verdict is Verdict.PASS
                passes[seat.agent] = passes.get(seat.agent, True) and own
        for first, second in combinations(passes, 2):
            yield Agreement(
                first=first,
                second=second,
                verdicts=Rate(hits=int(passes[first] is passes[second]), tries=1),
                findings=_in_common(first, second, raised),
            )


def _in_common(first: str, second: str, raised: list[Finding]) -> Rate:
    models = [{*finding.by} & {first, second} for finding in raised if finding.group is not Group.CONTRADICTION]
    return Rate(hits=sum(len(by) == 2 for by in models), tries=sum(bool(by) for by in models))
