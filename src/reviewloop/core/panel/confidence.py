"""From what each model of a panel says to one decision: the six scenarios, their figures and what they call for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reviewloop.core.types.decision import Action, Decision
from reviewloop.core.types.finding import Finding, Group, Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One way a panel's answers can fall out. `confidence` is how sure the action is, as a prior."""

    name: str
    confidence: float
    action: Action
    because: str


CLEAN = Scenario(name="both_pass", confidence=1.0, action=Action.APPROVE, because="all models pass, no findings")
MINOR = Scenario(
    name="both_pass_minor", confidence=0.85, action=Action.APPROVE, because="all models pass, only minor findings"
)
AGREED_CRITICAL = Scenario(
    name="both_fail_agreed_critical",
    confidence=0.9,
    action=Action.REVISE,
    because="all models fail it and agree on what is critical",
)
SPLIT = Scenario(name="split", confidence=0.4, action=Action.ASK, because="one model passes it, another fails it")
DIFFERENT = Scenario(
    name="both_fail_different",
    confidence=0.6,
    action=Action.ASK,
    because="all models fail it, without agreeing on anything critical",
)
STRONGEST_ALONE = Scenario(
    name="strongest_alone_critical",
    confidence=0.7,
    action=Action.ASK,
    because="only the strongest model sees something critical",
)

SCENARIOS = {one.name: one for one in (CLEAN, MINOR, AGREED_CRITICAL, SPLIT, DIFFERENT, STRONGEST_ALONE)}


def decide(findings: tuple[Finding, ...], models: Mapping[str, bool], stated: float | None = None) -> Decision:
    """What a panel's answers call for.

    Args:
        findings: The merged findings of the stages that count, each with its group.
        models: For each model, the strongest last, whether it passes every stage that counts.
        stated: A lone model's own confidence.
    """
    inputs = {model: "pass" if passes else "fail" for model, passes in models.items()}
    if len(models) == 1:
        return _alone(findings, inputs, stated)
    scenario = _scenario([one for one in findings if counts(one)], list(models.values()), findings)
    return Decision(
        action=scenario.action,
        scenario=scenario.name,
        confidence=scenario.confidence,
        because=scenario.because,
        inputs=inputs,
    )


def counts(finding: Finding) -> bool:
    """Whether a finding can turn work down: important, and neither late nor dismissed."""
    return finding.severity >= Severity.IMPORTANT and not finding.suppressed and not finding.is_late


def _scenario(serious: list[Finding], passes: list[bool], findings: tuple[Finding, ...]) -> Scenario:
    critical = {one.group for one in serious if one.severity is Severity.CRITICAL}
    if any(one.group is Group.CONTRADICTION for one in serious):
        return SPLIT
    if not any(passes) and Group.AGREED in critical:
        return AGREED_CRITICAL
    if Group.MODEL_B_ONLY in critical:
        return STRONGEST_ALONE
    if all(passes):
        open_findings = [one for one in findings if one.severity > Severity.INFO and not one.suppressed]
        return MINOR if open_findings else CLEAN
    return SPLIT if any(passes) else DIFFERENT


def _alone(findings: tuple[Finding, ...], inputs: Mapping[str, str], stated: float | None) -> Decision:
    """With one model there is no agreement to score."""
    serious = any(counts(one) for one in findings)
    return Decision(
        action=Action.REVISE if serious else Action.APPROVE,
        scenario="one_model_fails" if serious else "one_model_passes",
        confidence=stated,
        because="the model fails it" if serious else "the model passes it",
        inputs=inputs,
    )
