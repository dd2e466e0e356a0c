"""The status of a PRD feature, in the words of the PRD's front matter."""

from __future__ import annotations

from enum import StrEnum

from reviewloop.core.session.history import History
from reviewloop.core.types.outcome import Outcome
from reviewloop.core.types.review import Verdict


class FeatureStatus(StrEnum):
    """The states of a feature. Reviewloop sets `failed` and those up to `specs_committed`; other tools set the rest."""

    PENDING = "pending"
    GENERATING_SPECS = "generating_specs"
    REVIEWING_SPECS = "reviewing_specs"
    UPDATING_SPECS = "updating_specs"
    REVIEW_BLOCKED = "review_blocked"
    VALIDATING_SPECS = "validating_specs"
    GENERATING_TASKS = "generating_tasks"
    SPECS_COMMITTED = "specs_committed"
    IN_PROGRESS = "in_progress"
    UNITS_COMPLETE = "units_complete"
    PR_OPEN = "pr_open"
    COMPLETE = "complete"
    FAILED = "failed"

    @property
    def is_ours(self) -> bool:
        """Whether Reviewloop still has work to do on the feature."""
        return self not in _BEYOND


_BEYOND = (
    FeatureStatus.SPECS_COMMITTED,
    FeatureStatus.IN_PROGRESS,
    FeatureStatus.UNITS_COMPLETE,
    FeatureStatus.PR_OPEN,
    FeatureStatus.COMPLETE,
    FeatureStatus.FAILED,
)

_SYNONYMS = {
    "not_started": FeatureStatus.PENDING,
    "draft": FeatureStatus.PENDING,
    "approved": FeatureStatus.PENDING,
    "completed": FeatureStatus.COMPLETE,
    "archived": FeatureStatus.COMPLETE,
}
"""Other words that tools and people use for these states."""


def read_status(word: str) -> FeatureStatus | None:
    """The state that a word of the front matter means; None if it is unknown."""
    plain = word.strip().lower().replace("-", "_").replace(" ", "_")
    if plain in _SYNONYMS:
        return _SYNONYMS[plain]
    return FeatureStatus(plain) if plain in list(FeatureStatus) else None


def is_of_specs(history: History) -> bool:
    """Whether a feature's session is about its specs, not its tasks."""
    commission = history.started.commission
    return commission is not None and commission.feature == commission.task


def status_of(history: History) -> FeatureStatus:
    """The feature's status, from the latest session of its specs or tasks."""
    specs = is_of_specs(history)
    match history.outcome:
        case Outcome.PASSED | Outcome.PASSED_WITH_WARNINGS:
            return FeatureStatus.VALIDATING_SPECS if specs else FeatureStatus.SPECS_COMMITTED
        case Outcome.BLOCKED | Outcome.ESCALATED:
            return FeatureStatus.REVIEW_BLOCKED
        case Outcome.REJECTED:
            return FeatureStatus.FAILED
        case Outcome.UNDONE:
            return FeatureStatus.PENDING if specs else FeatureStatus.VALIDATING_SPECS
        case None:
            return _at_work(history) if specs else FeatureStatus.GENERATING_TASKS


def _at_work(history: History) -> FeatureStatus:
    opened = history.window.opened
    if not history.is_written:
        return FeatureStatus.GENERATING_SPECS
    if opened and opened.action.waives:
        return FeatureStatus.VALIDATING_SPECS
    conclusion = history.current.conclusion if history.current else None
    if (
        conclusion
        and conclusion.verdict is Verdict.NEEDS_REVISION
        and not (history.current and history.current.revised)
    ):
        return FeatureStatus.UPDATING_SPECS
    return FeatureStatus.REVIEWING_SPECS
