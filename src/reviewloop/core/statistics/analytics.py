"""Analytics: an entry for each stage of each review, and the summary of all entries.

The fields of an entry and of the summary are a contract with other tools. `finding_outcomes` decides who was right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from reviewloop.core.judging.independence import as_answered
from reviewloop.core.judging.min_scores import confirm_review
from reviewloop.core.session.history import History, Iteration
from reviewloop.core.statistics.finding_outcomes import (
    FindingOutcome,
    Label,
    Resolution,
    finding_outcomes,
    missed,
)
from reviewloop.core.types.finding import Group
from reviewloop.core.types.outcome import PASSING, Answer
from reviewloop.core.types.policy import Policy, Seat
from reviewloop.core.types.review import Review, Stage, Verdict

AUTO_APPROVE = "auto_approve"
AUTO_REJECT = "auto_reject"
PRESENT_TO_HUMAN = "present_to_human"

COMMON_FROM = 2
"""The number of times an issue has to appear to be common."""

COMMON_LISTED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """How many of a model's findings were right or wrong, and how many it missed."""

    true_positive: int = 0
    false_positive: int = 0
    missed: int = 0

    def __add__(self, other: Accuracy) -> Accuracy:
        return Accuracy(
            true_positive=self.true_positive + other.true_positive,
            false_positive=self.false_positive + other.false_positive,
            missed=self.missed + other.missed,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryFinding:
    """A finding of an entry. `category` is its group on the panel, or `missed` if only a person raised it."""

    id: str
    description: str
    severity: str
    category: str
    resolution: str
    false_positive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewEntry:
    """One stage of one review: the models' verdicts and findings, the decision, and the outcome.

    `id` never changes. `accuracy` counts a finding only in the iteration that raised it first.
    """

    id: str
    date: str
    feature: str
    task: int | str | None
    service: str
    strategy: str
    models: tuple[str, ...]
    stage: str
    verdicts: Mapping[str, str | None]
    agreed_count: int
    only_counts: Mapping[str, int]
    contradiction_count: int
    confidence: float | None
    auto_decision: str
    human_override: str | None
    fix_iterations: int
    final_verdict: str | None
    findings: tuple[EntryFinding, ...]
    accuracy: Mapping[str, Accuracy] = field(default_factory=dict[str, Accuracy])
    issues: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The entry in the format that other tools read."""
        return {
            "date": self.date,
            "feature": self.feature,
            "task": self.task,
            "service": self.service,
            "strategy": self.strategy,
            "models": list(self.models),
            "stage": self.stage,
            **{f"{model}_verdict": verdict for model, verdict in self.verdicts.items()},
            "agreed_count": self.agreed_count,
            **{f"{model}_only_count": number for model, number in self.only_counts.items()},
            "contradiction_count": self.contradiction_count,
            "confidence": self.confidence,
            "auto_decision": self.auto_decision,
            "human_override": self.human_override,
            "fix_iterations": self.fix_iterations,
            "final_verdict": self.final_verdict,
            "findings": [asdict(finding) for finding in self.findings],
        }


def entries(session: str, history: History, service: str) -> tuple[ReviewEntry, ...]:
    """The entries of a session so far: one for each stage of each iteration with a review."""
    return tuple(
        _entry(session, history, iteration, stage, service)
        for iteration in history.iterations
        if iteration.is_reviewed
        for stage in _stages(iteration)
    )


def summary(found: Iterable[ReviewEntry]) -> dict[str, Any]:
    """The summary of all entries, in the format that other tools read."""
    all_entries = list(found)
    decisions = Counter(entry.auto_decision for entry in all_entries)
    models: dict[str, Accuracy] = {}
    services: dict[str, Counter[str]] = {}
    for entry in all_entries:
        services.setdefault(entry.service, Counter()).update(entry.issues)
        for model, accuracy in entry.accuracy.items():
            models[model] = models.get(model, Accuracy()) + accuracy
    reviews = Counter(entry.service for entry in all_entries)
    return summary_json(
        decisions=decisions,
        fixes=sum(entry.fix_iterations for entry in all_entries),
        accuracy=models,
        services={name: (reviews[name], common(issues)) for name, issues in services.items()},
    )


def summary_json(
    *,
    decisions: Mapping[str, int],
    fixes: int,
    accuracy: Mapping[str, Accuracy],
    services: Mapping[str, tuple[int, list[str]]],
) -> dict[str, Any]:
    total = sum(decisions.values())
    return {
        "total_reviews": total,
        "auto_approved": decisions.get(AUTO_APPROVE, 0),
        "auto_rejected": decisions.get(AUTO_REJECT, 0),
        "human_decided": decisions.get(PRESENT_TO_HUMAN, 0),
        "avg_fix_iterations": round(fixes / total, 2) if total else 0.0,
        "model_accuracy": {model: asdict(own) for model, own in sorted(accuracy.items())},
        "by_service": {
            name: {"reviews": number, "common_issues": issues} for name, (number, issues) in sorted(services.items())
        },
    }


def common(issues: Counter[str]) -> list[str]:
    """The common issues, most frequent first."""
    often = [(-number, issue) for issue, number in issues.items() if number >= COMMON_FROM]
    return [issue for _, issue in sorted(often)[:COMMON_LISTED]]


def task_of(history: History) -> int | str | None:
    """The session's task: its number, or its id if that is not a number. None if it is about no task."""
    commission = history.started.commission
    task = str(history.started.source.get("task") or "").rpartition("#")[2]
    if commission:
        task = commission.plan_row or (commission.origin.number if commission.origin else commission.task)
    return int(task) if task.isdecimal() and len(task) < 10 else task or None


def feature_of(history: History) -> str:
    """The feature that the session belongs to: a PRD's, a spec's by its folder, or the session's own name."""
    commission = history.started.commission
    if commission and commission.feature:
        return commission.feature
    folder = commission.origin.folder if commission and commission.origin else ""
    if commission and commission.goal and commission.outputs:
        folder = commission.outputs[0].rpartition("/")[0]
    return folder.rpartition("/")[2] or history.feature


def _stages(iteration: Iteration) -> list[Stage | None]:
    return [stage for stage in (None, Stage.SPEC, Stage.QUALITY) if iteration.heard_in(stage)]


def _entry(session: str, history: History, iteration: Iteration, stage: Stage | None, service: str) -> ReviewEntry:
    conclusion, when = iteration.conclusion, iteration.concluded_at
    assert conclusion is not None
    assert when is not None
    policy = as_answered(history.policy, iteration)
    seats = dict.fromkeys(e.call.key.partition("/")[2] for e in iteration.ended if e.call.stage is stage)
    last_word = {ended.agent: ended.result for seat in seats if (ended := iteration.final(seat))}
    order = [seat.agent for seat in policy.seats if seat.stage is stage]
    models = tuple(sorted(last_word, key=lambda name: order.index(name) if name in order else len(order)))
    outcomes = [outcome for outcome in finding_outcomes(history, iteration) if outcome.finding.stage == stage]
    groups = Counter(outcome.finding.group for outcome in outcomes)
    verdicts = {model: _verdict(model, last_word[model], outcomes, stage, policy) for model in models}
    heard = [model for model in models if verdicts[model]]
    unseen = missed(history, iteration) if stage is _stages(iteration)[0] else ()
    human = tuple(
        EntryFinding(
            id=finding.id.lower(),
            description=finding.issue,
            severity=str(finding.severity),
            category="missed",
            resolution=str(Resolution.FIXED if history.outcome and not history.outcome.waits else Resolution.OPEN),
            false_positive=False,
        )
        for finding in unseen
    )
    return ReviewEntry(
        id=f"{session}/{iteration.number}/{stage or Stage.SPEC}",
        date=when.date().isoformat(),
        feature=feature_of(history),
        task=task_of(history),
        service=service,
        strategy="parallel" if len(models) > 1 else "single",
        models=models,
        stage=str(stage or Stage.SPEC),
        verdicts=verdicts,
        agreed_count=groups[Group.AGREED],
        only_counts={
            model: sum(o.finding.by == (model,) and o.finding.group is not Group.CONTRADICTION for o in outcomes)
            for model in models
        },
        contradiction_count=groups[Group.CONTRADICTION],
        confidence=conclusion.confidence,
        auto_decision=_decision(history, iteration),
        human_override=_override(history, iteration, outcomes),
        fix_iterations=history.fixes,
        final_verdict=_final(history),
        findings=tuple(_finding(outcome, models) for outcome in outcomes) + human,
        accuracy=_accuracy(outcomes, heard, len(unseen)),
        issues=tuple(o.finding.issue for o in outcomes if o.first_time and o.label is not Label.FALSE_POSITIVE)
        + tuple(finding.issue for finding in unseen),
    )


def _verdict(
    model: str, result: object, outcomes: list[FindingOutcome], stage: Stage | None, policy: Policy
) -> str | None:
    """A model's verdict as confirmed by the engine; None without an answer."""
    if not isinstance(result, Review) or result.verdict is Verdict.INCONCLUSIVE:
        return None
    if stage:
        mine = (outcome.finding for outcome in outcomes if model in outcome.finding.by)
        fails = result.verdict is Verdict.NEEDS_REVISION or any(finding.is_serious for finding in mine)
    else:
        seat = next((seat for seat in policy.seats if seat.agent == model), Seat(agent=model))
        fails = confirm_review(result, seat, policy).verdict is not Verdict.PASS
    return "fail" if fails else "pass"


def _finding(outcome: FindingOutcome, models: tuple[str, ...]) -> EntryFinding:
    finding = outcome.finding
    alone = Group.MODEL_B_ONLY if models and finding.by == models[-1:] else Group.MODEL_A_ONLY
    return EntryFinding(
        id=finding.id.lower(),
        description=finding.issue,
        severity=str(finding.severity),
        category=str(finding.group or alone),
        resolution=str(outcome.resolution),
        false_positive=outcome.label is Label.FALSE_POSITIVE,
    )


def _accuracy(outcomes: list[FindingOutcome], heard: list[str], unseen: int) -> dict[str, Accuracy]:
    found = {model: Accuracy(missed=unseen) for model in heard}
    for outcome in outcomes:
        if outcome.label is None or not outcome.first_time:
            continue
        right = outcome.label is Label.TRUE_POSITIVE
        for model in heard:
            if model in outcome.finding.by:
                found[model] += Accuracy(true_positive=int(right), false_positive=int(not right))
            elif right:
                found[model] += Accuracy(missed=1)
    return found


def _ends_window(history: History, iteration: Iteration) -> bool:
    return [past for past in history.iterations if past.window == iteration.window][-1] is iteration


def _decision(history: History, iteration: Iteration) -> str:
    """Who decided after this review, and how."""
    conclusion = iteration.conclusion
    assert conclusion is not None
    if _ends_window(history, iteration):
        outcome = history.outcome_before_undo if history.undone else history.outcome
        waits = outcome is not None and outcome.waits
        if iteration.window < history.window.number or waits:
            return PRESENT_TO_HUMAN
        if outcome:
            return AUTO_APPROVE
    return AUTO_APPROVE if conclusion.verdict is Verdict.PASS else AUTO_REJECT


def _override(history: History, iteration: Iteration, outcomes: list[FindingOutcome]) -> str | None:
    """A person's decision against the engine: an accepted failure, or a rejected pass."""
    later = [window for window in history.windows if window.number == iteration.window + 1]
    if not later or not later[0].opened or not _ends_window(history, iteration):
        return None
    conclusion = iteration.conclusion
    assert conclusion is not None
    passes = conclusion.verdict is Verdict.PASS
    match later[0].opened.action:
        case Answer.ACCEPT if not passes and (any(o.finding.is_serious for o in outcomes) or not conclusion.decision):
            return "approve"
        case Answer.SKIP_REVIEW if not passes:
            return "approve"
        case Answer.REJECT | Answer.RETRY if passes:
            return "reject"
        case _:
            return None


def _final(history: History) -> str | None:
    if history.outcome is None:
        return None
    return "pass" if history.outcome in PASSING else "fail"
