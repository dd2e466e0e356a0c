"""The severity from which findings make a run fail."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from reviewloop.core.types.finding import Finding, Severity


class FailOn(StrEnum):
    """The lowest severity that makes a run fail."""

    CRITICAL = "critical"
    IMPORTANT = "important"
    MINOR = "minor"
    NEVER = "never"


def fail_on(findings: Iterable[Finding], threshold: FailOn | str) -> bool:
    """Whether any finding reaches the threshold. Suppressed and late findings never fail a run."""
    threshold = FailOn(threshold)
    if threshold is FailOn.NEVER:
        return False
    least = Severity(threshold.value)
    return any(finding.severity >= least for finding in findings if not finding.suppressed and not finding.is_late)
