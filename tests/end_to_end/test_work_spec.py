"""002's execution flow through the command line: a spec's tasks, done, checked, reviewed and ticked."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest
from at_work import WAIT_FOR_GO, at_work, go

from project import Project
from reviewloop.errors import ExitCode

pytestmark = pytest.mark.slow

DIMENSIONS = ("Alignment", "Correctness", "Completeness", "No hallucinations")
TASKS = """\
---
spec: login
total_tasks: 7
---

# Tasks: login

## Phase 1: Make it work

- [x] 1.1 Set up the project
- [ ] 1.2 Write the check
  - **Do**:
    1. Read the name
    2. Refuse an empty one
  - **Files**: `login.py`
  - **Done when**: An empty name is refused
  - **Verify**: `cat login.py && grep -q 1.2 login.py`
  - **Commit**: `feat(login): check the name`
- [ ] 1.3 Say what was wrong
  - **Files**: `login.py`
  - **Verify**: `grep -q 1.3 login.py`

## Phase 2: Ship

- [ ] 2.1 Greet
  - **Files**: `login.py`
  - **Verify**: `grep -q 2.1 login.py`
"""
# The agent knows its task by its session, and writes its number down.
DEV = """\
number=$(echo "$REVIEWLOOP_SESSION" | sed 's/^login-//; s/-2[0-9]*-.*//')
echo "$number $REVIEWLOOP_ITERATION" >> login.py
echo "$number $REVIEWLOOP_ITERATION" >> "$TOLD/calls"
"""


def signal(*failed: str, finding: str = "") -> str:
    rows = [
        f"| {n} | {one} | {'FAIL' if one in failed else 'PASS'} | {(finding or f'{one} is off') if one in failed else 'fine'} |"
        for n, one in enumerate(DIMENSIONS, 1)
    ]
    table = "\n".join(["| # | Dimension | Status | Finding |", "|---|---|---|---|", *rows])
    return f"### Findings\n{table}\n\nREVIEW_{'FAIL' if failed else 'PASS'}\n"


def prepare(project: Project, *answers: str, dev: str = DEV, tasks: str = TASKS, text: str = "") -> None:
    project.author(dev)
    project.reviewer(*(answers or (signal(),)))
    project.configure(text)
    project.write("specs/login/tasks.md", tasks)
    project.write("specs/login/requirements.md", "# Requirements\n\n- FR-1: People log in with a name.\n")
    project.write("specs/login/design.md", "# Design\n\nThe checker refuses what is empty.\n")


def work(project: Project, *args: str) -> tuple[int, dict[str, dict[str, Any]]]:
    result = project.cli("work", "--spec", "login", *args, "--json")
    assert result.stdout, result.stderr
    return result.exit_code, {one["task"]: one for one in json.loads(result.stdout)["tasks"]}


def states(tasks: dict[str, dict[str, Any]]) -> dict[str, str]:
    return {name.removeprefix("login-"): task["state"] for name, task in tasks.items()}


def calls(project: Project) -> list[str]:
    return (project.told / "calls").read_text().splitlines()


def boxes(project: Project) -> list[str]:
    return [line[:11].strip() for line in project.read("specs/login/tasks.md").splitlines() if line.startswith("- [")]


def test_the_open_tasks_are_done_in_order_and_ticked_and_nothing_else_changes(project: Project):
    prepare(project)
    code, tasks = work(project)
    assert (ExitCode.PASSED, {"1.2": "done", "1.3": "done", "2.1": "done"}) == (code, states(tasks)), tasks
    assert ["1.2 0", "1.3 0", "2.1 0"] == calls(project)
    assert TASKS.replace("- [ ]", "- [x]") == project.read("specs/login/tasks.md")
    assert (ExitCode.PASSED, {}) == work(project)
    assert 3 == len(calls(project))


def test_the_reviewer_is_told_the_task_the_spec_the_real_change_and_what_verify_printed(project: Project):
    project.write("constitution.md", "# Constitution\n\n## Standards\n\n- Every error has a code.\n")
    prepare(project)
    project.cli("work", "--spec", "login", "1.2")
    (told,) = project.prompts("reviewer")
    for expected in (
        "1.2 Write the check", "- An empty name is refused", "People log in with a name", "refuses what is empty",
        "+1.2 0", "Every error has a code", "**no_hallucinations**",
        "`cat login.py && grep -q 1.2 login.py` exits with 0", "output\n1.2 0\nEND",
    ):  # fmt: skip
        assert expected in told, expected
    (author,) = project.prompts("author")
    for expected in (
        "2. Refuse an empty one",
        "An empty name is refused",
        "Every error has a code",
        "`specs/login/design.md`",
    ):
        assert expected in author, expected


def test_a_verify_that_fails_goes_to_the_author_at_once_and_no_reviewer_is_paid(project: Project):
    prepare(project, dev='[ "$REVIEWLOOP_ITERATION" = 0 ] && echo nothing > login.py || echo 1.2 > login.py')
    code, tasks = work(project, "1.2")
    assert (ExitCode.PASSED, "done", 1) == (code, tasks["login-1.2"]["state"], tasks["login-1.2"]["iterations"])
    told = project.prompts("author")[1]
    assert (
        "Verify command fails: `cat login.py && grep -q 1.2 login.py` exits with 1" in told,
        "output\nnothing\n" in told,
    ) == (True, True)
    assert 1 == len(project.prompts("reviewer")), "only what passes its own check is reviewed"
    kept = [event["payload"]["verified"] for event in project.events() if event["type"].endswith(".checked")]
    assert [(1, "nothing\n"), (0, "1.2\n")] == [(one["exit_code"], one["output"]) for one in kept]


def test_work_whose_verify_never_succeeds_is_not_done_whatever_the_profile_says(project: Project):
    prepare(project, dev="echo nothing >> login.py")
    code, tasks = work(project)
    assert (ExitCode.BLOCKED, {"1.2": "waiting", "1.3": "paused", "2.1": "paused"}) == (code, states(tasks))
    assert (
        "still failing after 3 attempts: `cat login.py && grep -q 1.2 login.py` exits with 1"
        == tasks["login-1.2"]["because"]
    )
    assert (3, 0) == (len(project.prompts("author")), len(project.prompts("reviewer")))
    assert TASKS == project.read("specs/login/tasks.md")
    assert "last output of the check\n  nothing\n" in project.cli("inbox", "show", "login-1.2").stdout


def test_a_verify_that_hangs_is_ended(project: Project):
    tasks = TASKS.replace("`grep -q 1.3 login.py`", "`echo started; sleep 600`")
    prepare(project, tasks=tasks, text="execution: {verify_timeout: 1}")
    code, reports = work(project, "1.3")
    assert ExitCode.BLOCKED == code
    assert "did not finish within 1 s" in reports["login-1.3"]["because"]
    assert "output\nstarted\n" in project.prompts("author")[1]


def test_a_check_that_needs_no_change_is_done_without_a_review(project: Project):
    prepare(project, dev="true", tasks="- [ ] 1.1 [VERIFY] Check point\n  - **Verify**: `test -e spec.md`\n")
    code, tasks = work(project)
    assert (ExitCode.PASSED, "no file changed, and `test -e spec.md` exits with 0") == (
        code, tasks["login-1.1"]["because"],
    )  # fmt: skip
    assert [] == project.prompts("reviewer")


def test_what_the_reviewer_finds_is_revised_by_the_same_agent_and_earlier_findings_are_told(project: Project):
    prepare(project, signal("Correctness", finding="line 1 has no code"), signal())
    code, tasks = work(project, "1.2")
    assert (ExitCode.PASSED, 2) == (code, tasks["login-1.2"]["iterations"])
    assert ["1.2 0", "1.2 1"] == calls(project)
    assert "line 1 has no code" in project.prompts("author")[1]
    assert "line 1 has no code" in project.prompts("reviewer")[1].partition("Open findings of earlier iterations")[2]


def test_after_three_failed_reviews_the_task_is_accepted_with_warnings_and_a_fix_task_follows_it(project: Project):
    failing = signal("Correctness", finding="errors have no code")
    prepare(project, failing, failing, failing, signal())
    code, tasks = work(project, "1.2")
    assert (ExitCode.PASSED, "passed_with_warnings") == (code, tasks["login-1.2"]["outcome"])
    text = project.read("specs/login/tasks.md")
    before, after = text.split("- [ ] 1.2.1")
    fix, _, rest = after.partition("- [ ] 1.3")
    assert (TASKS.replace("- [ ] 1.2", "- [x] 1.2")) == f"{before}- [ ] 1.3{rest}"
    assert (
        """\
 [FIX 1.2] Fix: errors have no code
  - **Do**: Fix the open review findings on 1.2
    1. errors have no code
  - **Files**: `login.py`
  - **Done when**: A review reports none of these findings
  - **Verify**: `cat login.py && grep -q 1.2 login.py`
  - **Commit**: `fix(login): resolve review findings on 1.2`
