"""The offline checks: what a program can check, a program checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewloop.core.types.artifact import Artifact, Kind
from reviewloop.core.types.finding import Finding
from reviewloop.rules.settings import RuleSettings

if TYPE_CHECKING:
    from reviewloop.rules.model import Report, Rule
    from reviewloop.rules.repository import Repository
    from reviewloop.rules.shell import Shell

__all__ = ["RuleSettings", "all_rules", "check", "fingerprint", "get", "judgeable", "selectable"]


def check(
    artifact: Artifact,
    repository: Repository | None = None,
    settings: RuleSettings | None = None,
    shell: Shell | None = None,
) -> Report:
    """Run the rules of the artifact's kind.

    Args:
        artifact: What to check, with the artifacts it builds on.
        repository: A read-only look at the project; without one, rules about files stay silent.
        settings: Which rules run, and how severe they are.
        shell: What parses commands; the machine's bash by default. Nothing is ever run.
    """
    from reviewloop.rules.runner import check

    return check(artifact, repository, settings, shell)


def fingerprint(finding: Finding) -> str:
    """A name for a finding that stays when lines move; a baseline is a set of them."""
    from reviewloop.rules.runner import fingerprint

    return fingerprint(finding)


def judgeable(kind: Kind) -> frozenset[str]:
    """The criteria of the kind's rubric that the rules on by default can judge."""
    from reviewloop.rules.registry import judgeable

    return judgeable(kind)


def all_rules() -> tuple[Rule, ...]:
    """Every rule, in the order of their numbers."""
    from reviewloop.rules.registry import table

    return tuple(table().values())


def selectable() -> frozenset[str]:
    """Everything that selects rules: their ids, names and prefixes, and `ALL`."""
    ids = [rule.id for rule in all_rules()]
    return frozenset(("ALL", *ids, *(one.rstrip("0123456789") for one in ids), *(rule.name for rule in all_rules())))


def get(name: str) -> Rule | None:
    """The rule with this id or name."""
    from reviewloop.rules.registry import table

    found = table().get(name.upper())
    return found or next((rule for rule in table().values() if rule.name == name), None)
