"""The six scenarios of a panel's answers, each with its confidence and its action."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reviewloop.core.types.decision import Action, Decision
from reviewloop.core.types.finding import Finding, Group, Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One combination of a panel's answers. `confidence` is the prior probability that the action is right."""

    name: str
    confidence: float
    action: Action
    because: str


CLEAN = Scenario(name="both_pass", confidence=1.0, action=Action.APPROVE, because="all models pass with no findings")
MINOR = Scenario(
    name="both_pass_minor", confidence=0.85, action=Action.APPROVE, because="all models pass with only minor findings"
)
AGREED_CRITICAL = Scenario(
    name="both_fail_agreed_critical",
    confidence=0.9,
    action=Action.REVISE,
    because="all models fail and agree on a critical finding",
)
SPLIT = Scenario(name="split", confidence=0.4, action=Action.ASK, because="the models disagree")
DIFFERENT = Scenario(
    name="both_fail_different",
    confidence=0.6,
    action=Action.ASK,
    because="all models fail, but agree on no critical finding",
)
STRONGEST_ALONE = Scenario(
    name="strongest_alone_critical",
    confidence=0.7,
    action=Action.ASK,
    because="only the strongest model reports a critical finding",
)

SCENARIOS = {scenario.name: scenario for scenario in (CLEAN, MINOR, AGREED_CRITICAL, SPLIT, DIFFERENT, STRONGEST_ALONE)}


def decide(findings: tuple[Finding, ...], models: Mapping[str, bool], stated: float | None = None) -> Decision:
    """Decide what a panel's answers call for.

    Args:
        findings: The merged findings of the stages that count, each with its group.
        models: Whether each model passes every stage that counts, the strongest model last.
        stated: The confidence that a lone model states.
    """
    inputs = {model: "pass" if passes else "fail" for model, passes in models.items()}
    if len(models) == 1:
        return _alone(findings, inputs, stated)
    scenario = _scenario([finding for finding in findings if finding.is_serious], list(models.values()), findings)
    return Decision(
        action=scenario.action,
        scenario=scenario.name,
        confidence=scenario.confidence,
        because=scenario.because,
        inputs=inputs,
    )


def _scenario(serious: list[Finding], passes: list[bool], findings: tuple[Finding, ...]) -> Scenario:
    critical = {finding.group for finding in serious if finding.severity is Severity.CRITICAL}
    if any(finding.group is Group.CONTRADICTION for finding in serious):
        return SPLIT
    if not any(passes) and Group.AGREED in critical:
        return AGREED_CRITICAL
    if Group.MODEL_B_ONLY in critical:
        return STRONGEST_ALONE
    if all(passes):
        open_findings = [finding for finding in findings if finding.severity > Severity.INFO and not finding.suppressed]
        return MINOR if open_findings else CLEAN
    return SPLIT if any(passes) else DIFFERENT


def _alone(findings: tuple[Finding, ...], inputs: Mapping[str, str], stated: float | None) -> Decision:
    """Decide for a single model, where there is no agreement to score."""
    serious = any(finding.is_serious for finding in findings)
    return Decision(
        action=Action.REVISE if serious else Action.APPROVE,
        scenario="one_model_fails" if serious else "one_model_passes",
        confidence=stated,
        because="the model fails" if serious else "the model passes",
        inputs=inputs,
    )
