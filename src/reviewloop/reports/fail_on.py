"""Says whether findings are bad enough for a run to fail."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from reviewloop.core.types.finding import Finding, Severity


class FailOn(StrEnum):
    """The least severity that fails a run."""

    CRITICAL = "critical"
    IMPORTANT = "important"
    MINOR = "minor"
    NEVER = "never"


def fail_on(findings: Iterable[Finding], threshold: FailOn | str) -> bool:
    """Whether one of the findings is at least that bad. Suppressed and late ones never fail a run."""
    threshold = FailOn(threshold)
    if threshold is FailOn.NEVER:
        return False
    least = Severity(threshold.value)
    return any(finding.severity >= least for finding in findings if not finding.suppressed and not finding.is_late)
