"""The result of a panel, for every report: strategy, confidence, decision, findings by category."""

from __future__ import annotations

from dataclasses import dataclass, field

from reviewloop.core.judging.independence import as_answered
from reviewloop.core.panel.calibration import doubt
from reviewloop.core.panel.speculation import speculation
from reviewloop.core.panel.stages import is_staged, seats_of
from reviewloop.core.session.events import Iterated
from reviewloop.core.session.history import History, Iteration
from reviewloop.core.types.decision import Action, Calibrated, Decision
from reviewloop.core.types.finding import Finding, Group
from reviewloop.core.types.outcome import PASSING, Reason
from reviewloop.core.types.policy import Policy
from reviewloop.core.types.review import Stage, Usage, Verdict
from reviewloop.text import count

NOTHING = "—"
NO_DECISION = "Not taken"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The findings of one category. `severity` lists their severities, the worst first."""

    category: str
    count: int
    severity: str
    action: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StageTable:
    """One stage's findings by category; `note` says why the table is empty."""

    stage: Stage
    rows: tuple[Row, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SamePair:
    first: str
    second: str
    p: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Wasted:
    """Discarded answers: their number, their cost, and the seconds that the iteration waited for them."""

    answers: int
    usage: Usage = field(default_factory=Usage)
    waited: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelReport:
    """The last concluded iteration of a panel.

    `confidence` is the scenario's figure, `level` the same in words, and `because` the scenario in words. `decided` is
    what happened with the decision, and `override` the setting that changes that. `saved` is in seconds: the gain of
    asking both stages at once.
    """

    feature: str
    iteration: int
    fixes: int
    strategy: str
    confidence: float | None
    level: str | None
    scenario: str | None
    because: str
    calibrated: Calibrated | None
    decided: str
    approved: bool
    override: str | None
    stages: tuple[StageTable, ...]
    possibly_same: tuple[SamePair, ...] = ()
    discarded: Wasted | None = None
    saved: float = 0.0


def panel_report(history: History) -> PanelReport | None:
    """The report of the last concluded iteration; None if there is none, or the session has no panel."""
    concluded = [iteration for iteration in history.iterations if iteration.conclusion]
    policy = history.policy
    if not concluded or not is_staged(policy):
        return None
    iteration = concluded[-1]
    conclusion = iteration.conclusion
    assert conclusion is not None
    decision = conclusion.decision
    stages = tuple(_table(stage, iteration, conclusion, policy) for stage in Stage)
    issues = {finding.id: finding.issue for finding in conclusion.findings}
    speculated = iteration.number == 1 and policy.speculative_quality
    answer = next((w.opened for w in history.windows if w.opened and w.number == iteration.window + 1), None)
    return PanelReport(
        feature=history.feature,
        iteration=iteration.number,
        fixes=history.fixes,
        strategy=_strategy(iteration, policy),
        confidence=decision.confidence if decision else None,
        level=level(decision.confidence) if decision else None,
        scenario=decision.scenario if decision else None,
        because=conclusion.because,
        calibrated=decision.calibrated if decision else None,
        decided=f"{answer.by or 'A person'} chose {answer.action}" if answer else _decided(decision, history),
        approved=history.outcome in PASSING,
        override=None if answer else _override(decision, policy),
        stages=stages,
        possibly_same=tuple(
            SamePair(first=issues[pair.first], second=issues[pair.second], p=pair.p) for pair in conclusion.possible
        ),
        discarded=_wasted(iteration),
        saved=0.0 if iteration.discarded or not speculated else round(speculation(iteration).saved, 3),
    )


def level(confidence: float | None) -> str | None:
    if confidence is None:
        return None
    steps = ((0.95, "Very High"), (0.8, "High"), (0.5, "Medium"))
    return next((word for least, word in steps if confidence >= least), "Low")


def _strategy(iteration: Iteration, policy: Policy) -> str:
    """How the reviewers were asked, and how many of them were."""
    if not iteration.seats_asked:
        return "No reviewer was asked"
    asked = count(iteration.seats_asked, "reviewer")
    if iteration.number == 1 and policy.speculative_quality:
        return f"Speculative {policy.strategy} ({asked})"
    return f"{str(policy.strategy).capitalize()}, spec stage first ({asked})"


def _decided(decision: Decision | None, history: History) -> str:
    """What happened with the decision, or that a person still has to decide."""
    if history.undone:
        return f"Undone: {history.because}"
    by_itself = history.stopped and history.stopped.code not in (Reason.PROPOSAL, Reason.DISAGREEMENT)
    if decision is None or by_itself:
        return f"{NO_DECISION}; {history.explanation}" if history.because else "Pending"
    if history.policy.exit_conditions and history.verdict is Verdict.PASS:
        return "Approved, because the exit conditions hold"
    if history.policy.exit_conditions and decision.action is Action.APPROVE:
        return "Not approved, because an exit condition does not hold"
    automatic = history.policy.auto_approve if decision.action is Action.APPROVE else history.policy.auto_reject
    unsure = doubt(decision, history.policy.auto_confidence)
    match decision.action:
        case Action.APPROVE if automatic and not unsure:
            return "Approved"
        case Action.REVISE if automatic and not unsure:
            return "Sent to the author"
        case Action.ASK:
            return f"{NO_DECISION}; a person decides"
        case proposed:
            why = f" (not automatic: {unsure})" if automatic and unsure else ""
            return f"{NO_DECISION}; a person decides; proposal: {proposed}{why}"


def _override(decision: Decision | None, policy: Policy) -> str | None:
    """The setting that changes how such a decision is handled."""
    if decision is None or decision.action is Action.ASK:
        return None
    key = "auto_approve" if decision.action is Action.APPROVE else "auto_reject"
    return f"review.{key}: {'false' if getattr(policy, key) else 'true'}"


def _table(stage: Stage, iteration: Iteration, conclusion: Iterated, policy: Policy) -> StageTable:
    findings = [finding for finding in conclusion.findings if finding.stage == stage]
    answered = [ended for ended in iteration.ended if ended.call.stage is stage]
    if iteration.discarded and stage is Stage.QUALITY:
        return StageTable(stage=stage, note="discarded: the spec stage failed")
    if not answered and not findings:
        return StageTable(stage=stage, note="not asked")
    models = [seat.agent for seat in seats_of(stage, as_answered(policy, iteration))]
    revise = conclusion.decision is not None and conclusion.decision.action is Action.REVISE
    if len(models) == 1:
        return StageTable(stage=stage, rows=(_row(_title(models[0]), findings, revise=revise),))
    agreed = [finding for finding in findings if finding.group is Group.AGREED]
    disputed = [finding for finding in findings if finding.group is Group.CONTRADICTION]
    alone = [finding for finding in findings if finding.group in (Group.MODEL_A_ONLY, Group.MODEL_B_ONLY)]
    rows = [_row("Agreed", agreed, revise=revise)]
    for model in reversed(models):
        mine = [finding for finding in alone if finding.by[-1:] == (model,)]
        rows.append(_row(f"{_title(model)}-only", mine, revise=revise))
    if disputed:
        rows.append(_row("Contradictions", disputed, revise=revise))
    return StageTable(stage=stage, rows=tuple(rows))


def _title(model: str) -> str:
    return model[:1].upper() + model[1:]


def _row(category: str, findings: list[Finding], *, revise: bool) -> Row:
    severities = sorted({finding.severity for finding in findings}, reverse=True)
    return Row(
        category=category,
        count=len(findings),
        severity=", ".join(str(severity).capitalize() for severity in severities) or NOTHING,
        action=_action(findings, revise=revise),
    )


def _action(findings: list[Finding], *, revise: bool) -> str:
    if not findings:
        return NOTHING
    if not any(finding.is_serious for finding in findings):
        suppressed = sum(bool(finding.suppressed) for finding in findings)
        words = "Suppressed" if suppressed == len(findings) else "Noted or suppressed" if suppressed else "Noted"
        return f"{words}, not blocking"
    return "To be fixed" if revise else "For a person to decide"


def _wasted(iteration: Iteration) -> Wasted | None:
    found = iteration.discarded
    return Wasted(answers=len(found.keys), usage=found.usage, waited=round(found.waited, 3)) if found else None
