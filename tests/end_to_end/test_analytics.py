"""003's analytics: what the file says after reviews, fix loops and a person's answers."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from analytics_schema import SCHEMA
from test_panel import BOOM, CLEAN, NIT, OTHER, SAME, panel, says

from project import Project, failing, passing
from reviewloop.errors import ExitCode

pytestmark = pytest.mark.slow

PATH = ".reviewloop/analytics.json"
PANEL_PATH = ".claude/review-analytics.json"


def analytics(project: Project) -> dict[str, Any]:
    path = PANEL_PATH if (project.root / PANEL_PATH).exists() else PATH
    value = json.loads(project.read(path))
    jsonschema.validate(value, SCHEMA)
    return value


def told(entry: dict[str, Any], *names: str) -> list[Any]:
    return [entry[name] for name in names]


@pytest.fixture
def fixed(project: Project) -> Project:
    """Both models agree on something critical, it is fixed, and passes."""
    haiku = {"spec-1": says(BOOM), "spec": says(), "quality": says()}
    sonnet = {"spec-1": says(SAME, OTHER), "spec": says(), "quality": says(NIT)}
    panel(project, haiku=haiku, sonnet=sonnet, auto_reject=True, auto_approve=True)
    assert ExitCode.PASSED == project.run().exit_code
    return project


def test_003_an_entry_per_merge_with_its_end(fixed: Project):
    entries = analytics(fixed)["reviews"]
    assert [("spec", "fail", "fail"), ("spec", "pass", "pass"), ("quality", "pass", "pass")] == [
        tuple(told(one, "stage", "haiku_verdict", "sonnet_verdict")) for one in entries
    ]
    assert [1, 0, 1, 0] == told(
        entries[0], "agreed_count", "haiku_only_count", "sonnet_only_count", "contradiction_count"
    )
    assert [0.9, "auto_reject", None, 1, "pass"] == told(
        entries[0], "confidence", "auto_decision", "human_override", "fix_iterations", "final_verdict"
    )
    assert [("f1", "agreed", "fixed", False), ("f2", "model_b_only", "fixed", False)] == [
        tuple(told(one, "id", "category", "resolution", "false_positive")) for one in entries[0]["findings"]
    ]
    assert [("model_b_only", "noted")] == [tuple(told(one, "category", "resolution")) for one in entries[2]["findings"]]


def test_003_who_was_right_is_told_by_what_happened(fixed: Project):
    assert {
        "total_reviews": 3,
        "auto_approved": 2,
        "auto_rejected": 1,
        "human_decided": 0,
        "avg_fix_iterations": 1.0,
        "model_accuracy": {
            "haiku": {"true_positive": 1, "false_positive": 0, "missed": 1},
            "sonnet": {"true_positive": 2, "false_positive": 0, "missed": 0},
        },
        "by_service": {"project": {"reviews": 3, "common_issues": []}},
    } == analytics(fixed)["summary"]


def test_003_a_person_who_approves_despite_issues_overrides(project: Project):
    panel(project, haiku=CLEAN, sonnet={"spec": says(BOOM), "quality": says()})
    project.run()
    (before,) = analytics(project)["reviews"]
    assert ["present_to_human", None, "fail"] == told(before, "auto_decision", "human_override", "final_verdict")
    project.cli("resume", "spec", "--accept")
    value = analytics(project)
    (after,) = value["reviews"]
    assert ["approve", "pass"] == told(after, "human_override", "final_verdict")
    assert ["accepted", True] == told(after["findings"][0], "resolution", "false_positive")
    assert 1 == value["summary"]["model_accuracy"]["sonnet"]["false_positive"]


def test_003_a_person_who_rejects_despite_a_pass_overrides(project: Project):
    panel(project, haiku=CLEAN, sonnet=CLEAN)
    project.run()
    project.cli("resume", "spec", "--reject")
    assert [["reject", "fail"], ["reject", "fail"]] == [
        told(one, "human_override", "final_verdict") for one in analytics(project)["reviews"]
    ]


def test_003_confirming_a_proposal_is_no_override(project: Project):
    panel(project, haiku=CLEAN, sonnet=CLEAN)
    project.run()
    project.cli("resume", "spec", "--accept")
    assert [["present_to_human", None, "pass"]] * 2 == [
        told(one, "auto_decision", "human_override", "final_verdict") for one in analytics(project)["reviews"]
    ]


def test_a_dismissed_finding_is_a_false_positive_and_what_a_person_adds_was_missed(project: Project):
    project.reviewer(failing("Say which CSV dialect"), passing())
    project.author()
    project.configure("services: {exports: spec.md}", max_iterations=1)
    project.run()
    project.cli(
        "inbox", "answer", "spec", "--dismiss", "F1", "--why", "RFC 4180", "--add", "Nobody says who may export"
    )
    value = analytics(project)
    assert {"true_positive": 0, "false_positive": 1, "missed": 1} == value["summary"]["model_accuracy"]["reviewer"]
    assert [("dismissed", True), ("fixed", False)] == [
        (one["resolution"], one["false_positive"]) for one in value["reviews"][0]["findings"]
    ]
    assert ["exports"] == list(value["summary"]["by_service"])


def test_a_broken_file_is_left_alone_and_the_review_goes_on(project: Project):
    project.write(PATH, '{"reviews": [')
    project.reviewer(passing())
    result = project.run()
    assert (ExitCode.PASSED, '{"reviews": [') == (result.exit_code, project.read(PATH))
    assert "warning: " in result.stderr
    assert "line 1, column 14" in result.stderr


def test_a_directory_nobody_can_write_to_is_a_warning(project: Project):
    project.write("figures", "a file where a directory should be")
    project.reviewer(passing())
    project.configure("paths: {analytics: figures/analytics.json}")
    result = project.run()
    assert ExitCode.PASSED == result.exit_code
    assert "the review analytics could not be written" in result.stderr


def test_no_file_is_written_if_nobody_wants_one(project: Project):
    project.reviewer(passing())
    project.configure("paths: {analytics: false}")
    project.run()
    assert not (project.root / PATH).exists()
