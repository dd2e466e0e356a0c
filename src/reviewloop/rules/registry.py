"""The table of all rules, filled by the decorator when the modules are imported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.finding import Severity
from reviewloop.rules.model import Check, Rule

_WANTED = frozenset((Kind.REQUIREMENTS, Kind.SPEC, Kind.PRD))
_PROSE = frozenset(Kind) - {Kind.CHANGE}
MODULES: Mapping[str, frozenset[Kind]] = {
    "document": _PROSE,
    "document_text": _PROSE,
    "document_values": _PROSE,
    "research": frozenset((Kind.RESEARCH,)),
    "requirements": _WANTED,
    "requirements_tracing": _WANTED,
    "requirements_wording": _WANTED,
    "design": frozenset((Kind.DESIGN,)),
    "tasks": frozenset((Kind.TASKS,)),
    "tasks_commands": frozenset((Kind.TASKS,)),
    "tasks_order": frozenset((Kind.TASKS,)),
    "tasks_tracing": frozenset((Kind.TASKS,)),
    "change": frozenset((Kind.CHANGE,)),
    "prd": _WANTED | {Kind.DESIGN},
    "check_notes": _PROSE,
}
"""Which module has rules for which kinds, so that a review imports only what it needs."""

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
    return {one.id: one for one in _loaded(tuple(MODULES))}


@cache
def rules_for(kind: Kind) -> tuple[Rule, ...]:
    needed = tuple(module for module, kinds in MODULES.items() if kind in kinds)
    return tuple(one for one in _loaded(needed) if kind in one.criteria)


@cache
def defaults_for(kind: Kind) -> tuple[Rule, ...]:
    return tuple(one for one in rules_for(kind) if one.default)


def _loaded(modules: Iterable[str]) -> Iterator[Rule]:
    names = {import_module(f"reviewloop.rules.{module}").__name__ for module in modules}
    ours = [one for one in _rules.values() if one.check.__module__ in names]
    return iter(sorted(ours, key=lambda one: (int(one.id[3:]), one.id)))


def note(rule_id: str) -> Rule:
    """A rule about the check itself, which the runner raises."""
    import_module("reviewloop.rules.check_notes")
    return _rules[rule_id]


@cache
def judgeable(kind: Kind) -> frozenset[str]:
    """The criteria that at least one rule that is on by default judges."""
    return frozenset(name for one in defaults_for(kind) if (name := one.criteria[kind]))
