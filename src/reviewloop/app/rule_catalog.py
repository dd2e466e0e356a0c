"""The offline rules, for people who want to know them."""

from __future__ import annotations

from reviewloop.errors import UsageError
from reviewloop.rules import all_rules, get
from reviewloop.rules.model import Rule
from reviewloop.text import did_you_mean


def list_rules(kind: str | None = None) -> list[Rule]:
    """All rules, or those for one kind of document."""
    return [rule for rule in all_rules() if kind is None or kind in rule.kinds]


def find_rule(name: str) -> Rule:
    """The rule with this id or name."""
    found = get(name)
    if found is None:
        near = did_you_mean(name, [known for rule in all_rules() for known in (rule.id, rule.name)])
        hint = f"did you mean {near}?" if near else "list them with `reviewloop rules`"
        raise UsageError(f"there is no rule `{name}`", hint=hint)
    return found
