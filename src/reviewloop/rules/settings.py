"""The rule settings: which rules run, and how severe their findings are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from reviewloop.core.types.finding import Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSettings:
    """Which rules run, and how severe their findings are.

    `select` adds rules to the default ones and `ignore` removes rules; `only` runs just these rules. All three take
    rule ids, names, prefixes (`REQ`) or `ALL`. `per_path` adds settings for files that match a pattern. `baseline`
    holds the fingerprints of known findings.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    severity: Mapping[str, Severity] = field(default_factory=dict[str, Severity])
    per_path: Mapping[str, RuleSettings] = field(default_factory=dict[str, "RuleSettings"])
    baseline: frozenset[str] = frozenset()

    def for_path(self, path: str) -> RuleSettings:
        merged = self
        for pattern, extra in self.per_path.items():
            if fnmatchcase(path, pattern) or fnmatchcase(path, f"*/{pattern}"):
                merged = replace(
                    merged,
                    select=(*merged.select, *extra.select),
                    ignore=(*merged.ignore, *extra.ignore),
                    only=(*merged.only, *extra.only),
                    severity={**merged.severity, **extra.severity},
                )
        return merged

    def runs(self, rule_id: str, name: str, *, default: bool) -> bool:
        if _matches(self.ignore, rule_id, name):
            return False
        if self.only:
            return _matches(self.only, rule_id, name)
        return default or _matches(self.select, rule_id, name)

    def selects_by_name(self, rule_id: str, name: str) -> bool:
        return any(selector in (rule_id, name) for selector in (*self.select, *self.only))

    @property
    def changes_defaults(self) -> bool:
        """Whether the settings add or remove any rule."""
        return bool(self.select or self.ignore or self.only)

    def severity_of(self, rule_id: str, name: str) -> Severity | None:
        severity = self.severity.get(rule_id, self.severity.get(name))
        return None if severity is None else Severity(severity)


def _matches(selectors: tuple[str, ...], rule_id: str, name: str) -> bool:
    return any(
        selector in ("ALL", rule_id, name) or (selector.isalpha() and rule_id.startswith(selector))
        for selector in selectors
    )
