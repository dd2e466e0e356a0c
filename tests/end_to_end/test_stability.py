"""The same question twice: how often a reviewer changes its mind."""

from __future__ import annotations

import json

import pytest
from test_panel import BOOM, CLEAN, OTHER, panel, says

from project import Project, failing, passing
from reviewloop.errors import ExitCode

pytestmark = pytest.mark.slow


def test_a_steady_reviewer_does_not_flip(project: Project):
    project.reviewer(passing())
    project.configure()
    result = project.cli("stability", "spec.md", "--json")
    one = json.loads(result.stdout)[0]
    assert (ExitCode.PASSED, ["pass", "pass"], 0, 0.0) == (
        result.exit_code, one["verdicts"], one["flips"], one["flip_rate"],
    )  # fmt: skip
    assert (0.0, 0.793) == (one["interval"]["low"], round(one["interval"]["high"], 3))


def test_flips_scores_and_findings_that_recur_are_counted(project: Project):
    one = failing("Nobody says who may export", "FR-2 has no load profile")
    other = failing("It is not said who may export")
    scores = {"completeness": 80, "consistency": 85, "testability": 80, "architecture": 95}
    project.reviewer(one, other, passing(score=scores), one)
    project.configure()
    found = json.loads(project.cli("stability", "spec.md", "--times", "4", "--json").stdout)[0]
    assert (["needs_revision", "needs_revision", "pass", "needs_revision"], 2, 4) == (
        found["verdicts"], found["flips"], found["asked"],
    )  # fmt: skip
    assert {"criterion": "completeness", "lowest": 60, "highest": 80} in found["scores"]
    assert [3, 2] == [same["answers"] for same in found["findings"]]
    assert 2 == found["recurring"]


def test_the_terminal_tells_it_with_what_it_cost(project: Project):
    project.reviewer(passing(), failing("Nobody says who may export"))
    project.configure()
    shown = project.cli("stability", "spec.md").stdout
    assert "reviewer: asked 2 times, verdicts: pass, needs revision" in shown
    assert "flips: 1 of 1 (100%; 95%: 21% to 100%)" in shown
    assert "1x important spec.md:3 (Overview): Nobody says who may export" in shown
    assert "cost: " in shown


def test_nothing_goes_on_record(project: Project):
    project.reviewer(passing())
    project.configure()
    project.cli("stability", "spec.md")
    assert [] == project.events()
    assert not (project.root / ".ai-sdd").exists()


def test_a_reviewer_that_says_nothing_is_not_called_steady(project: Project):
    project.reviewer("hm")
    project.configure()
    result = project.cli("stability", "spec.md", "--json")
    one = json.loads(result.stdout)[0]
    assert (ExitCode.INCONCLUSIVE, [], None, 2) == (
        result.exit_code, one["verdicts"], one["flip_rate"], len(one["unheard"]),
    )  # fmt: skip


def test_of_a_panel_each_stage_is_looked_at_by_itself(project: Project):
    panel(project, haiku=CLEAN, sonnet={"spec": says(BOOM, OTHER), "quality": says()})
    sonnet, haiku = (
        json.loads(project.cli("stability", "spec.md", "--json", *more).stdout)
        for more in ((), ("--reviewer", "haiku"))
    )
    assert [("spec:sonnet", ["needs_revision"] * 2, 2), ("quality:sonnet", ["pass"] * 2, 0)] == [
        (one["seat"], one["verdicts"], one["recurring"]) for one in sonnet
    ]
    assert ["spec:haiku", "quality:haiku"] == [one["seat"] for one in haiku]


def test_an_agent_nobody_knows_is_an_error(project: Project):
    project.reviewer(passing())
    project.configure()
    result = project.cli("stability", "spec.md", "--reviewer", "nobody")
    assert (ExitCode.USAGE, True) == (result.exit_code, "there is no agent `nobody`" in result.stderr)
