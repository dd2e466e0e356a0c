"""What people decided about a panel's decisions weighs in the next session."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from test_panel import CLEAN, panel

from project import Project, failing
from reviewloop.core.session.events import Draft, Escalated, Payload, Resumed, Started
from reviewloop.core.types.decision import Action, Decision
from reviewloop.core.types.outcome import Answer, Reason
from reviewloop.core.types.policy import Policy
from reviewloop.errors import ExitCode
from reviewloop.ledger.sqlite import SqliteLedger

pytestmark = pytest.mark.slow

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def answered_before(project: Project, *actions: Answer) -> None:
    """Earlier sessions in which the panel passed the work and a person had the last word."""

    async def write() -> None:
        ledger = SqliteLedger(project.root / ".reviewloop/reviewloop.db")
        for number, action in enumerate(actions):
            await ledger.append(f"old-{number}", 0, [Draft(time=NOW, payload=one) for one in _events(action)])
        await ledger.close()

    asyncio.run(write())


def _events(action: Answer) -> list[Payload]:
    decision = Decision(action=Action.APPROVE, scenario="both_pass", confidence=1.0, because="")
    return [
        Started(feature="old", prd_path="", specs_path="", kind="spec", profile="panel", policy=Policy()),
        Escalated(
            feature="old", reason="", iterations=(), recovery_actions=(), current_specs_path="", code=Reason.PROPOSAL,
            decision=decision,
        ),
        Resumed(action=action),
    ]  # fmt: skip


def test_a_decision_carries_the_prior_until_somebody_answers(project: Project):
    panel(project, haiku=CLEAN, sonnet=CLEAN)
    first = project.run().session["decision"]["calibrated"]
    project.cli("resume", "spec", "--accept")
    second = project.run().session["decision"]["calibrated"]
    assert (("both_pass", 0.96, 0), ("both_pass", 0.964, 1)) == (
        (first["row"], first["value"], first["n"]), (second["row"], second["value"], second["n"]),
    )  # fmt: skip


def test_what_people_keep_overruling_is_no_longer_done_without_them(project: Project):
    panel(project, haiku=CLEAN, sonnet=CLEAN, auto_approve=True)
    answered_before(project, *[Answer.RETRY] * 6, *[Answer.ACCEPT] * 4)
    result = project.run()
    assert (ExitCode.BLOCKED, "proposal", "approve") == (
        result.exit_code, result.session["reason"], result.session["proposal"],
    )  # fmt: skip
    assert "proposal: approve (not automatic: right in at least" in result.session["because"]


def test_what_people_confirm_is_done(project: Project):
    panel(project, haiku=CLEAN, sonnet=CLEAN, auto_approve=True)
    answered_before(project, *[Answer.ACCEPT] * 10)
    result = project.run()
    assert (ExitCode.PASSED, 10) == (result.exit_code, result.session["decision"]["calibrated"]["n"])


def test_the_threshold_is_the_projects(project: Project):
    panel(project, haiku=CLEAN, sonnet=CLEAN, auto_approve=True, auto_confidence=0.2)
    answered_before(project, *[Answer.RETRY] * 6, *[Answer.ACCEPT] * 4)
    assert ExitCode.PASSED == project.run().exit_code


def test_a_few_answers_do_not_outweigh_the_flag(project: Project):
    panel(project, haiku=CLEAN, sonnet=CLEAN, auto_approve=True)
    answered_before(project, *[Answer.RETRY] * 5)
    assert ExitCode.PASSED == project.run().exit_code


def calibration(project: Project, *args: str) -> dict[str, Any]:
    return json.loads(project.cli("calibrate", "--format", "json", *args).stdout)


def test_calibrate_shows_the_table_and_what_would_come_out_differently(project: Project):
    panel(project, haiku=CLEAN, sonnet=CLEAN)
    answered_before(project, *[Answer.RETRY] * 6, *[Answer.ACCEPT] * 5)
    value = calibration(project)
    line = next(one for one in value["decisions"] if one["decision"] == "both_pass")
    assert (1.0, 0.96, 5, 11, True) == (
        line["stated"], line["prior"], line["observed"]["hits"], line["observed"]["n"], line["enough"],
    )  # fmt: skip
    assert (1, 0.7, [("old-10", "done", "asked", True)]) == (
        value["different"], value["auto_confidence"],
        [(one["session"], one["flags_alone"], one["calibrated"], one["right"]) for one in value["effects"]][-1:],
    )  # fmt: skip
    assert 0 == calibration(project, "--auto-confidence", "0.1")["different"]
    shown = project.cli("calibrate")
    assert "both_pass  approve  100%    96%    45% (5 of 11; 95% interval 21%-72%)" in shown.stdout
    assert "11 answers in 11 sessions: at 0.7, 1 decision would have gone to a person" in shown.stderr
    assert [] == [event for event in project.event_types() if event not in ("started", "escalated", "resumed")]


def test_calibrate_is_honest_about_too_few_answers(project: Project):
    panel(project, haiku=CLEAN, sonnet=CLEAN)
    assert "no person has answered a panel's decision in 0 sessions" in project.cli("calibrate").stderr
    answered_before(project, *[Answer.RETRY] * 5)
    shown = project.cli("calibrate")
    assert (ExitCode.PASSED, True) == (shown.exit_code, "settings (fewer than 10 answers)" in shown.stdout)
    assert "5 answers in 5 sessions: too few to act on; each kind of decision needs 10" in shown.stderr


def test_calibrate_has_what_reviewers_state(project: Project):
    project.reviewer(failing("No limit is given", confidence=0.95))
    project.configure(max_iterations=1, ask_confidence=True)
    project.run()
    project.cli("resume", "spec", "--accept")
    (bucket,) = calibration(project)["stated"]
    assert (0.9, 0.95, 0, 1) == (bucket["low"], bucket["stated"], bucket["observed"]["hits"], bucket["observed"]["n"])
    stats = json.loads(project.cli("stats", "--json").stdout)
    assert [bucket] == stats["calibration"]["stated"]
