"""Documents that changed after their approval, ledgers that are lost, and commands that are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from at_work import WAIT_FOR_GO, at_work, go

from project import Project
from reviewloop.errors import ExitCode

pytestmark = pytest.mark.slow

DIMENSIONS = (
    "Completeness", "Grounding", "Scope", "Testability", "Traceability", "Consistency", "Feasibility", "Patterns",
    "Actionability", "Structure", "Quality gates", "Alignment", "Correctness", "No hallucinations",
)  # fmt: skip
PHASES = ("research", "requirements", "design", "tasks")
WRITE = """\
echo "$REVIEWLOOP_SESSION $REVIEWLOOP_ITERATION" >> "$TOLD/calls"
mkdir -p specs/auth
case "$REVIEWLOOP_SESSION" in
auth-1*) echo "$REVIEWLOOP_SESSION" >> login.py;;
auth-tasks*) printf '# Tasks\\n\\n- [ ] 1.1 Write the check\\n  - **Verify**: `test -e login.py`\\n- [ ] 1.2 Greet\\n  - **Verify**: `test -e login.py`\\n' > specs/auth/tasks.md;;
*) printf '# %s\\n\\nText of %s.\\n' "$REVIEWLOOP_KIND" "$REVIEWLOOP_KIND" > specs/auth/$REVIEWLOOP_KIND.md;;
esac
"""


def signal(*failed: str) -> str:
    rows = [
        f"| {number} | {name} | {'FAIL' if name in failed else 'PASS'} | {'too thin' if name in failed else 'fine'} |"
        for number, name in enumerate(DIMENSIONS, 1)
    ]
    table = "\n".join(["| # | Dimension | Status | Finding |", "|---|---|---|---|", *rows])
    return f"### Findings\n{table}\n\nREVIEW_{'FAIL' if failed else 'PASS'}\n"


def prepare(project: Project, *answers: str, **review: Any) -> None:
    project.author(WRITE)
    project.reviewer(*(answers or (signal(),)))
    project.configure("profile: phases", static_gate="off", **review)


def tasks_of(project: Project, *args: str) -> tuple[int, dict[str, str]]:
    result = project.cli(*args, "--json")
    assert result.stdout, result.stderr
    return result.exit_code, {one["task"]: one["state"] for one in json.loads(result.stdout)["tasks"]}


def quick(project: Project) -> tuple[int, dict[str, str]]:
    return tasks_of(project, "plan", "Log people in", "--name", "auth", "--quick")


def lose_the_ledger(project: Project) -> None:
    for file in (project.root / ".reviewloop").glob("*.db*"):
        file.unlink()


def calls(project: Project) -> int:
    return len((project.told / "calls").read_text().splitlines())


def asked(project: Project) -> int:
    return len(project.prompts("reviewer"))


def test_a_document_that_changed_after_its_approval_is_reviewed_again_by_plan(project: Project):
    prepare(project)
    tasks_of(project, "plan", "Log people in", "--name", "auth")
    project.cli("resume", "auth-research", "--accept")
    project.write("specs/auth/research.md", "# research\n\nQuite another text.\n")
    code, tasks = tasks_of(project, "plan", "--name", "auth")
    assert (ExitCode.BLOCKED, "waiting") == (code, tasks["auth-research"]), "a person approves the new text, too"
    assert "Quite another text." in project.prompts("reviewer")[-1]
    assert "# research\n\nQuite another text.\n" == project.read("specs/auth/research.md")


def test_a_document_that_changed_after_its_approval_is_reviewed_again_before_work_begins(project: Project):
    prepare(project, *([signal()] * 4), signal("Completeness"), on_exhausted="block", max_iterations=1)
    quick(project)
    project.write("specs/auth/design.md", "# design\n\nQuite another design.\n")
    code, tasks = tasks_of(project, "work", "--spec", "auth")
    assert (ExitCode.BLOCKED, "waiting") == (code, tasks["auth-design"])
    assert ["paused", "paused"] == [tasks["auth-1.1"], tasks["auth-1.2"]]
    assert (5, 4) == (asked(project), calls(project)), "nobody works on a design that does not pass"
    project.cli("resume", "auth-design", "--accept")
    project.reviewer(signal())
    assert (ExitCode.PASSED, {"auth-1.1": "done", "auth-1.2": "done"}) == tasks_of(project, "work", "--spec", "auth")


def test_a_feature_whose_specs_changed_after_they_passed_is_reviewed_again(project: Project):
    project.author(
        "mkdir -p specs/export; "
        "if [ $REVIEWLOOP_KIND = tasks ]; then echo '- [ ] 1.1 Do it' > specs/export/tasks.md; "
        "else printf '# Spec\\n\\nText.\\n' > specs/export/spec.md; fi"
    )
    project.reviewer(json.dumps({"verdict": "pass", "findings": []}))
    project.configure(static_gate="off", dialect="findings")
    project.write("prd.md", "---\nprd_id: export\ntitle: Export\nstatus: draft\n---\n\n# Export\n\nText.\n")
    assert ExitCode.PASSED == project.cli("run", "--prd", "prd.md", "--json").exit_code
    before = asked(project)
    project.write("specs/export/spec.md", "# Spec\n\nQuite another text.\n")
    project.cli("run", "--prd", "prd.md", "--json")
    assert "Quite another text." in project.prompts("reviewer")[before]


def test_boxes_that_work_ticks_are_no_change_of_the_task_list(project: Project):
    prepare(project)
    quick(project)
    assert ExitCode.PASSED == tasks_of(project, "work", "--spec", "auth")[0]
    before = asked(project)
    assert (ExitCode.PASSED, ["done"] * 4) == ((again := quick(project))[0], list(again[1].values()))
    assert before == asked(project)
    project.write("specs/auth/tasks.md", project.read("specs/auth/tasks.md").replace("Greet", "Greet loudly"))
    quick(project)
    assert before + 1 == asked(project), "another text is another task list"


@pytest.mark.parametrize("answer", ["--reject", None])
def test_a_lost_ledger_does_not_finish_a_document_that_failed(project: Project, answer: str | None):
    prepare(project, signal("Completeness"), on_exhausted="block", max_iterations=1)
    assert ExitCode.BLOCKED == quick(project)[0]
    if answer:
        project.cli("resume", "auth-research", answer)
    lose_the_ledger(project)
    code, tasks = quick(project)
    assert (ExitCode.BLOCKED, ["waiting", "paused", "paused", "paused"]) == (code, list(tasks.values()))
    assert (1, 2) == (calls(project), asked(project)), "it is reviewed and not written again"


def test_a_lost_ledger_does_not_approve_what_a_person_has_not(project: Project):
    prepare(project)
    tasks_of(project, "plan", "Log people in", "--name", "auth")
    lose_the_ledger(project)
    code, tasks = tasks_of(project, "plan", "Log people in", "--name", "auth")
    assert (ExitCode.BLOCKED, "waiting") == (code, tasks["auth-research"])


def test_a_box_that_nobody_on_record_ticked_is_named_and_is_nobodys_pass(project: Project):
    prepare(project)
    project.write(
        "specs/auth/tasks.md", "# Tasks\n\n- [x] 1.1 Write the check\n- [ ] 1.2 Greet\n  - **Verify**: `true`\n"
    )
    result = project.cli("work", "--spec", "auth", "--json")
    assert "1.1 is ticked, but no passed session is on record: not reviewed here (to do one again: --fresh NUMBER)" in (
        result.stderr
    )
    assert ["auth-1.2"] == [one["task"] for one in json.loads(result.stdout)["tasks"]]
    lose_the_ledger(project)
    assert "1.1, 1.2 are ticked, but no passed sessions are on record" in project.cli("work", "--spec", "auth").stderr


def test_a_box_ticked_by_hand_does_not_hide_that_its_session_is_blocked(project: Project):
    prepare(project, signal("Alignment"), on_exhausted="block", max_iterations=1)
    project.write("specs/auth/tasks.md", "# Tasks\n\n- [ ] 1.1 Write the check\n")
    assert ExitCode.BLOCKED == tasks_of(project, "work", "--spec", "auth")[0]
    project.write("specs/auth/tasks.md", "# Tasks\n\n- [x] 1.1 Write the check\n")
    assert "1.1 is ticked, but its session auth-1.1 is blocked" in project.cli("work", "--spec", "auth").stderr


OWNED = ("specs/auth/.ralph-state.json", "specs/auth/.progress.md", "docs/prd.md", "workflow-state.json")

REFUSED = {
    "an unknown option": ("plan", "--name", "auth", "--nonsense"),
    "a folder that cannot be": ("plan", "x", "--name", "../up"),
    "an unknown task": ("work", "--spec", "auth", "9.9"),
    "an unknown time of review": ("work", "--spec", "auth", "--review", "sometimes"),
    "an unknown spec": ("work", "--spec", "other"),
    "a session that is over": ("resume", "auth-research", "--accept"),
    "a finding that is not there": ("resume", "auth-design", "--dismiss", "F99", "--why", "no"),
    "a wrong flag": ("run", "--prd", "docs/prd.md", "--max-iterations", "99"),
    "an option that is for documents": ("run", "--prd", "docs/prd.md", "--kind", "spec"),
    "an author that is not there": ("run", "--prd", "docs/prd.md", "--author", "nobody"),
}


def waiting_project(project: Project) -> dict[str, bytes]:
    """A plan that waits at its design, and what other tools own in it."""
    prepare(project)
    project.write("docs/prd.md", "---\nprd_id: export\ntitle: Export\nstatus: draft\n---\n\n# Export\n")
    project.write("workflow-state.json", '{"mine": 1}')
    for phase in PHASES[:2]:
        tasks_of(project, "plan", "Log people in", "--name", "auth")
        project.cli("resume", f"auth-{phase}", "--accept")
    tasks_of(project, "plan", "--name", "auth")
    project.write("specs/auth/tasks.md", "# Tasks\n\n- [ ] 1.1 Write the check\n")
    return owned(project)


def owned(project: Project) -> dict[str, bytes]:
    return {path: Path(project.root / path).read_bytes() for path in OWNED}


def test_a_refused_command_touches_no_file_of_other_tools(project: Project):
    before = waiting_project(project)
    for what, args in REFUSED.items():
        assert ExitCode.USAGE == project.cli(*args).exit_code, what
        assert before == owned(project), what


def test_an_invalid_configuration_touches_no_file_of_other_tools(project: Project):
    before = waiting_project(project)
    good = project.read("reviewloop.yml")
    for bad in (good + "nonsense: 1\n", good.replace("static_gate", "parallel_models: [a, b]\n  static_gate")):
        project.write("reviewloop.yml", bad)
        for args in (("plan", "--name", "auth"), ("work", "--spec", "auth"), ("resume", "auth-design", "--accept"), ("run", "--prd", "docs/prd.md")):  # fmt: skip
            assert ExitCode.USAGE == project.cli(*args).exit_code, args
            assert before == owned(project), args


def test_a_locked_session_is_left_alone_with_all_files_of_other_tools(project: Project):
    project.author(f'case "$REVIEWLOOP_SESSION" in auth-design*) {WAIT_FOR_GO};; esac\n{WRITE}')
    project.reviewer(signal())
    project.configure("profile: phases", static_gate="off")
    process = at_work(project, "plan", "Log people in", "--name", "auth", "--quick")
    try:
        before = {path: project.read(path) for path in OWNED[:2]}
        for args in (("plan", "--name", "auth"), ("resume", "auth-design", "--accept"), ("resume", "auth-design")):
            assert ExitCode.BLOCKED == project.cli(*args).exit_code, args
            assert before == {path: project.read(path) for path in OWNED[:2]}, args
    finally:
        go(project)
        process.wait(60)


def test_a_look_at_phases_that_are_done_does_not_take_the_state_back(project: Project):
    prepare(project)
    quick(project)
    state = '{"phase": "execution", "taskIndex": 1, "awaitingApproval": false, "mine": 1}'
    project.write("specs/auth/.ralph-state.json", state)
    assert ExitCode.PASSED == quick(project)[0]
    assert state == project.read("specs/auth/.ralph-state.json")
