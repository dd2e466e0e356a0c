"""The table of all rules. Importing a rule module fills it through the `rule` decorator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module

from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.finding import Severity
from reviewloop.rules.model import Check, Rule

_WITH_REQUIREMENTS = frozenset((Kind.REQUIREMENTS, Kind.SPEC, Kind.PRD))
_PROSE = frozenset(Kind) - {Kind.CHANGE}
MODULES: Mapping[str, frozenset[Kind]] = {
    "document": _PROSE,
    "document_text": _PROSE,
    "document_values": _PROSE,
    "research": frozenset((Kind.RESEARCH,)),
    "requirements": _WITH_REQUIREMENTS,
    "requirements_tracing": _WITH_REQUIREMENTS,
    "requirements_wording": _WITH_REQUIREMENTS,
    "design": frozenset((Kind.DESIGN,)),
    "tasks": frozenset((Kind.TASKS,)),
    "tasks_commands": frozenset((Kind.TASKS,)),
    "tasks_order": frozenset((Kind.TASKS,)),
    "tasks_tracing": frozenset((Kind.TASKS,)),
    "change": frozenset((Kind.CHANGE,)),
    "prd": _WITH_REQUIREMENTS | {Kind.DESIGN},
    "check_notes": _PROSE,
}
"""The kinds that each rule module covers, so that a review imports only the modules it needs."""

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
    """Register a check. Its docstring becomes the rule's page."""

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
def rules_by_id() -> Mapping[str, Rule]:
    """All rules, ordered by number."""
    return {loaded.id: loaded for loaded in _load(MODULES)}


@cache
def rules_for(kind: Kind) -> tuple[Rule, ...]:
    modules = [module for module, kinds in MODULES.items() if kind in kinds]
    return tuple(loaded for loaded in _load(modules) if kind in loaded.criteria)


@cache
def default_rules_for(kind: Kind) -> tuple[Rule, ...]:
    return tuple(known for known in rules_for(kind) if known.default)


def _load(modules: Iterable[str]) -> list[Rule]:
    names = {import_module(f"reviewloop.rules.{module}").__name__ for module in modules}
    loaded = [known for known in _rules.values() if known.check.__module__ in names]
    return sorted(loaded, key=lambda known: (int(known.id[3:]), known.id))


def check_note(rule_id: str) -> Rule:
    """A rule about the check itself, whose findings the runner creates."""
    import_module("reviewloop.rules.check_notes")
    return _rules[rule_id]


@cache
def checkable_criteria(kind: Kind) -> frozenset[str]:
    """The criteria that at least one default rule checks."""
    return frozenset(name for known in default_rules_for(kind) if (name := known.criteria[kind]))
