"""The six scenarios of a panel's answers, each with its confidence and its action."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from reviewloop.core.judging.finding_status import set_aside
from reviewloop.core.types.decision import Action, Decision
from reviewloop.core.types.finding import Finding, Group, Severity
from reviewloop.text import count


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One combination of a panel's answers. `confidence` is the prior probability that the action is right."""

    name: str
    confidence: float
    action: Action


CLEAN = Scenario(name="both_pass", confidence=1.0, action=Action.APPROVE)
MINOR = Scenario(name="both_pass_minor", confidence=0.85, action=Action.APPROVE)
AGREED_CRITICAL = Scenario(name="both_fail_agreed_critical", confidence=0.9, action=Action.REVISE)
SPLIT = Scenario(name="split", confidence=0.4, action=Action.ASK)
DIFFERENT = Scenario(name="both_fail_different", confidence=0.6, action=Action.ASK)
STRONGEST_ALONE = Scenario(name="strongest_alone_critical", confidence=0.7, action=Action.ASK)

SCENARIOS = {scenario.name: scenario for scenario in (CLEAN, MINOR, AGREED_CRITICAL, SPLIT, DIFFERENT, STRONGEST_ALONE)}


def decide(
    findings: tuple[Finding, ...],
    models: Mapping[str, bool],
    stated: float | None = None,
    refused: Collection[str] = (),
) -> Decision:
    """Decide what a panel's answers call for.

    Args:
        findings: The merged findings of the stages that count, each with its group.
        models: Whether each model passes every stage that counts, the strongest model last.
        stated: The confidence that a lone model states.
        refused: The models that failed the work in their own words, also if nothing that they reported still blocks.
    """
    inputs = {model: "pass" if passes and model not in refused else "fail" for model, passes in models.items()}
    if len(models) == 1:
        return _alone(findings, inputs, stated)
    serious = [finding for finding in findings if finding.is_serious]
    scenario = _scenario(serious, list(models.values()), findings, refused=bool(refused))
    return Decision(
        action=scenario.action,
        scenario=scenario.name,
        confidence=scenario.confidence,
        because=_because(scenario, findings, models),
        inputs=inputs,
    )


def _scenario(serious: list[Finding], passes: list[bool], findings: tuple[Finding, ...], *, refused: bool) -> Scenario:
    critical = {finding.group for finding in serious if finding.severity is Severity.CRITICAL}
    if any(finding.group is Group.CONTRADICTION for finding in serious):
        return SPLIT
    if not any(passes) and Group.AGREED in critical:
        return AGREED_CRITICAL
    if Group.MODEL_B_ONLY in critical:
        return STRONGEST_ALONE
    if all(passes):
        open_findings = [finding for finding in findings if finding.severity > Severity.INFO and not finding.suppressed]
        return MINOR if open_findings or refused else CLEAN
    return SPLIT if any(passes) else DIFFERENT


def _because(scenario: Scenario, findings: tuple[Finding, ...], models: Mapping[str, bool]) -> str:
    """What the models report, by name. It claims nothing of a model that gave no answer, or of its own verdict."""
    serious = [finding for finding in findings if finding.is_serious]
    critical = [finding for finding in serious if finding.severity is Severity.CRITICAL]
    failing = [model for model, passes in models.items() if not passes]
    match scenario:
        case _ if scenario is AGREED_CRITICAL:
            agreed = next(finding for finding in critical if finding.group is Group.AGREED)
            return f"{_listed(agreed.by or failing)} report the same critical finding"
        case _ if scenario is STRONGEST_ALONE:
            return f"{list(models)[-1]}, the strongest model, reports a critical finding that no other model has"
        case _ if scenario is DIFFERENT:
            return f"{_listed(failing)} report serious findings, but agree on no critical one"
        case _ if scenario is SPLIT and any(finding.group is Group.CONTRADICTION for finding in serious):
            return "the models contradict each other"
        case _ if scenario is SPLIT:
            return f"only {_listed(failing)} {'reports' if len(failing) == 1 else 'report'} a serious finding"
        case _:
            return _nothing_serious(findings, list(models))


def _nothing_serious(findings: tuple[Finding, ...], models: Sequence[str]) -> str:
    """Why nothing blocks: there are no findings, only minor ones, or they are dismissed, late or suppressed."""
    report = "reports" if len(models) == 1 else "report"
    if not findings:
        return f"{_listed(models)} {report} no findings"
    if all(finding.is_open and finding.severity is Severity.MINOR for finding in findings):
        return f"{_listed(models)} {report} only minor findings"
    minor = sum(finding.is_open and finding.severity is Severity.MINOR for finding in findings)
    rest = tuple(finding for finding in findings if not finding.is_open or finding.severity is not Severity.MINOR)
    return "no finding blocks: " + "; ".join([*([count(minor, "minor finding")] if minor else []), set_aside(rest)])


def _listed(models: Sequence[str]) -> str:
    *others, last = models
    return f"{', '.join(others)} and {last}" if others else last


def _alone(findings: tuple[Finding, ...], inputs: Mapping[str, str], stated: float | None) -> Decision:
    """Decide for a single model, where there is no agreement to score."""
    serious = any(finding.is_serious for finding in findings)
    model = next(iter(inputs))
    return Decision(
        action=Action.REVISE if serious else Action.APPROVE,
        scenario="one_model_fails" if serious else "one_model_passes",
        confidence=stated,
        because=f"{model} reports a serious finding" if serious else _nothing_serious(findings, [model]),
        inputs=inputs,
    )
