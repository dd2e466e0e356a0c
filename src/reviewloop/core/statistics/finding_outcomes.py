"""The outcome of each finding of a session, and whether its reviewer was right."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from reviewloop.core.judging.pattern_recognition import CERTAIN
from reviewloop.core.judging.ratchet import find_repeats
from reviewloop.core.session.history import History, Iteration
from reviewloop.core.types.finding import Finding, Standing
from reviewloop.core.types.outcome import PASSING, Answer


class Resolution(StrEnum):
    """How a finding ended."""

    OPEN = "open"
    FIXED = "fixed"
    DISMISSED = "dismissed"
    ACCEPTED = "accepted"
    SUPPRESSED = "suppressed"
    NOTED = "noted"
    WITHDRAWN = "withdrawn"


class Label(StrEnum):
    """Whether a finding was right, as far as its outcome shows."""

    TRUE_POSITIVE = "true_positive"
    FALSE_POSITIVE = "false_positive"


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingOutcome:
    """A finding of one iteration and how it ended. Without a label, it is unknown whether the finding was right."""

    finding: Finding
    resolution: Resolution
    label: Label | None = None

    @property
    def first_time(self) -> bool:
        """Whether this iteration raised the finding first."""
        return self.finding.standing is not Standing.STILL_FAILING


def finding_outcomes(history: History, iteration: Iteration) -> tuple[FindingOutcome, ...]:
    """The outcomes of the reviewers' findings in an iteration.

    A finding that was fixed in work that passed is a true positive. A finding that a person dismissed, or accepted
    unfixed, is a false positive. Other outcomes get no label.
    """
    assert iteration.conclusion is not None
    asked = {name for ended in iteration.ended for name in (ended.agent, ended.call.agent)}
    raised = [finding for finding in iteration.conclusion.findings if finding.rule is None and asked & {*finding.by}]
    dismissed = find_repeats(raised, [event.finding for event in history.dismissed], same_from=CERTAIN)
    withdrawn = find_repeats(raised, [ruled.finding for ruled in history.withdrawn], same_from=CERTAIN)
    last = [past for past in history.iterations if past.is_reviewed][-1]
    assert last.conclusion is not None
    still = set(range(len(raised))) if last is iteration else set(find_repeats(raised, last.conclusion.findings))
    changed = last.checked.digest != iteration.checked.digest
    resolutions = (
        Resolution.DISMISSED
        if number in dismissed
        else Resolution.WITHDRAWN
        if number in withdrawn
        else Resolution.SUPPRESSED
        if finding.suppressed
        else _unfixed(finding, history)
        if number in still
        else Resolution.FIXED
        if changed
        else Resolution.WITHDRAWN
        for number, finding in enumerate(raised)
    )
    return tuple(
        FindingOutcome(finding=finding, resolution=resolution, label=_label(resolution, history))
        for finding, resolution in zip(raised, resolutions, strict=True)
    )


def missed(history: History, iteration: Iteration) -> tuple[Finding, ...]:
    """The findings that people added. They count as missed by the first review."""
    first = next((past for past in history.iterations if past.is_reviewed), None)
    return tuple(added.finding for added in history.added) if iteration is first else ()


def _unfixed(finding: Finding, history: History) -> Resolution:
    """The resolution of a finding that the last review still has."""
    if history.outcome not in PASSING:
        return Resolution.OPEN
    opened = history.window.opened
    accepted = opened is not None and opened.action is Answer.ACCEPT
    return Resolution.ACCEPTED if accepted and finding.is_serious else Resolution.NOTED


def _label(resolution: Resolution, history: History) -> Label | None:
    match resolution:
        case Resolution.FIXED if history.outcome in PASSING:
            return Label.TRUE_POSITIVE
        case Resolution.DISMISSED | Resolution.ACCEPTED:
            return Label.FALSE_POSITIVE
        case _:
            return None
