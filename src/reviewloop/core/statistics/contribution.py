"""The unique findings of each reviewer of a panel, and their cost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from reviewloop.core.session.history import History, Iteration
from reviewloop.core.statistics.finding_outcomes import Label, finding_outcomes
from reviewloop.core.statistics.totals import totals
from reviewloop.core.types.interval import Rate
from reviewloop.core.types.review import Stage, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution:
    """The unique findings of one model, over the reviews that it shared with others.

    `alone` is its share of the true findings that no other model raised; `alarms` counts its unique false findings.
    `usage` is the cost of its answers in those reviews.
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
        """Dollars for each unique true finding; None without such a finding or without a price."""
        cost = self.usage.cost_usd
        return cost / self.alone.hits if cost is not None and self.alone.hits else None

    @property
    def seconds_each(self) -> float | None:
        return self.usage.seconds / self.alone.hits if self.alone.hits else None


def contributions(histories: Iterable[History]) -> tuple[Contribution, ...]:
    found = (
        contribution
        for history in histories
        for iteration in history.iterations
        if iteration.is_reviewed
        for contribution in _shares(history, iteration)
    )
    return totals(found, key=lambda contribution: contribution.name)


def _shares(history: History, iteration: Iteration) -> Iterator[Contribution]:
    """Each model's contribution to each stage that it shared with others."""
    outcomes = [outcome for outcome in finding_outcomes(history, iteration) if outcome.first_time]
    for stage, models in _panels(iteration).items():
        here = [outcome for outcome in outcomes if outcome.finding.stage == stage]
        right = [outcome.finding for outcome in here if outcome.label is Label.TRUE_POSITIVE]
        wrong = [outcome.finding for outcome in here if outcome.label is Label.FALSE_POSITIVE]
        for model in models:
            spent = [e.usage for e in iteration.ended if e.agent == model and e.call.stage is stage]
            yield Contribution(
                name=model,
                reviews=1,
                alone=Rate(hits=sum(finding.by == (model,) for finding in right), tries=len(right)),
                alarms=sum(finding.by == (model,) for finding in wrong),
                usage=sum(spent, Usage()),
            )


def _panels(iteration: Iteration) -> dict[Stage | None, set[str]]:
    """The models of each stage that asked several. Discarded answers are included, because they were paid for."""
    models: defaultdict[Stage | None, set[str]] = defaultdict(set)
    for ended in iteration.ended:
        models[ended.call.stage].add(ended.agent)
    return {stage: names for stage, names in models.items() if len(names) > 1}
