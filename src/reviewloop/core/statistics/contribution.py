"""What each reviewer of a panel finds that the others do not, and what that costs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from reviewloop.core.session.history import History, Iteration
from reviewloop.core.statistics.finding_outcomes import Label, fates, is_reviewed
from reviewloop.core.statistics.totals import totals
from reviewloop.core.types.interval import Rate
from reviewloop.core.types.review import Stage, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution:
    """What would be missing without one model, over the reviews it shared with others.

    `alone` is how much of what was right only it had; `alarms` are the false ones only it raised. `usage` is what its
    answers in those reviews cost.
    """

    name: str
    reviews: int
    alone: Rate
    alarms: int
    usage: Usage

    def __add__(self, other: Contribution) -> Contribution:
        return Contribution(
            name=self.name,
            reviews=self.reviews + other.reviews,
            alone=self.alone + other.alone,
            alarms=self.alarms + other.alarms,
            usage=self.usage + other.usage,
        )

    @property
    def cost_each(self) -> float | None:
        """Dollars for each finding that nobody else would have had; None if there is none, or no price."""
        cost = self.usage.cost_usd
        return cost / self.alone.hits if cost is not None and self.alone.hits else None

    @property
    def seconds_each(self) -> float | None:
        return self.usage.seconds / self.alone.hits if self.alone.hits else None


def contributions(histories: Iterable[History]) -> tuple[Contribution, ...]:
    found = (
        one
        for history in histories
        for iteration in filter(is_reviewed, history.iterations)
        for one in _shares(history, iteration)
    )
    return totals(found, key=lambda one: one.name)


def _shares(history: History, iteration: Iteration) -> Iterator[Contribution]:
    """What each model did in each stage of an iteration that it shared with others."""
    told = [one for one in fates(history, iteration) if one.first_time]
    for stage, models in _panels(iteration).items():
        mine = [one for one in told if one.finding.stage == stage]
        right = [one.finding for one in mine if one.label is Label.TRUE_POSITIVE]
        wrong = [one.finding for one in mine if one.label is Label.FALSE_POSITIVE]
        for model in models:
            spent = [e.usage for e in iteration.ended if e.call.agent == model and e.call.stage is stage]
            yield Contribution(
                name=model,
                reviews=1,
                alone=Rate(hits=sum(one.by == (model,) for one in right), tries=len(right)),
                alarms=sum(one.by == (model,) for one in wrong),
                usage=sum(spent, Usage()),
            )


def _panels(iteration: Iteration) -> dict[Stage | None, set[str]]:
    """The stages in which several models were asked, and which: what is discarded was paid for all the same."""
    models: defaultdict[Stage | None, set[str]] = defaultdict(set)
    for ended in iteration.ended:
        models[ended.call.stage].add(ended.call.agent)
    return {stage: some for stage, some in models.items() if len(some) > 1}
