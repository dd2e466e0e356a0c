"""`plan`, `work --spec` and `run --prd` in a project with a panel: the panel reviews, and its settings apply."""

from __future__ import annotations

import json
from typing import Any

import pytest

from project import Project
from reviewloop.errors import ExitCode

pytestmark = pytest.mark.slow

PHASES = ("research", "requirements", "design", "tasks")
LEAK = {"severity": "critical", "section": "Design", "description": "The export leaks other people's rows"}
WRITE = """\
mkdir -p specs/auth
if [ "$REVIEWLOOP_ITERATION" = 0 ]; then printf '# %s\\n\\nText.\\n' "$REVIEWLOOP_KIND" > specs/auth/$REVIEWLOOP_KIND.md
else echo "Fix." >> specs/auth/$REVIEWLOOP_KIND.md; fi
"""
TASKS = "# Tasks\n\n- [ ] 1.1 Write the check\n  - **Files**: `login.py`\n  - **Verify**: `grep -q x login.py`\n"
CODE = 'echo "x $REVIEWLOOP_ITERATION" >> login.py'


def says(*findings: dict[str, Any]) -> str:
    return json.dumps({"verdict": "fail" if findings else "pass", "findings": list(findings)})


def prepare(project: Project, *answers: str, author: str = WRITE, **review: Any) -> None:
    project.author(author)
    for name in ("small", "large"):
        project.reviewer(*(answers or (says(),)), name=name)
    settings: dict[str, Any] = {"parallel_models": ["small", "large"], "static_gate": "off"} | review
    project.configure("profile: panel", **settings)


def tasks_of(project: Project, *args: str) -> tuple[int, dict[str, dict[str, Any]]]:
    result = project.cli(*args, "--json")
    assert result.stdout, result.stderr
    return result.exit_code, {one["task"]: one for one in json.loads(result.stdout)["tasks"]}


def seats(project: Project, session: str) -> list[str]:
    """Who answered in a session, by stage."""
    answers = [one for one in project.events() if one["type"].endswith(".answered")]
    calls = [one["payload"]["call"] for one in answers if one["session"].startswith(session)]
    return sorted(f"{call['stage']}:{call['agent']}" for call in calls)


EVERY_SEAT = ["quality:large", "quality:small", "spec:large", "spec:small"]


def test_a_plan_is_reviewed_by_the_panel_in_both_stages(project: Project):
    prepare(project, auto_approve=True)
    code, tasks = tasks_of(project, "plan", "Log people in", "--name", "auth", "--quick")
    assert (ExitCode.PASSED, ["done"] * 4) == (code, [one["state"] for one in tasks.values()]), tasks
    assert [EVERY_SEAT] * 4 == [seats(project, f"auth-{phase}") for phase in PHASES]
    told = project.prompts("large")
    assert any("**grounding**" in text for text in told), "the quality stage judges by the document's own rubric"
    assert "### Review: research (Iteration 1)" in project.read("specs/auth/.progress.md")


def test_a_person_who_approves_a_phase_is_asked_once_and_not_by_the_panel_again(project: Project):
    prepare(project)
    code, tasks = tasks_of(project, "plan", "Log people in", "--name", "auth")
    assert (ExitCode.BLOCKED, "waiting") == (code, tasks["auth-research"]["state"])
    accepted = project.cli("resume", "auth-research", "--accept", "--json")
    assert (ExitCode.PASSED, "passed") == (accepted.exit_code, accepted.session["outcome"])
    _, tasks = tasks_of(project, "plan", "--name", "auth")
    assert ["done", "waiting"] == [one["state"] for one in tasks.values()][:2]
    assert EVERY_SEAT == seats(project, "auth-research"), "nobody is asked again"


def test_what_the_panel_agrees_on_is_fixed_by_the_phases_agent(project: Project):
    prepare(project, says(LEAK), says(LEAK), says(), auto_approve=True, auto_reject=True)
    code, tasks = tasks_of(project, "plan", "Log people in", "--name", "auth", "--quick")
    assert (ExitCode.PASSED, ["done"] * 4) == (code, [one["state"] for one in tasks.values()]), tasks
    assert "# research\n\nText.\nFix.\n" == project.read("specs/auth/research.md")


def test_a_panel_with_one_model_asks_it_in_each_stage_of_a_plan(project: Project):
    project.author(WRITE)
    project.reviewer(says(), name="large")
    project.configure("profile: panel", strategy="single", single_model="large", static_gate="off")
    tasks_of(project, "plan", "Log people in", "--name", "auth")
    assert ["quality:large", "spec:large"] == seats(project, "auth-research")


def test_a_plan_that_is_sent_back_keeps_its_panel(project: Project):
    prepare(project)
    tasks_of(project, "plan", "Log people in", "--name", "auth")
    project.write("specs/auth/research.md", "# research\n\nText, edited by hand.\n")
    again = project.cli("resume", "auth-research", "--retry", "--note", "look at OAuth too", "--json")
    assert ("phases", "approve") == (again.session["profile"], again.session["proposal"])
    assert set(EVERY_SEAT) == set(seats(project, "auth-research"))


