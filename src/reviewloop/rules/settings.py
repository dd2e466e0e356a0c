"""Which rules run, and how severe they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from reviewloop.core.types.finding import Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSettings:
    """Which rules run, and how severe they are.

    `select` adds rules to those on by default and `ignore` takes rules away; both take ids, names or prefixes
    (`REQ`), and `ALL` means every rule. With `only`, no other rule runs. `per_path` holds settings for files that
    match a pattern, on top of these. `baseline` are fingerprints of findings that are known. `task` names the task
    that a change belongs to.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    severity: Mapping[str, Severity] = field(default_factory=dict[str, Severity])
    per_path: Mapping[str, RuleSettings] = field(default_factory=dict[str, "RuleSettings"])
    baseline: frozenset[str] = frozenset()
    task: str | None = None

    def at(self, path: str) -> RuleSettings:
        """The settings for one file."""
        found = self
        for pattern, more in self.per_path.items():
            if fnmatchcase(path, pattern) or fnmatchcase(path, f"*/{pattern}"):
                found = replace(
                    found,
                    select=(*found.select, *more.select),
                    ignore=(*found.ignore, *more.ignore),
                    only=(*found.only, *more.only),
                    severity={**found.severity, **more.severity},
                )
        return found

    def runs(self, rule_id: str, name: str, *, default: bool) -> bool:
        if _named(self.ignore, rule_id, name):
            return False
        if self.only:
            return _named(self.only, rule_id, name)
        return default or _named(self.select, rule_id, name)

    def asks_for(self, rule_id: str, name: str) -> bool:
        return any(one in (rule_id, name) for one in (*self.select, *self.only))

    @property
    def chooses(self) -> bool:
        """Whether other rules run than those on by default."""
        return bool(self.select or self.ignore or self.only)

    def severity_of(self, rule_id: str, name: str) -> Severity | None:
        found = self.severity.get(rule_id, self.severity.get(name))
        return None if found is None else Severity(found)


def _named(names: tuple[str, ...], rule_id: str, name: str) -> bool:
    return any(one in ("ALL", rule_id, name) or (one.isalpha() and rule_id.startswith(one)) for one in names)
