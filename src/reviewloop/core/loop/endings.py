"""The events that conclude an iteration or end a session, and the recovery actions for a person."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from reviewloop.core.judging.finding_ids import with_session_ids
from reviewloop.core.judging.judge import Judgement
from reviewloop.core.loop.steps import Finish
from reviewloop.core.session.events import Blocked, Escalated, Iterated, Passed, Payload, Warned
from reviewloop.core.session.feature_status import is_of_specs
from reviewloop.core.session.history import History
from reviewloop.core.types.decision import Action
from reviewloop.core.types.iteration_record import FeedbackItem
from reviewloop.core.types.outcome import Outcome, Reason
from reviewloop.core.types.policy import STATIC


def iterated(judgement: Judgement, history: History) -> Iterated:
    iteration = history.current
    assert iteration is not None
    findings = with_session_ids(judgement.findings, history)
    ids = {before.id: after.id for before, after in zip(judgement.findings, findings, strict=True)}
    return Iterated(
        feature=history.feature,
        iteration=iteration.number,
        feedback=tuple(FeedbackItem.of(finding) for finding in findings if finding.is_open),
        scores=judgement.scores,
        verdict=judgement.verdict,
        findings=findings,
        total=judgement.total,
        unjudged=judgement.unjudged,
        warnings=judgement.warnings,
        convergence=judgement.convergence,
        because=judgement.because,
        reason=judgement.reason,
        confidence=judgement.confidence,
        decision=judgement.decision,
        possible=tuple(replace(pair, first=ids[pair.first], second=ids[pair.second]) for pair in judgement.possible),
        by_person=judgement.by_person,
    )


def ending(history: History, step: Finish) -> list[Payload]:
    """The events that end a session or hand it to a person."""
    started = history.started
    if step.passes:
        last = history.current
        passed = Passed(
            feature=history.feature,
            prd_path=started.prd_path,
            specs_path=started.specs_path,
            outcome=step.outcome,
            because=step.because,
            digest=history.iterations[-1].checked.digest if history.iterations else "",
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
    Reason.MALFORMED: "Read the reviewer's answer: reviewloop log {name} --full",
    Reason.UNANSWERED: "Check which agents work: reviewloop doctor",
    Reason.TAMPERED: "See which files changed: reviewloop log {name}",
    Reason.BUDGET: "Raise the budget in the configuration",
    Reason.CONFLICT: "Compare both versions and keep the one you want",
    Reason.NO_AUTHOR: "Fix the findings yourself, or set `author` in the configuration",
    Reason.AUTHOR_FAILED: "See why the author failed: reviewloop log {name} --full",
    Reason.NO_CHANGE: "Read the author's answer: reviewloop log {name} --full",
    Reason.UNREAD: "Make the files readable, or leave them out with `exclude` in the configuration",
    Reason.VALIDATION: "Fix the rule findings: reviewloop log {name}",
    Reason.PROPOSAL: "See what the panel reports: reviewloop status {name}",
    Reason.DISAGREEMENT: "See what the panel reports: reviewloop status {name}",
    Reason.DECISION: "Read the work before you decide",
}


def recovery_actions(history: History, reason: Reason) -> tuple[str, ...]:
    """What a person can do next. The last item is a bare command that can be pasted; see `actions_to_show`."""
    name = shlex.quote(history.feature)
    return (
        f"Read the findings of every review: reviewloop log {name}",
        _FIRST_AID.get(reason, "Fix the open findings yourself").format(name=name),
        *_ways_around(history, name),
        f"Accept it as it is: reviewloop resume {name} --accept{' --anyway' if reason in _CHANGED else ''}",
        f"reviewloop resume {name}",
    )


_CHANGED = (Reason.CONFLICT, Reason.TAMPERED)
"""The reasons after which the text may not be the one that was reviewed: to accept it, a person has to say so."""


def restart(history: History) -> str:
    """The command that begins the work of a session that is over anew."""
    started, commission = history.started, history.started.commission
    if commission is None:
        return shlex.join(["reviewloop", "run", *_target(history)])
    if commission.feature and not is_of_specs(history):
        return shlex.join(["reviewloop", "resume", commission.feature, "--from-tasks"])
    if commission.feature:
        return shlex.join(["reviewloop", "run", "--prd", started.prd_path, "--name", commission.feature, "--fresh"])
    if origin := commission.origin:
        number = origin.number
        return shlex.join(["reviewloop", "work", "--spec", origin.folder, number, "--fresh", number])
    if commission.goal:
        plan = commission.outputs[0].rpartition("/")[0].rpartition("/")[2]
        return shlex.join(["reviewloop", "plan", "--name", plan, "--fresh"])
    return shlex.join(["reviewloop", "work", commission.task, "--fresh", commission.task])


def _target(history: History) -> list[str]:
    """The arguments that point `run` at a session's artifact again."""
    source: Mapping[str, Any] = history.started.source
    change: Mapping[str, Any] = source.get("range") or {}
    asked = str(change.get("asked", ""))
    target = [asked] if asked.startswith("--") else ["--diff", asked] if asked else list(history.started.paths)
    upstream: Sequence[Mapping[str, Any]] = source.get("upstream") or ()
    for above in upstream:
        if above.get("given"):
            target += ["--prd" if above.get("kind") == "prd" else "--upstream", str(above["path"])]
    if task := source.get("task"):
        target += ["--task", str(task)]
    if kind := source.get("as_kind"):
        target += ["--kind", str(kind)]
    return [*target, "--name", history.feature]


def actions_to_show(history: History) -> tuple[str, ...]:
    """The recovery actions for people: the bare command at the end gets its label."""
    if history.stopped is None:
        return ()
    *others, command = history.stopped.recovery_actions
    asks = any(agent != STATIC for agent in history.policy.agents)
    return (*others, f"Try again{' (asks the agents)' if asks else ''}: {command}")


def _ways_around(history: History, name: str) -> tuple[str, ...]:
    """The ways for a feature from a PRD to go on without another review."""
    commission = history.started.commission
    if commission is None or not commission.feature:
        return ()
    edited = f"Go on with your own edits, checked by the rules alone: reviewloop resume {name} --from-validation"
    skip = f"Go on without a review that passes: reviewloop resume {name} --skip-review"
    again = f"Have the author write it again: reviewloop resume {shlex.quote(commission.feature)} --from-tasks"
    return (edited, *((skip,) if history.iterations else ()), *(() if is_of_specs(history) else (again,)))
