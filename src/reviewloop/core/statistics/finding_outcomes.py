"""What became of each finding of a session, and so whether whoever raised it was right."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from reviewloop.core.judging.pattern_recognition import CERTAIN
from reviewloop.core.judging.ratchet import known
from reviewloop.core.panel.confidence import counts
from reviewloop.core.session.history import History, Iteration
from reviewloop.core.types.finding import Finding, Standing
from reviewloop.core.types.outcome import PASSING, Answer
from reviewloop.core.types.review import Review


class Resolution(StrEnum):
    """What became of a finding."""

    OPEN = "open"
    FIXED = "fixed"
    DISMISSED = "dismissed"
    ACCEPTED = "accepted"
    SUPPRESSED = "suppressed"
    NOTED = "noted"
    WITHDRAWN = "withdrawn"


class Label(StrEnum):
    """Whether raising a finding was right, as far as what happened tells."""

    TRUE_POSITIVE = "true_positive"
    FALSE_POSITIVE = "false_positive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """A finding of one iteration, what became of it, and what that says. Without a label, nobody knows."""

    finding: Finding
    resolution: Resolution
    label: Label | None = None

    @property
    def first_time(self) -> bool:
        """Whether this iteration raised it, rather than repeating it."""
        return self.finding.standing is not Standing.STILL_FAILING


def is_reviewed(iteration: Iteration) -> bool:
    """Whether reviewers were heard. What the rules' gate closed says nothing of what reviewers would find."""
    return iteration.conclusion is not None and any(isinstance(ended.result, Review) for ended in iteration.ended)


def fates(history: History, iteration: Iteration) -> tuple[Fate, ...]:
    """What became of what the reviewers raised in an iteration.

    Fixed, in work that passed: a true positive. Dismissed, or shipped as it was because a person accepted it: a false
    positive. Everything else says nothing about who was right.
    """
    assert iteration.conclusion is not None
    asked = {ended.call.agent for ended in iteration.ended}
    raised = [finding for finding in iteration.conclusion.findings if finding.rule is None and asked & {*finding.by}]
    dismissed = known(raised, [one.finding for one in history.dismissed], same_from=CERTAIN)
    withdrawn = known(raised, [one.finding for one in history.withdrawn], same_from=CERTAIN)
    last = [one for one in history.iterations if is_reviewed(one)][-1]
    assert last.conclusion is not None
    still = set(range(len(raised))) if last is iteration else set(known(raised, last.conclusion.findings))
    changed = last.checked.digest != iteration.checked.digest
    resolutions = (
        Resolution.DISMISSED
        if number in dismissed
        else Resolution.WITHDRAWN
        if number in withdrawn
        else Resolution.SUPPRESSED
        if finding.suppressed
        else _left(finding, history)
        if number in still
        else Resolution.FIXED
        if changed
        else Resolution.WITHDRAWN
        for number, finding in enumerate(raised)
    )
    return tuple(
        Fate(finding=finding, resolution=resolution, label=_label(resolution, history))
        for finding, resolution in zip(raised, resolutions, strict=True)
    )


def missed(history: History, iteration: Iteration) -> tuple[Finding, ...]:
    """What people raised because no reviewer had. It counts against the first iteration, which could have."""
    first = next((one for one in history.iterations if is_reviewed(one)), None)
    return tuple(one.finding for one in history.added) if iteration is first else ()


def _left(finding: Finding, history: History) -> Resolution:
    """What is to be said of a finding that the last review still has."""
    if history.outcome not in PASSING:
        return Resolution.OPEN
    opened = history.window.opened
    accepted = opened is not None and opened.action is Answer.ACCEPT
    return Resolution.ACCEPTED if accepted and counts(finding) else Resolution.NOTED


def _label(resolution: Resolution, history: History) -> Label | None:
    match resolution:
        case Resolution.FIXED if history.outcome in PASSING:
            return Label.TRUE_POSITIVE
        case Resolution.DISMISSED | Resolution.ACCEPTED:
            return Label.FALSE_POSITIVE
        case _:
            return None
