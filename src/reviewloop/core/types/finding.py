"""Findings: what is wrong, how severe it is, and where."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from reviewloop.core.types.fast_replace import changed


class Severity(StrEnum):
    """The severity of a finding. Values compare by weight; `critical` is the greatest."""

    INFO = "info"
    MINOR = "minor"
    IMPORTANT = "important"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        return _RANKS[self]

    def __lt__(self, other: str) -> bool:
        return _RANKS[self] < _RANKS[other]

    def __le__(self, other: str) -> bool:
        return _RANKS[self] <= _RANKS[other]

    def __gt__(self, other: str) -> bool:
        return _RANKS[self] > _RANKS[other]

    def __ge__(self, other: str) -> bool:
        return _RANKS[self] >= _RANKS[other]


_RANKS = {"info": 0, "minor": 1, "important": 2, "critical": 3}


class Standing(StrEnum):
    NEW = "new"
    STILL_FAILING = "still_failing"
    REGRESSION = "regression"
    LATE = "late"


class Change(StrEnum):
    """What a finding asks the author to do at its place."""

    ADD = "add"
    REMOVE = "remove"
    INCREASE = "increase"
    DECREASE = "decrease"
    REPLACE = "replace"
    CLARIFY = "clarify"
    KEEP = "keep"


class Category(StrEnum):
    """The subject of a finding. Evidence for matching, not a key."""

    MISSING = "missing"
    VAGUE = "vague"
    INCONSISTENT = "inconsistent"
    INCORRECT = "incorrect"
    UNTESTABLE = "untestable"
    TRACE = "trace"
    SCOPE = "scope"
    SECURITY = "security"
    PERFORMANCE = "performance"
    ARCHITECTURE = "architecture"
    STYLE = "style"
    OTHER = "other"


class Group(StrEnum):
    """Which models of a panel raised a finding. Model B is the strongest, the last one."""

    AGREED = "agreed"
    MODEL_B_ONLY = "model_b_only"
    MODEL_A_ONLY = "model_a_only"
    CONTRADICTION = "contradiction"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a finding points. Lines and columns count from 1."""

    file: str | None = None
    line: int | None = None
    column: int | None = None
    section: str | None = None

    def __str__(self) -> str:
        where = ":".join(str(part) for part in (self.file, self.line) if part is not None)
        if where and self.section:
            return f"{where} ({self.section})"
        return where or self.section or "the whole artifact"


NOWHERE = Place()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A problem that a reviewer, a rule or a person reports.

    `rule` is the offline rule that raised it; `by` are the reviewers, with their `stage` and `group` on a panel.
    `verified` says whether the quote is in the artifact (None without a quote), `standing` relates it to earlier
    iterations, and `suppressed` is the reason why it does not block: dismissed, withdrawn, or known to the memory.
    """

    issue: str
    severity: Severity
    place: Place = NOWHERE
    id: str = ""
    criterion: str | None = None
    suggestion: str | None = None
    quote: str | None = None
    category: Category | None = None
    action: Change | None = None
    pattern_id: str | None = None
    rule: str | None = None
    by: tuple[str, ...] = ()
    stage: str | None = None
    group: Group | None = None
    verified: bool | None = None
    standing: Standing | None = None
    suppressed: str | None = None

    @property
    def is_late(self) -> bool:
        """Whether it was first raised on text that an earlier review passed over. Critical findings are never late."""
        return self.standing is Standing.LATE and self.severity < Severity.CRITICAL

    @property
    def is_open(self) -> bool:
        return not self.is_late and not self.suppressed

    @property
    def is_serious(self) -> bool:
        """Whether it can fail the work: critical or important, and neither late nor dismissed."""
        return self.is_open and self.severity >= Severity.IMPORTANT

    def with_standing(self, standing: Standing) -> Finding:
        return changed(self, standing=standing)


def numbered(findings: tuple[Finding, ...], prefix: str = "F") -> tuple[Finding, ...]:
    """Give each finding without an id a unique one."""
    taken = {finding.id for finding in findings if finding.id}
    numbers = (f"{prefix}{n}" for n in range(1, 2 * len(findings) + len(taken) + 2))
    free = (name for name in numbers if name not in taken)
    return tuple(finding if finding.id else changed(finding, id=next(free)) for finding in findings)
