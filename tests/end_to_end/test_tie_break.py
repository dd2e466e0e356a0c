"""One question to a tie-break settles what may be the same, once, and nothing counts as agreed without it."""

from __future__ import annotations

from typing import Any

import pytest
from killing import HANG_UNTIL_KILLED, kill_while_asking
from test_panel import CLEAN, panel, says

from project import Project
from reviewloop.errors import ExitCode

pytestmark = pytest.mark.slow

LIMIT = {"severity": "critical", "section": "Requirements", "description": "FR-2 says nothing about slow networks"}
SLOW = {
    "severity": "important",
    "section": "Requirements",
    "description": "FR-2: who measures the five seconds, and where?",
}
SPLIT = {"haiku": {"spec": says(LIMIT), "quality": says()}, "sonnet": {"spec": says(SLOW), "quality": says()}}


def rules(project: Project, ruling: str, *, shell: str = "") -> None:
    """A tie-break that says the same of every pair it is asked about."""
    script = f"""{shell}
    grep -o '"pair": "[^"]*"' "$TOLD/judge-$N.txt" | cut -d'"' -f4 | sort -u |
      awk 'BEGIN {{ printf "{{\\"rulings\\": {{" }} {{ printf "%s\\"%s\\": \\"{ruling}\\"", (NR > 1 ? ", " : ""), $1 }} END {{ print "}}}}" }}'"""
    project.agent("judge", script)


def settled(project: Project) -> list[dict[str, Any]]:
    return [event["payload"] for event in project.events() if event["type"] == "spec.review.settled"]


def groups(session: dict[str, Any]) -> list[str]:
    return [finding["group"] for finding in session["findings"]]


def test_without_a_tie_break_pairs_are_possibly_the_same_and_not_agreed(project: Project):
    panel(project, **SPLIT)
    session = project.run().session
    assert (["model_b_only", "model_a_only"], "both_fail_different") == (
        groups(session), session["decision"]["scenario"],
    )  # fmt: skip
    assert [("F2", "F1")] == [(pair["first"], pair["second"]) for pair in session["possible"]]


@pytest.mark.parametrize(
    ("ruling", "expected", "scenario"),
    [
        ("same", ["agreed"], "both_fail_agreed_critical"),
        ("different", ["model_b_only", "model_a_only"], "both_fail_different"),
        ("contradiction", ["contradiction", "contradiction"], "split"),
    ],
)
def test_the_tie_break_settles_it(project: Project, ruling: str, expected: list[str], scenario: str):
    rules(project, ruling)
    panel(project, **SPLIT, tie_break="judge")
    session = project.run().session
    assert (expected, scenario, []) == (groups(session), session["decision"]["scenario"], session["possible"])
    assert [[("spec-P1", ruling)]] == [
        [(one["pair"], one["ruling"]) for one in event["pairs"]] for event in settled(project)
    ]


def test_the_pairs_of_both_stages_are_one_question(project: Project):
    rules(project, "different")
    unsure = {
        "severity": "minor",
        "section": "Validation",
        "description": "The test file is not named in the plan",
        "category": "style",
    }
    unclear = {
        "severity": "minor",
        "section": "Validation",
        "description": "Which test covers FR-1 is left open",
        "category": "trace",
    }
    haiku = {"spec": says(unsure), "quality": says(unsure)}
    sonnet = {"spec": says(unclear), "quality": says(unclear)}
    panel(project, haiku=haiku, sonnet=sonnet, tie_break="judge")
    project.run()
    assert 1 == len(project.prompts("judge"))
    assert ["spec-P1", "quality-P1"] == [one["pair"] for one in settled(project)[0]["pairs"]]


def test_without_pairs_nobody_is_asked(project: Project):
    rules(project, "same")
    panel(project, haiku=CLEAN, sonnet=CLEAN, tie_break="judge")
    project.run()
    assert [] == project.prompts("judge")


@pytest.mark.parametrize(
    ("script", "warning"),
    [
        ("echo hm", "1 pair of findings may be the same: judge did not rule"),
        ("exit 3", "1 pair of findings may be the same: judge failed: exited with 3"),
        (
            'echo \'{"rulings": {"spec-P1": "perhaps"}}\'',
            "1 pair of findings may be the same: judge did not rule",
        ),
    ],
)
def test_a_tie_break_that_fails_or_talks_nonsense_makes_nothing_agreed(project: Project, script: str, warning: str):
    project.agent("judge", script)
    panel(project, **SPLIT, tie_break="judge")
    session = project.run().session
    assert ["model_b_only", "model_a_only"] == groups(session)
    assert (1, 1) == (len(session["possible"]), len(project.prompts("judge")))
    accepted = project.cli("resume", "spec", "--accept", "--json").session
    concluded = [event["payload"] for event in project.events() if event["type"] == "spec.review.iteration"]
    assert ([warning], "passed_with_warnings") == (concluded[0]["warnings"], accepted["outcome"])


def test_its_cost_counts(project: Project):
    rules(project, "same")
    panel(project, **SPLIT, tie_break="judge")
    session = project.run().session
    calls = [
        event["payload"]["usage"]["seconds"]
        for event in project.events()
        if "usage" in event["payload"] and not event["type"].endswith("discarded")
    ]
    assert 5 == len(calls)
    assert pytest.approx(sum(calls)) == session["usage"]["seconds"]


@pytest.mark.slow
def test_killed_during_the_tie_break_the_reviewers_are_not_asked_again(project: Project):
    rules(project, "same", shell=HANG_UNTIL_KILLED)
    panel(project, **SPLIT, tie_break="judge")
    kill_while_asking("judge", project)
    before = len(project.prompts("haiku")), len(project.prompts("sonnet"))
    result = project.cli("resume", "spec", "--json")
    assert (ExitCode.BLOCKED, ["agreed"], before) == (
        result.exit_code, groups(result.session), (len(project.prompts("haiku")), len(project.prompts("sonnet"))),
    )  # fmt: skip


def test_a_settled_pair_is_never_asked_again(project: Project):
    rules(project, "same")
    panel(project, **SPLIT, tie_break="judge")
    project.run()
    project.cli("resume", "spec", "--accept")
    assert 1 == len(project.prompts("judge"))


def test_an_unknown_tie_break_is_an_error_with_its_place(project: Project):
    panel(project, haiku=CLEAN, sonnet=CLEAN, tie_break="nobody")
    result = project.run()
    assert (ExitCode.USAGE, True) == (result.exit_code, 'no agent is named "nobody"' in result.stderr)
