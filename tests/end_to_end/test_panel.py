"""The panel of 003: two models in two stages, six scenarios, from the configuration alone."""

from __future__ import annotations

import json
import subprocess
import time
from typing import Any

import pytest

from project import PYTHON, Project
from reviewloop.errors import ExitCode

pytestmark = pytest.mark.slow

BOOM = {
    "severity": "critical",
    "section": "Design",
    "description": "The export leaks other people's rows",
    "category": "security",
}
SAME = {
    "severity": "important",
    "section": "Design",
    "description": "Rows of other people leak into the export",
    "category": "security",
}
OTHER = {
    "severity": "important",
    "section": "Validation",
    "description": "No command checks FR-2",
    "category": "untestable",
}
THIRD = {
    "severity": "important",
    "section": "Overview",
    "description": "REQ-9 is promised and never specified",
    "category": "missing",
}
NIT = {
    "severity": "minor",
    "section": "Overview",
    "description": "The first sentence could be shorter",
    "category": "style",
}


def says(*findings: dict[str, Any]) -> str:
    serious = any(one["severity"] in ("critical", "important") for one in findings)
    return json.dumps({"verdict": "fail" if serious else "pass", "findings": list(findings)})


def panel(project: Project, *, haiku: dict[str, str], sonnet: dict[str, str], **review: Any) -> None:
    """Two models as command agents; each answers by stage, and by iteration where that is given."""
    for name, answers in (("haiku", haiku), ("sonnet", sonnet)):
        for key, text in answers.items():
            (project.tools / f"{name}-{key}").write_text(text)
        at = f'"{project.tools}/{name}-$REVIEWLOOP_STAGE'
        project.agent(
            name, f'if [ -e {at}-$REVIEWLOOP_ITERATION" ]; then cat {at}-$REVIEWLOOP_ITERATION"; else cat {at}"; fi'
        )
    project.author("sed -i 's/^Rows are.*/& Only the reader sees them./' spec.md")
    project.configure("profile: panel", parallel_models=["haiku", "sonnet"], **review)


CLEAN = {"spec": says(), "quality": says()}
SCENARIOS = {
    "both_pass": (CLEAN, CLEAN, 1.0, "approve"),
    "both_pass_minor": (CLEAN, {"spec": says(), "quality": says(NIT)}, 0.85, "approve"),
    "both_fail_agreed_critical": (
        {"spec": says(BOOM), "quality": says()},
        {"spec": says(SAME), "quality": says()},
        0.9,
        "revise",
    ),
    "split": (CLEAN, {"spec": says(), "quality": says(OTHER)}, 0.4, "ask"),
    "both_fail_different": (
        {"spec": says(OTHER), "quality": says()},
        {"spec": says(THIRD), "quality": says()},
        0.6,
        "ask",
    ),
    "strongest_alone_critical": (CLEAN, {"spec": says(BOOM), "quality": says()}, 0.7, "ask"),
}


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_003_each_scenario_has_its_confidence_and_action(project: Project, scenario: str):
    haiku, sonnet, confidence, action = SCENARIOS[scenario]
    panel(project, haiku=haiku, sonnet=sonnet)
    result = project.run()
    session = result.session
    decision = session["decision"]
    assert (ExitCode.BLOCKED, "escalated", scenario, confidence, action) == (
        result.exit_code, session["outcome"], decision["scenario"], session["confidence"], decision["action"],
    )  # fmt: skip
    assert {"ask": None}.get(action, action) == session["proposal"]


def test_003_with_auto_approve_a_clean_pass_needs_nobody(project: Project):
    panel(project, haiku=CLEAN, sonnet=CLEAN, auto_approve=True)
    assert (ExitCode.PASSED, "passed") == ((result := project.run()).exit_code, result.session["outcome"])


def test_003_minor_findings_pass_with_notes(project: Project):
    panel(project, haiku=CLEAN, sonnet={"spec": says(), "quality": says(NIT)}, auto_approve=True)
    result = project.run()
    assert (ExitCode.PASSED, ["The first sentence could be shorter"]) == (
        result.exit_code, [finding["issue"] for finding in result.session["findings"]],
    )  # fmt: skip


def test_003_with_auto_reject_agreed_critical_findings_go_to_the_implementer(project: Project):
    haiku = {"spec-1": says(BOOM), "spec": says(), "quality": says()}
    sonnet = {"spec-1": says(SAME), "spec": says(), "quality": says()}
    panel(project, haiku=haiku, sonnet=sonnet, auto_reject=True, auto_approve=True)
    result = project.run()
    assert (ExitCode.PASSED, 2) == (result.exit_code, len(result.session["iterations"]))
    told = project.prompts("author")[0]
    assert "Rows of other people leak into the export" in told
    assert "fix attempt 1/2" in told


def test_003_first_review_is_speculative_and_later_ones_are_spec_first(project: Project):
    haiku = {"spec-1": says(BOOM), "spec": says(), "quality": says()}
    sonnet = {"spec-1": says(SAME), "spec": says(), "quality": says()}
    panel(project, haiku=haiku, sonnet=sonnet, auto_reject=True, auto_approve=True)
    project.run()
    asked = [
        [call["key"] for call in event["payload"]["calls"]]
        for event in project.events()
        if event["type"].endswith(".asked")
    ]
    assert [
        ["1/spec:haiku", "1/spec:sonnet", "1/quality:haiku", "1/quality:sonnet"],
        ["2/spec:haiku", "2/spec:sonnet"],
        ["2/quality:haiku", "2/quality:sonnet"],
    ] == asked


