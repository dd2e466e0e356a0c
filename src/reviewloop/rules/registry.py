"""The table of all rules, filled by the decorator when the modules are imported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module

from reviewloop.review.artifact import Kind
from reviewloop.review.finding import Severity
from reviewloop.rules.model import Check, Rule

MODULES = (
    "any", "any_text", "any_values", "research", "requirements", "requirements_wording", "design", "tasks",
    "tasks_commands", "tasks_order", "change", "prd", "notes",
)  # fmt: skip
_rules: dict[str, Rule] = {}


def rule(
    rule_id: str,
    name: str,
    *,
    criteria: Mapping[Kind, str | None],
    severity: Severity,
    precision: float,
    default: bool = True,
    scope: str = "document",
) -> Callable[[Check], Check]:
    """Register a check. Its docstring is its page."""

    def register(check: Check) -> Check:
        _rules[rule_id] = Rule(
            id=rule_id,
            name=name,
            criteria=criteria,
            severity=severity,
            default=default,
            precision=precision,
            scope=scope,
            check=check,
        )
        return check

    return register


@cache
def table() -> Mapping[str, Rule]:
    """All rules by id, in the order of their numbers."""
    for module in MODULES:
        import_module(f"reviewloop.rules.{module}")
    return {rule_id: _rules[rule_id] for rule_id in sorted(_rules, key=lambda one: (int(one[3:]), one))}


@cache
def rules_for(kind: Kind) -> tuple[Rule, ...]:
    return tuple(one for one in table().values() if kind in one.criteria)


@cache
def judgeable(kind: Kind) -> frozenset[str]:
    """The criteria that at least one rule that is on by default judges."""
    return frozenset(name for one in rules_for(kind) if one.default and (name := one.criteria[kind]))