def test_the_tasks_of_a_spec_are_reviewed_by_the_panel(project: Project):
    prepare(project, author=CODE, auto_approve=True)
    project.write("specs/login/tasks.md", TASKS)
    code, tasks = tasks_of(project, "work", "--spec", "login")
    assert (ExitCode.PASSED, "done") == (code, tasks["login-1.1"]["state"]), tasks
    assert EVERY_SEAT == seats(project, "login-1.1")
    assert any("**no_hallucinations**" in text for text in project.prompts("small"))
    assert "- [x] 1.1" in project.read("specs/login/tasks.md")


def test_a_task_of_a_spec_waits_for_a_person_who_confirms_the_panel(project: Project):
    prepare(project, author=CODE)
    project.write("specs/login/tasks.md", TASKS)
    code, tasks = tasks_of(project, "work", "--spec", "login")
    assert (ExitCode.BLOCKED, "waiting") == (code, tasks["login-1.1"]["state"]), tasks
    assert "- [ ] 1.1" in project.read("specs/login/tasks.md")
    assert ExitCode.PASSED == project.cli("resume", "login-1.1", "--accept", "--json").exit_code
    assert "- [x] 1.1" in project.read("specs/login/tasks.md")


def test_a_feature_from_a_prd_is_reviewed_by_the_panel(project: Project):
    prepare(
        project,
        author="""\
mkdir -p specs/export
if [ "$REVIEWLOOP_KIND" = tasks ]; then printf '# Tasks\\n\\n- [ ] 1.1 Do it\\n' > specs/export/tasks.md
else printf '# Spec\\n\\n## Overview\\n\\nText.\\n' > specs/export/spec.md; fi""",
        auto_approve=True,
    )
    project.write("docs/prd/export.md", "---\nprd_id: export\ntitle: Export\nstatus: draft\n---\n\n# Export\n\nText.\n")
    result = project.cli("run", "--prd", "docs/prd/export.md", "--json")
    assert ExitCode.PASSED == result.exit_code, result.stdout + result.stderr
    assert sorted(EVERY_SEAT * 2) == seats(project, "export"), "the specs, and then the tasks"


def test_rules_alone_review_a_plan_if_they_are_the_panels_only_reviewer(project: Project):
    project.author(WRITE)
    project.configure("profile: panel", strategy="single", single_model="static", static_gate="off")
    _, tasks = tasks_of(project, "plan", "Log people in", "--name", "auth")
    assert "waiting" == tasks["auth-research"]["state"]
    assert ExitCode.PASSED == project.cli("resume", "auth-research", "--accept", "--json").exit_code


def test_a_document_that_is_there_is_reviewed_by_the_panel_and_not_written_again(project: Project):
    prepare(project, auto_approve=True)
    project.write("specs/auth/research.md", "# research\n\nBy hand.\n")
    code, tasks = tasks_of(project, "plan", "Log people in", "--name", "auth", "--quick")
    assert (ExitCode.PASSED, 4, 3) == (code, len(tasks), len(project.prompts("author"))), tasks
    assert EVERY_SEAT == seats(project, "auth-research")


def test_the_joint_review_of_several_tasks_is_the_panels(project: Project):
    prepare(project, author=CODE, auto_approve=True)
    project.write("specs/login/tasks.md", TASKS)
    code, tasks = tasks_of(project, "work", "--spec", "login", "--review", "final")
    assert (ExitCode.PASSED, ["done", "done"]) == (code, [one["state"] for one in tasks.values()]), tasks
    assert (EVERY_SEAT, []) == (seats(project, "login-review-1.1"), seats(project, "login-1.1"))


def test_a_document_of_the_panel_that_changed_after_its_approval_is_the_panels_again(project: Project):
    prepare(project, auto_approve=True)
    tasks_of(project, "plan", "Log people in", "--name", "auth", "--quick")
    project.write("specs/auth/design.md", "# design\n\nQuite another text.\n")
    tasks_of(project, "plan", "--name", "auth", "--quick")
    assert sorted(EVERY_SEAT * 2) == seats(project, "auth-design")


def test_a_task_that_the_panel_fails_to_the_end_has_the_seeds_reason(project: Project):
    prepare(project, says(LEAK), author=CODE, auto_reject=True, max_fix_iterations=1)
    project.write("specs/login/tasks.md", TASKS)
    assert ExitCode.BLOCKED == tasks_of(project, "work", "--spec", "login")[0]
    session = json.loads(project.cli("status", "login-1.1", "--json").stdout)
    expected = "Task 1.1 failed review after 1 fix attempts. Remaining issues: The export leaks other people's rows"
    assert expected == session["block_reason"]
