"""What a panel's decision says is true in every case that says it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from reviewloop.core.panel.confidence import decide
from reviewloop.core.types.finding import Finding, Group, Severity, Standing

GAP = Finding(issue="No limit is given", severity=Severity.IMPORTANT, by=("haiku",), group=Group.MODEL_A_ONLY)
LEAK = Finding(issue="Rows leak", severity=Severity.CRITICAL, by=("haiku", "opus"), group=Group.AGREED)
OWN = Finding(issue="Rows leak", severity=Severity.CRITICAL, by=("opus",), group=Group.MODEL_B_ONLY)
NIT = Finding(issue="A long title", severity=Severity.MINOR, by=("haiku",), group=Group.MODEL_A_ONLY)
NOTE = Finding(issue="Nice", severity=Severity.INFO, by=("haiku",), group=Group.MODEL_A_ONLY)


def marked(finding: Finding, **changes: Any) -> Finding:
    return replace(finding, **changes)


DISMISSED = marked(GAP, suppressed="dismissed by Ann: it is there")
KNOWN = marked(GAP, suppressed="memory S1: dismissed 3 times, last on 2026-01-02")
LATE = marked(GAP, standing=Standing.LATE)
BOTH = {"haiku": True, "opus": True}
NEITHER = {"haiku": False, "opus": False}


@pytest.mark.parametrize(
    ("findings", "models", "sentence"),
    [
        ((), BOTH, "haiku and opus report no findings"),
        ((NIT,), BOTH, "haiku and opus report only minor findings"),
        ((NOTE,), BOTH, "no finding blocks: 1 finding for information only"),
        ((DISMISSED,), BOTH, "no finding blocks: 1 finding dismissed"),
        ((KNOWN,), BOTH, "no finding blocks: 1 finding suppressed by memory"),
        ((NIT, LATE), BOTH, "no finding blocks: 1 minor finding; 1 late finding kept as a note"),
        ((LEAK,), NEITHER, "haiku and opus report the same critical finding"),
        ((LEAK,), {**NEITHER, "sonnet": False}, "haiku and opus report the same critical finding"),
        ((OWN,), {"haiku": True, "opus": False}, "opus, the strongest model, reports a critical finding that no other model has"),
        ((GAP,), {"haiku": False, "opus": True}, "only haiku reports a serious finding"),
        ((GAP,), NEITHER, "haiku and opus report serious findings, but agree on no critical one"),
        ((marked(GAP, group=Group.CONTRADICTION),), NEITHER, "the models contradict each other"),
        ((), {"opus": True}, "opus reports no findings"),
        ((DISMISSED,), {"opus": True}, "no finding blocks: 1 finding dismissed"),
        ((GAP,), {"haiku": False}, "haiku reports a serious finding"),
    ],
)  # fmt: skip
def test_a_decision_claims_only_what_the_models_reported(
    findings: tuple[Finding, ...], models: dict[str, bool], sentence: str
):
    assert sentence == decide(findings, models).because
