"""Going on at a person's word: what a feature is called when its review was skipped, and what is said about it."""

from __future__ import annotations

from dataclasses import dataclass

from reviewloop.core.judging.static_gate import gate_closed
from reviewloop.core.panel.confidence import counts
from reviewloop.core.session.events import Iterated, Resumed
from reviewloop.core.session.history import History, Iteration
from reviewloop.core.types.outcome import Answer
from reviewloop.core.types.policy import Policy
from reviewloop.core.types.review import Verdict
from reviewloop.text import count

_WORDS = {
    Answer.SKIP_REVIEW: "the review was skipped by {who}",
    Answer.FROM_VALIDATION: "validated by the rules, and not reviewed, at the word of {who}",
    Answer.FROM_TASKS: "taken as it is, without validation or review, by {who}",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """What going on without a review comes to. It is never a plain pass, unless this very text has passed before."""

    because: str
    warnings: tuple[str, ...] = ()
    is_invalid: bool = False


def waiver_of(iteration: Iteration, history: History, policy: Policy) -> Waiver | None:
    """The waiver that this window was opened with; None if it was not."""
    opened = history.window.opened
    if opened is None or not opened.action.waives:
        return None
    if passed := _passed_before(iteration, history):
        return Waiver(because=f"the same text has passed before: {passed.because}", warnings=passed.warnings)
    closed = gate_closed(iteration, history, policy)
    if closed and opened.action is not Answer.FROM_TASKS:
        return Waiver(because=f"validation failed: the rules found {count(len(closed), 'problem')}", is_invalid=True)
    because = _said(opened)
    by_rules = [f"found by the rules: {fact.issue}" for fact in closed]
    return Waiver(because=because, warnings=(f"nobody passed it: {because}", *by_rules, *_open(iteration, history)))


def _said(opened: Resumed) -> str:
    said = _WORDS[opened.action].format(who=opened.by or "a person")
    return f"{said}: {opened.note}" if opened.note else said


def _passed_before(iteration: Iteration, history: History) -> Iterated | None:
    last = _last_reviewed(iteration, history)
    if last is None or last.conclusion is None or last.checked.digest != iteration.checked.digest:
        return None
    return last.conclusion if last.conclusion.verdict is Verdict.PASS else None


def _open(iteration: Iteration, history: History) -> list[str]:
    """What the last review left open. Of a text that was edited since, nobody knows whether it still is."""
    last = _last_reviewed(iteration, history)
    if last is None or last.conclusion is None:
        return []
    edited = ", before the text was edited" if last.checked.digest != iteration.checked.digest else ""
    return [f"open at the last review{edited}: {one.issue}" for one in last.conclusion.findings if counts(one)]


def _last_reviewed(iteration: Iteration, history: History) -> Iteration | None:
    earlier = [one for one in history.iterations if one.number < iteration.number and one.conclusion]
    return earlier[-1] if earlier else None
