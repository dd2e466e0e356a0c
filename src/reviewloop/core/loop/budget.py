"""Checks a session against its budget of time, tokens and money."""

from __future__ import annotations

from reviewloop.core.session.history import History
from reviewloop.core.types.policy import Budget
from reviewloop.core.types.review import Usage

_UNLIMITED = Budget()


def over_budget(history: History, budget: Budget) -> str | None:
    """The budget that is spent, in words; None if none is. Without a budget, usage is not added up."""
    return None if budget == _UNLIMITED else over(budget, history.spent())


def over(budget: Budget, spent: Usage) -> str | None:
    cost = spent.cost_usd or 0.0
    if budget.seconds is not None and spent.seconds >= budget.seconds:
        return f"budget spent: {spent.seconds:.3g} of {budget.seconds:g} seconds"
    if budget.tokens is not None and spent.tokens >= budget.tokens:
        return f"budget spent: {spent.tokens} of {budget.tokens} tokens"
    if budget.usd is not None and cost >= budget.usd:
        return f"budget spent: ${cost:.2f} of ${budget.usd:.2f}"
    return None