def test_003_discarded_quality_answers_are_on_record_and_not_in_the_findings(project: Project):
    bad = {"spec": says(BOOM), "quality": says(OTHER)}
    panel(project, haiku=bad, sonnet=bad)
    session = project.run().session
    assert ["The export leaks other people's rows"] == [finding["issue"] for finding in session["findings"]]
    discarded = [event["payload"] for event in project.events() if event["type"].endswith(".discarded")]
    assert [["1/quality:haiku", "1/quality:sonnet"]] == [sorted(one["keys"]) for one in discarded]
    assert discarded[0]["usage"]["seconds"] > 0
    assert 4 == len(project.answers())


def test_003_without_speculation_quality_waits_for_spec(project: Project):
    bad = {"spec": says(BOOM), "quality": says(OTHER)}
    panel(project, haiku=bad, sonnet=bad, speculative_quality=False)
    project.run()
    assert 2 == len(project.answers())


def test_003_single_strategy_asks_one_model_per_stage(project: Project):
    panel(project, haiku=CLEAN, sonnet=CLEAN, strategy="single", single_model="sonnet", auto_approve=True)
    result = project.run()
    assert (ExitCode.PASSED, 2, None) == (result.exit_code, len(project.answers()), result.session["confidence"])
    assert [] == project.prompts("haiku")


def test_003_escalated_after_the_fixes_are_used_up(project: Project):
    def bad(number: int) -> str:
        return says(*({**BOOM, "description": f"The export leaks rows in case {n}"} for n in range(number, 5)))

    answers = {f"spec-{n}": bad(n) for n in (1, 2, 3)} | {"quality": says()}
    panel(project, haiku=answers, sonnet=answers, auto_reject=True, max_fix_iterations=2)
    result = project.run()
    assert (ExitCode.BLOCKED, "escalated", "exhausted", 2, 3) == (
        result.exit_code, result.session["outcome"], result.session["reason"], len(project.prompts("author")),
        len(result.session["iterations"]),
    )  # fmt: skip


def test_003_a_person_confirms_a_proposal(project: Project):
    panel(project, haiku=CLEAN, sonnet=CLEAN)
    project.run()
    result = project.cli("resume", "spec", "--accept", "--json")
    assert (ExitCode.PASSED, "passed", []) == (result.exit_code, result.session["outcome"], result.session["warnings"])


def test_003_a_person_confirms_a_revision(project: Project):
    haiku = {"spec-1": says(BOOM), "spec": says(), "quality": says()}
    sonnet = {"spec-1": says(SAME), "spec": says(), "quality": says()}
    panel(project, haiku=haiku, sonnet=sonnet, auto_approve=True)
    assert "revise" == project.run().session["proposal"]
    assert ExitCode.PASSED == project.cli("resume", "spec", "--retry").exit_code
    assert 1 == len(project.prompts("author"))


def test_one_silent_member_never_shrinks_the_panel(project: Project):
    panel(project, haiku={"spec": "hm", "quality": "hm"}, sonnet=CLEAN, auto_approve=True)
    result = project.run()
    assert (ExitCode.BLOCKED, "escalated", "malformed") == (
        result.exit_code, result.session["outcome"], result.session["reason"],
    )  # fmt: skip


def test_opposite_claims_about_one_thing_are_a_contradiction_for_a_person(project: Project):
    more = {
        "severity": "important",
        "section": "Requirements",
        "description": "FR-2: the limit of 5 seconds is too low",
        "action": "increase",
        "category": "performance",
    }
    less = {**more, "description": "FR-2: the limit of 5 seconds is too high", "action": "decrease"}
    panel(
        project,
        haiku={"spec": says(more), "quality": says()},
        sonnet={"spec": says(less), "quality": says()},
        auto_reject=True,
    )
    session = project.run().session
    assert (["contradiction", "contradiction"], "ask") == (
        [finding["group"] for finding in session["findings"]], session["decision"]["action"],
    )  # fmt: skip


def test_a_quote_that_is_not_there_is_asked_for_again_and_the_no_stays(project: Project):
    liar = {**BOOM, "quote": "the export shows everything to everybody"}
    panel(project, haiku=CLEAN, sonnet={"spec": says(liar), "quality": says()})
    finding = project.run().session["findings"][0]
    assert (False, "critical") == (finding["verified"], finding["severity"])
    assert any("not in the text that was reviewed: the export shows" in told for told in project.prompts("sonnet"))


def test_killed_between_two_of_four_answers_only_the_missing_are_asked(project: Project):
    """The sonnet's quality review hangs until the run is killed; the three other answers are on record by then."""
    panel(project, haiku=CLEAN, sonnet=CLEAN, auto_approve=True)
    done = 'echo "$REVIEWLOOP_STAGE" >> "$TOLD/calls"'
    hang = '[ "$REVIEWLOOP_STAGE" = quality ] && [ ! -e "$TOLD/resumed" ] && sleep 60'
    project.agent("sonnet", f'{hang}\ncat "{project.tools}/sonnet-$REVIEWLOOP_STAGE"; {done}')
    project.configure("profile: panel", parallel_models=["haiku", "sonnet"], auto_approve=True)
    command = [PYTHON, "-m", "reviewloop", "run", "spec.md"]
    with subprocess.Popen(command, cwd=project.root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as first:
        deadline = time.monotonic() + 50
        while project.answers().count("answered") < 3:
            assert time.monotonic() < deadline, "three answers never came"
            time.sleep(0.1)
        first.kill()
    (project.told / "resumed").touch()
    before = len(project.prompts("haiku"))
    result = project.cli("resume", "spec", "--json")
    assert (ExitCode.PASSED, before, ["spec", "quality"]) == (
        result.exit_code, len(project.prompts("haiku")), (project.told / "calls").read_text().split(),
    )  # fmt: skip
