"""Waived reviews: a person lets a feature go on without a review that passes."""

from __future__ import annotations

from dataclasses import dataclass

from reviewloop.core.judging.finding_status import dismiss
from reviewloop.core.judging.static_gate import gate_closed
from reviewloop.core.session.events import Iterated
from reviewloop.core.session.history import History, Iteration
from reviewloop.core.types.outcome import Answer
from reviewloop.core.types.policy import Policy
from reviewloop.core.types.review import Verdict
from reviewloop.text import count

_WORDS = {
    Answer.SKIP_REVIEW: "{who} skipped the review",
    Answer.FROM_VALIDATION: "checked by the rules alone, as {who} decided",
    Answer.FROM_TASKS: "accepted by {who} without rules or review",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """The result of a waived review: a pass with warnings, unless the same text has passed before."""

    because: str
    warnings: tuple[str, ...] = ()
    is_invalid: bool = False


def waiver_of(iteration: Iteration, history: History, policy: Policy) -> Waiver | None:
    """The waiver that opened this window; None if the window was opened otherwise."""
    opened = history.window.opened
    if opened is None or not opened.action.waives:
        return None
    if passed := _passed_before(iteration, history):
        return Waiver(because=f"the same text passed before: {passed.because}", warnings=passed.warnings)
    closed = gate_closed(iteration, history, policy)
    if closed and opened.action is not Answer.FROM_TASKS:
        return Waiver(because=f"validation failed: {count(len(closed), 'blocking rule finding')}", is_invalid=True)
    because = _WORDS[opened.action].format(who=opened.by or "a person")
    if opened.note:
        because += f": {opened.note}"
    by_rules = [f"rule finding: {fact.issue}" for fact in closed]
    return Waiver(because=because, warnings=(f"no review passed: {because}", *by_rules, *_open(iteration, history)))


def _passed_before(iteration: Iteration, history: History) -> Iterated | None:
    last = _last_concluded(iteration, history)
    if last is None or last.conclusion is None or last.checked.digest != iteration.checked.digest:
        return None
    return last.conclusion if last.conclusion.verdict is Verdict.PASS else None


def _open(iteration: Iteration, history: History) -> list[str]:
    """The open findings of the last verdict. If the text was edited since, each warning says so."""
    last = _last_concluded(iteration, history)
    if last is None or last.conclusion is None:
        return []
    edited = ", before the text was edited" if last.checked.digest != iteration.checked.digest else ""
    findings = dismiss(last.conclusion.findings, history)
    return [f"open at the last review{edited}: {finding.issue}" for finding in findings if finding.is_serious]


def _last_concluded(iteration: Iteration, history: History) -> Iteration | None:
    earlier = [past for past in history.iterations if past.number < iteration.number and past.conclusion]
    return earlier[-1] if earlier else None
