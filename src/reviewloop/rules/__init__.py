"""The offline rules: checks that need no model, key or network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewloop.core.types.artifact import Artifact, Kind
from reviewloop.core.types.finding import Finding
from reviewloop.rules.settings import RuleSettings

if TYPE_CHECKING:
    from reviewloop.rules.model import Report, Rule
    from reviewloop.rules.repository import Repository
    from reviewloop.rules.shell import Shell

__all__ = ["RuleSettings", "all_rules", "check", "checkable_criteria", "fingerprint", "get", "selectable"]


def check(
    artifact: Artifact,
    repository: Repository | None = None,
    settings: RuleSettings | None = None,
    shell: Shell | None = None,
) -> Report:
    """Run the rules of the artifact's kind.

    Args:
        artifact: The artifact to check, with its upstream artifacts.
        repository: Read-only access to the project. Without it, rules about files do not run.
        settings: Which rules run, and their severities.
        shell: Parses commands and never runs them; defaults to the local bash.
    """
    from reviewloop.rules.runner import check

    return check(artifact, repository, settings, shell)


def fingerprint(finding: Finding) -> str:
    """An id for a finding that survives moved lines. A baseline is a set of fingerprints."""
    from reviewloop.rules.runner import fingerprint

    return fingerprint(finding)


def checkable_criteria(kind: Kind) -> frozenset[str]:
    """The criteria that the default rules for this kind check."""
    from reviewloop.rules.registry import checkable_criteria

    return checkable_criteria(kind)


def all_rules() -> tuple[Rule, ...]:
    """Every rule, ordered by number."""
    from reviewloop.rules.registry import rules_by_id

    return tuple(rules_by_id().values())


def selectable() -> frozenset[str]:
    """All valid rule selectors: rule ids, names, prefixes and `ALL`."""
    selectors = {"ALL"}
    for rule in all_rules():
        selectors |= {rule.id, rule.id.rstrip("0123456789"), rule.name}
    return frozenset(selectors)


def get(name: str) -> Rule | None:
    """Find a rule by id or name."""
    from reviewloop.rules.registry import rules_by_id

    found = rules_by_id().get(name.upper())
    return found or next((rule for rule in rules_by_id().values() if rule.name == name), None)