"""
        == fix
    )
    code, tasks = work(project)
    assert (ExitCode.PASSED, ["1.2.1", "1.3", "2.1"]) == (code, list(states(tasks)))
    assert boxes(project) == ["- [x] 1.1 S", "- [x] 1.2 W", "- [x] 1.2.1", "- [x] 1.3 S", "- [x] 2.1 G"]


@pytest.mark.slow
def test_what_a_fix_leaves_open_and_what_is_wrong_in_the_spec_is_suggested_to_people(project: Project):
    project.write("specs/login/.progress.md", "# Progress\n\n## Learnings\n\n- Old.\n\n## Next\n\nGo on.\n")
    prepare(project, signal("Correctness", finding="errors have no code"))
    code, tasks = work(project)
    assert (ExitCode.PASSED, ["1.2", "1.2.1", "1.3", "1.3.1", "2.1", "2.1.1"]) == (code, list(states(tasks)))
    text = project.read("specs/login/.progress.md")
    assert text.startswith("# Progress\n\n## Learnings\n\n- Old.\n")
    suggested = text.partition("## Review Suggestions")[2]
    assert ["### Task 1.2.1", "### Task 1.3.1", "### Task 2.1.1"] == [
        line for line in suggested.splitlines() if line.startswith("###")
    ]
    assert 3 == suggested.count("- errors have no code\n")


def test_a_reviewer_without_a_signal_lets_the_work_proceed_with_a_warning(project: Project):
    prepare(project, "Looks good to me.")
    code, tasks = work(project, "1.2")
    assert (ExitCode.PASSED, "passed_with_warnings") == (code, tasks["login-1.2"]["outcome"])
    assert "no verdict" in tasks["login-1.2"]["warnings"][-1]
    assert "- [ ] 1.2.1" not in project.read("specs/login/tasks.md")


def test_a_reviewer_that_hangs_lets_the_work_proceed_with_a_warning(project: Project):
    prepare(project)
    project.agent("reviewer", "sleep 600", timeout=1)
    project.configure()
    code, tasks = work(project, "1.2")
    assert (ExitCode.PASSED, "passed_with_warnings") == (code, tasks["login-1.2"]["outcome"])


def test_an_agent_that_fails_its_revision_is_asked_once_more_and_then_the_original_stays(project: Project):
    prepare(project, signal("Correctness"), dev=DEV + '[ "$REVIEWLOOP_ITERATION" = 0 ] || exit 3')
    code, tasks = work(project, "1.2")
    assert (ExitCode.PASSED, "passed_with_warnings") == (code, tasks["login-1.2"]["outcome"])
    assert "kept the version before this fix" in tasks["login-1.2"]["warnings"]
    assert (["1.2 0", "1.2 1", "1.2 1"], "1.2 0\n") == (calls(project), project.read("login.py"))


def test_an_agent_that_does_not_do_its_task_stops_the_spec_and_a_persons_note_goes_on_with_all_of_it(project: Project):
    prepare(project, dev='grep -q "use the form" "$TOLD/author-$N.txt" || [ "$N" -gt 2 ] || exit 3\n' + DEV)
    code, tasks = work(project)
    assert (ExitCode.BLOCKED, {"1.2": "waiting", "1.3": "paused", "2.1": "paused"}) == (code, states(tasks))
    result = project.cli("resume", "login-1.2", "--retry", "--note", "use the form", "--json")
    assert ExitCode.PASSED == result.exit_code, result.stderr
    assert "passed" == result.session["outcome"]
    assert [("login-1.2", "done"), ("login-1.3", "done"), ("login-2.1", "done")] == [
        (one["task"], one["state"]) for one in result.session["workflow"]
    ]
    assert "use the form" in project.prompts("reviewer")[0]
    assert TASKS.replace("- [ ]", "- [x]") == project.read("specs/login/tasks.md")


def test_only_what_was_asked_for_is_run_also_after_an_answer(project: Project):
    prepare(project, dev='grep -q "go" "$TOLD/author-$N.txt" || exit 3\n' + DEV)
    work(project, "1.3")
    result = project.cli("resume", "login-1.3", "--retry", "--note", "go", "--json")
    assert [("login-1.3", "done")] == [(one["task"], one["state"]) for one in result.session["workflow"]]
    assert ["- [x] 1.1 S", "- [ ] 1.2 W", "- [x] 1.3 S", "- [ ] 2.1 G"] == boxes(project)


def test_a_phase_is_reviewed_as_a_whole(project: Project):
    prepare(project)
    code, tasks = work(project, "--review", "phase")
    assert (ExitCode.PASSED, ["1.2", "1.3", "review-1.3", "2.1", "review-2.1"]) == (code, list(states(tasks)))
    first, second = project.prompts("reviewer")
    assert ("+1.2 0\n+1.3 0" in first, "1.2 Write the check" in first, "1.3 Say what was wrong" in first) == (True,) * 3
    assert ("+2.1 0" in second, "+1.3 0" in second) == (True, False)


def test_every_so_many_tasks_are_reviewed_and_the_rest_at_the_end(project: Project):
    prepare(project, text='execution: {review: "every 2"}')
    assert ["1.2", "1.3", "review-1.3", "2.1", "review-2.1"] == list(states(work(project)[1]))


def test_the_final_review_finds_what_an_earlier_run_left_unreviewed(project: Project):
    prepare(project, signal("Alignment", finding="it greets too early"), signal())
    assert ["1.2", "review-1.2"] == list(states(work(project, "1.2", "--review", "final")[1]))
    assert ["1.2 0", "review-1.2 1"] == calls(project)
    code, tasks = work(project, "--review", "final")
    assert (ExitCode.PASSED, ["1.3", "2.1", "review-2.1"]) == (code, list(states(tasks)))


def test_what_a_review_of_a_phase_left_open_becomes_a_task_once_and_stays_away_if_somebody_deletes_it(project: Project):
    prepare(project, *[signal("Correctness", finding="errors have no code")] * 3, signal())
    code, tasks = work(project, "1.2", "--review", "phase")
    assert (ExitCode.PASSED, ["1.2", "review-1.2"]) == (code, list(states(tasks)))
    assert ["- [x] 1.1 S", "- [x] 1.2 W", "- [ ] 1.2.1", "- [ ] 1.3 S", "- [ ] 2.1 G"] == boxes(project)
    project.write("specs/login/tasks.md", TASKS.replace("- [ ] 1.2", "- [x] 1.2"))
    code, tasks = work(project, "--review", "phase")
    assert (ExitCode.PASSED, ["1.3", "review-1.3", "2.1", "review-2.1"]) == (code, list(states(tasks)))
    assert TASKS.replace("- [ ]", "- [x]") == project.read("specs/login/tasks.md")


def test_what_a_review_left_open_that_a_person_sent_back_becomes_a_task_too(project: Project):
    mess = 'case "$number" in review*) touch mess;; esac\ngrep -q "tidy up" "$TOLD/author-$N.txt" && rm -f mess; true'
    prepare(
        project,
        signal("Correctness", finding="errors have no code"),
        dev=DEV + mess,
        tasks="- [ ] 1.1 Write\n  - **Verify**: `test ! -e mess`\n",
    )
    assert (ExitCode.BLOCKED, {"1.1": "done", "review-1.1": "waiting"}) == (
        (done := work(project, "--review", "final"))[0],
        states(done[1]),
    )
    result = project.cli("resume", "login-review-1.1", "--retry", "--note", "tidy up", "--json")
    assert "passed_with_warnings" == result.session["outcome"]
    assert ["login-1.1.1", "login-review-1.1.1"] == [one["task"] for one in result.session["workflow"]]
    assert ["- [x] 1.1 W", "- [x] 1.1.1"] == boxes(project)


def test_the_state_of_other_tools_is_merged_into(project: Project):
    prepare(project)
    project.write("specs/login/.ralph-state.json", '{"name": "login", "taskIndex": 1, "fixTaskMap": {"1.1": 2}}')
    work(project, "1.2")
    state = json.loads(project.read("specs/login/.ralph-state.json"))
    assert {
        "name": "login", "taskIndex": 2, "fixTaskMap": {"1.1": 2}, "phase": "execution", "awaitingApproval": False, "totalTasks": 4,
    } == state  # fmt: skip
    assert "### Review: execution (Iteration 1)" in project.read("specs/login/.progress.md")


def test_kiros_tasks_have_parts_and_the_last_part_finishes_the_whole(project: Project):
    tasks = "# Plan\n\n- [ ] 1. Build\n  - [ ] 1.1 Write it\n    - _Requirements: 1.1_\n  - [x] 1.2 Test it\n- [ ]* 2. Polish\n"
    prepare(project)
    project.write(".kiro/specs/form/tasks.md", tasks)
    result = project.cli("work", "--spec", "form", "--json")
    assert ["form-1.1", "form-2"] == [one["task"] for one in json.loads(result.stdout)["tasks"]]
    assert tasks.replace("[ ]", "[x]") == project.read(".kiro/specs/form/tasks.md")


CHOO = '---\ntask: {number}\nstatus: {status}  # by hand\nbackpressure: "grep -q {number} login.py"\ndepends_on: [{needs}]\n---\n\n# Step {number}\n'


def test_task_files_are_done_in_the_order_of_their_dependencies(project: Project):
    prepare(
        project,
        dev='number=$(echo "$REVIEWLOOP_SESSION" | cut -d- -f2); echo "$number" >> login.py; echo "$number" >> "$TOLD/calls"',
    )
    project.write("specs/AUTH.md", "# Auth\n\nThe whole spec.\n")
    files = {
        "01-last": (1, "pending", 2),
        "02-first": (2, "in_progress", 3),
        "03-done": (3, "complete", ""),
        "04-lost": (4, "pending", 9),
    }
    for name, (number, status, needs) in files.items():
        project.write(f"specs/tasks/auth/{name}.md", CHOO.format(number=number, status=status, needs=needs))
    project.write("specs/tasks/auth/IMPLEMENTATION_PLAN.md", "---\nunit: auth\n---\n\n# Plan\n")
    result = project.cli("work", "--spec", "auth", "--json")
    found = {one["task"]: one["state"] for one in json.loads(result.stdout)["tasks"]}
    assert {"auth-2": "done", "auth-1": "done", "auth-4": "paused"} == found
    assert ["2", "1"] == calls(project)
    assert "04-lost.md:2: task 4 needs 9, which does not exist" in result.stderr
    assert CHOO.format(number=1, status="complete", needs=2) == project.read("specs/tasks/auth/01-last.md")
    assert "The whole spec." in project.prompts("reviewer")[0]


def test_a_list_without_numbers_is_done_section_by_section_and_gets_no_fix_task(project: Project):
    tasks = "## Reading\n\n- [ ] Read the header\n  - all of it\n- [x] Refuse an empty file\n\n## Writing\n\n- [ ] Write it\n"
    prepare(project, signal("Alignment", finding="not as the delta says"), dev='echo "$REVIEWLOOP_SESSION" >> login.py')
    project.write("openspec/changes/io/tasks.md", tasks)
    project.write("openspec/changes/io/specs/csv/spec.md", "# Delta\n\n## ADDED Requirements\n\n### Requirement: CSV\n")
    result = project.cli("work", "--spec", "io", "--json")
    assert ["io-1.1", "io-2.1"] == [one["task"] for one in json.loads(result.stdout)["tasks"]]
    assert tasks.replace("[ ]", "[x]") == project.read("openspec/changes/io/tasks.md")
    assert "### Requirement: CSV" in project.prompts("reviewer")[0]
    assert "still open in 1.1: not as the delta says" in result.stderr


def test_a_messy_list_is_worked_on_as_far_as_it_is_understood(project: Project):
    tasks = (
        "# Tasks\r\n\r\n- [ ] 1.1 One\r\n\t- [ ] a step\r\n  ```\r\n  - [ ] 9.9 no task\r\n  ```\r\n"
        "* [ ] 1.1 One again\r\n- [ ] no number\r\n- [-] 1.2 Begun"
    )
    prepare(project)
    (project.root / "specs/login/tasks.md").write_bytes(tasks.encode())
    code, reports = work(project)
    assert (ExitCode.PASSED, ["1.1", "1.1~2", "1.2"]) == (code, list(states(reports)))
    expected = tasks.replace("- [ ] 1.1", "- [x] 1.1").replace("* [ ]", "* [x]").replace("[-]", "[x]")
    assert expected.encode() == (project.root / "specs/login/tasks.md").read_bytes()
    said = project.cli("work", "--spec", "login").stderr
    assert "specs/login/tasks.md:8: task 1.1 is already on line 3" in said
    assert "specs/login/tasks.md:9: this checkbox has no task number and is ignored" in said


def test_a_task_that_says_something_else_now_is_another_task(project: Project):
    prepare(project)
    work(project, "1.2")
    project.write("specs/login/tasks.md", "- [ ] 1.2 Something new\n")
    assert {"1.2": "done"} == states(work(project)[1])
    assert ["1.2 0", "1.2 0"] == calls(project)


def test_a_task_is_done_again_only_if_asked_for(project: Project):
    prepare(project)
    work(project, "1.2")
    project.write("specs/login/tasks.md", TASKS)
    assert {"1.2": "done"} == states(work(project, "1.2")[1]), "the ledger knows"
    assert (["1.2 0"], "- [x] 1.2 W") == (calls(project), boxes(project)[1])
    work(project, "1.2", "--fresh", "1.2")
    assert ["1.2 0", "1.2 0"] == calls(project)


def test_the_agent_cannot_tick_its_own_box(project: Project):
    prepare(project, dev=DEV + "sed -i 's/\\[ \\]/[x]/' specs/login/tasks.md")
    work(project, "1.2")
    assert TASKS.replace("- [ ] 1.2", "- [x] 1.2") == project.read("specs/login/tasks.md")


def test_what_the_user_had_not_committed_is_worked_on_and_never_lost(project: Project):
    prepare(project)
    subprocess.run(["git", "init", "-q"], cwd=project.root, check=True)
    project.write("login.py", "mine\n")
    project.write("notes.txt", "mine too\n")
    work(project, "1.2")
    assert ("mine\n1.2 0\n", "mine too\n") == (project.read("login.py"), project.read("notes.txt"))


def test_what_the_user_changes_meanwhile_is_kept_and_a_person_decides(project: Project):
    prepare(project, dev=WAIT_FOR_GO + DEV)
    first = at_work(project, "work", "--spec", "login")
    project.write("login.py", "mine\n")
    go(project)
    assert ExitCode.BLOCKED == first.wait(timeout=60)
    assert ("mine\n", TASKS) == (project.read("login.py"), project.read("specs/login/tasks.md"))
    code, tasks = work(project)
    assert (ExitCode.BLOCKED, "waiting") == (code, tasks["login-1.2"]["state"])
    assert "login.py changed while the author worked" in tasks["login-1.2"]["because"]


@pytest.mark.slow
def test_the_second_of_two_runs_says_who_holds_the_spec(project: Project):
    prepare(project, dev=WAIT_FOR_GO + DEV)
    first = at_work(project, "work", "--spec", "login")
    try:
        second = project.cli("work", "--spec", "specs/login")
    finally:
        go(project)
        assert 0 == first.wait(timeout=60)
    assert ExitCode.BLOCKED == second.exit_code
    assert f"error: the spec login is being worked on by pid {first.pid}" in second.stderr


@pytest.mark.slow
def test_a_killed_run_goes_on_and_repeats_no_finished_task(project: Project):
    prepare(
        project, dev=DEV + '[ "$number" = 1.3 ] && [ ! -e "$TOLD/at-work" ] && touch "$TOLD/at-work" && sleep 30; true'
    )
    first = at_work(project, "work", "--spec", "login")
    first.kill()
    first.wait(timeout=60)
    assert ["- [x] 1.1 S", "- [x] 1.2 W", "- [ ] 1.3 S", "- [ ] 2.1 G"] == boxes(project)
    code, tasks = work(project)
    assert (ExitCode.PASSED, ["1.3", "2.1"]) == (code, list(states(tasks)))
    assert ["1.2 0", "1.3 0", "1.3 0", "2.1 0"] == calls(project)


def test_mistakes_are_told_before_anything_runs(project: Project):
    prepare(project)
    for arguments, expected in {
        ("--spec", "logn"): "spec `logn` not found\nhint: did you mean login?",
        ("--spec", "login", "1.9"): "has no task 1.9 that can be done",
        ("--spec", "login", "--review", "sometimes"): '--review must be every, phase, "every N" or final',
        ("--spec", "login", "--jobs", "2"): "one after the other",
        ("--review", "phase"): "add --spec NAME",
    }.items():
        result = project.cli("work", *arguments)
        assert (ExitCode.USAGE, True) == (result.exit_code, expected in result.stderr), (arguments, result.stderr)
    project.write("specs/login/tasks.md", "# Tasks\n\nNone yet.\n")
    assert "specs/login/tasks.md has no tasks" in project.cli("work", "--spec", "login").stderr


def test_without_anybody_to_do_the_tasks_nothing_is_begun(project: Project):
    project.write("specs/login/tasks.md", TASKS)
    project.configure()
    result = project.cli("work", "--spec", "login")
    assert (ExitCode.USAGE, True) == (result.exit_code, "no agent is configured to do the tasks" in result.stderr)
