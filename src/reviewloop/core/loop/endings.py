"""The events that conclude an iteration or end a session, and what a person can do next."""

from __future__ import annotations

import shlex
from typing import Any

from reviewloop.core.judging.judge import Judgement
from reviewloop.core.loop.steps import Finish
from reviewloop.core.session.events import Blocked, Escalated, Iterated, Passed, Payload, Warned
from reviewloop.core.session.feature_status import is_of_specs
from reviewloop.core.session.history import History
from reviewloop.core.types.decision import Action
from reviewloop.core.types.iteration_record import FeedbackItem
from reviewloop.core.types.outcome import Outcome, Reason


def iterated(judgement: Judgement, history: History) -> Iterated:
    iteration = history.current
    assert iteration is not None
    return Iterated(
        feature=history.feature,
        iteration=iteration.number,
        feedback=tuple(FeedbackItem.of(finding) for finding in judgement.findings if not finding.is_late),
        scores=judgement.scores,
        verdict=judgement.verdict,
        findings=judgement.findings,
        total=judgement.total,
        unjudged=judgement.unjudged,
        warnings=judgement.warnings,
        convergence=judgement.convergence,
        because=judgement.because,
        reason=judgement.reason,
        confidence=judgement.confidence,
        decision=judgement.decision,
        possible=judgement.possible,
    )


def ending(history: History, step: Finish) -> list[Payload]:
    """The events that end a session, or hand it to a person."""
    started = history.started
    if step.passes:
        last = history.current
        passed = Passed(
            feature=history.feature,
            prd_path=started.prd_path,
            specs_path=started.specs_path,
            outcome=step.outcome,
            because=step.because,
            digest=last.checked.digest if last else "",
        )
        number = last.number if last else 0
        warned = Warned(feature=history.feature, iteration=number, warnings=step.warnings)
        return [warned, passed] if step.warnings else [passed]
    assert step.reason is not None
    stopped: dict[str, Any] = {
        "feature": history.feature,
        "reason": step.because,
        "iterations": history.records,
        "recovery_actions": recovery_actions(history, step.reason),
        "current_specs_path": started.specs_path,
        "code": step.reason,
        "malformed": history.malformed,
    }
    if step.outcome is Outcome.BLOCKED:
        return [Blocked(**stopped)]
    proposal = str(step.decision.action) if step.decision and step.reason is Reason.PROPOSAL else None
    if step.reason is Reason.DECISION:
        proposal = str(Action.APPROVE)
    return [Escalated(**stopped, proposal=proposal, decision=step.decision)]


_FIRST_AID = {
    Reason.MALFORMED: "See what the reviewer said: reviewloop log {name} --full",
    Reason.UNANSWERED: "See which agents work: reviewloop doctor",
    Reason.TAMPERED: "See which files changed: reviewloop log {name}",
    Reason.BUDGET: "Raise the budget in the configuration",
    Reason.CONFLICT: "Compare both versions and keep what you want",
    Reason.NO_AUTHOR: "Edit the artifact, or name an author in the configuration",
    Reason.AUTHOR_FAILED: "See why the author failed: reviewloop log {name} --full",
    Reason.UNREAD: "Make the files readable, or leave them out with `exclude` in the configuration",
    Reason.VALIDATION: "Edit the artifact until the rules have nothing left: reviewloop log {name}",
}


def recovery_actions(history: History, reason: Reason) -> tuple[str, ...]:
    """What a person can do. The last one is a command that works when pasted."""
    name = shlex.quote(history.feature)
    usual = "Edit the artifact to address what is left"
    return (
        f"Review the feedback of all iterations: reviewloop log {name}",
        _FIRST_AID.get(reason, usual).format(name=name),
        *_ways_around(history, name),
        f"Accept it as it is: reviewloop resume {name} --accept",
        f"reviewloop resume {name}",
    )


def _ways_around(history: History, name: str) -> tuple[str, ...]:
    """How a feature from a PRD goes on without another review, if there is anything to go on with."""
    commission = history.started.commission
    if commission is None or not commission.feature:
        return ()
    edited = f"After editing it by hand, let only the rules check it: reviewloop resume {name} --from-validation"
    skip = f"Go on although nobody passed it: reviewloop resume {name} --skip-review"
    anew = f"Have it written again: reviewloop resume {shlex.quote(commission.feature)} --from-tasks"
    return (edited, *((skip,) if history.iterations else ()), *(() if is_of_specs(history) else (anew,)))
