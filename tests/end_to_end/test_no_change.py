"""An author that changed nothing and contested nothing ends the loop, in every profile and for every kind of work."""

from __future__ import annotations

import json
from typing import Any

import pytest

from project import Project, failing, passing
from reviewloop.errors import ExitCode

pytestmark = pytest.mark.slow

IDLE = 'echo "There is nothing to do."'


def idle(project: Project, author: str = IDLE, **review: Any) -> None:
    project.reviewer(failing("The CSV dialect is not said", section="Design"))
    project.author(author)
    project.configure(**review)


def test_the_reviewer_is_paid_once_and_the_report_says_what_to_do(project: Project):
    idle(project)
    result = project.cli("run", "spec.md")
    assert (ExitCode.BLOCKED, 1) == (result.exit_code, len(project.prompts("reviewer")))
    assert "spec: blocked" in result.stdout
    assert "author changed nothing and contested no finding" in result.stdout
    assert "Read the author's answer: reviewloop log spec --full" in result.stdout
    assert "There is nothing to do." in project.cli("log", "spec", "--full").stdout
    assert "no_change" == project.cli("status", "spec", "--json").session["reason"]


@pytest.mark.parametrize(
    ("on_exhausted", "outcome", "code"),
    [("warn", "passed_with_warnings", ExitCode.PASSED), ("escalate", "escalated", ExitCode.BLOCKED)],
)
def test_the_outcome_is_the_one_for_an_exhausted_loop(
    project: Project, on_exhausted: str, outcome: str, code: ExitCode
):
    idle(project, on_exhausted=on_exhausted)
    result = project.run()
    assert (code, outcome, 1) == (result.exit_code, result.session["outcome"], len(result.session["iterations"]))
    if on_exhausted == "warn":
        assert [
            "author changed nothing and contested no finding",
            "still open: The CSV dialect is not said",
            "still open: completeness scores 60, below its minimum of 70",
        ] == result.session["warnings"]


def test_a_retry_with_a_note_asks_the_author_first_and_tells_it_that_it_changed_nothing(project: Project):
    idle(project, '[ $N = 0 ] || echo "Dialect: RFC 4180." >> spec.md')
    project.reviewer(failing("The CSV dialect is not said", section="Design"), passing())
    assert "no_change" == project.run().session["reason"]
    assert ExitCode.PASSED == project.cli("resume", "spec", "--retry", "--note", "It is RFC 4180").exit_code
    assert 2 == len(project.prompts("reviewer")), "nobody read the same text again"
    told = project.prompts("author")[1]
    assert "It is RFC 4180" in told
    assert "You changed nothing and contested no finding. Address each finding, or contest it." in told
    assert project.read().endswith("Dialect: RFC 4180.\n")


def test_an_author_that_is_idle_in_place_leaves_no_snapshot_behind(project: Project):
    idle(project, workspace="in_place")
    assert "no_change" == project.run().session["reason"]
    assert [] == list((project.root / ".reviewloop/in-place").iterdir())
    project.write("spec.md", project.read() + "By hand.\n")
    assert "no_change" == project.cli("resume", "spec", "--retry", "--json").session["reason"]
    changes = [one["payload"]["changes"] for one in project.events() if one["type"].endswith("authored")]
    assert [[], []] == changes, "the edit by hand is not the author's"


def test_what_the_author_may_not_change_does_not_count_as_a_change(project: Project):
    idle(project, 'echo "x = 1" > app.py')
    session = project.run().session
    assert "no_change" == session["reason"]
    assert (
        "author changed nothing but app.py, which the author may not change, and contested no finding"
        == session["because"]
    )
    assert not (project.root / "app.py").exists()


def work(project: Project, tasks: str, dev: str = IDLE) -> tuple[int, dict[str, Any]]:
    project.agent("dev", dev)
    project.configure(f"tasks:\n  build: {{agent: dev, prompt: Build it{tasks}}}\n  ship: {{agent: dev, prompt: Ship it, depends_on: [build]}}")  # fmt: skip
    result = project.cli("work", "--json")
    return result.exit_code, {one["task"]: one for one in json.loads(result.stdout)["tasks"]}


def test_a_task_without_a_check_that_changed_nothing_waits_for_a_person_and_so_do_its_dependents(project: Project):
    code, tasks = work(project, "")
    assert (ExitCode.BLOCKED, "waiting", "escalated", "paused") == (
        code,
        tasks["build"]["state"],
        tasks["build"]["outcome"],
        tasks["ship"]["state"],
    )
    assert "dev changed nothing, and no check says that the task is done" == tasks["build"]["because"]
    assert "no_change" == project.cli("status", "build", "--json").session["reason"]
    assert "build" in project.cli("inbox").stdout


def test_a_person_can_accept_that_nothing_had_to_be_done(project: Project):
    work(project, "", f"case $REVIEWLOOP_SESSION in ship-*) echo 1 > shipped;; *) {IDLE};; esac")
    assert ExitCode.PASSED == project.cli("resume", "build", "--accept").exit_code
    assert "1\n" == project.read("shipped"), "the rest of the workflow goes on"
    assert "passed_with_warnings" == project.cli("status", "build", "--json").session["outcome"]


def test_a_person_can_have_the_task_done_again(project: Project):
    work(project, "", '[ $N -gt 0 ] && echo "$N" >> built || echo "Nothing to do."')
    result = project.cli("resume", "build", "--retry", "--note", "Write `built`.")
    assert (ExitCode.PASSED, "1\n2\n") == (result.exit_code, project.read("built"))
    assert "Write `built`." in project.prompts("dev")[1]


def test_outputs_that_were_there_are_no_check(project: Project):
    project.write("built.md", "# Built\n")
    code, tasks = work(project, ", outputs: built.md")
    assert (ExitCode.BLOCKED, "waiting") == (code, tasks["build"]["state"])


def test_a_spec_task_with_a_check_of_its_own_may_change_nothing(project: Project):
    project.agent("dev", IDLE)
    project.reviewer("REVIEW_PASS", name="critic")
    project.configure(author="dev", reviewer="critic")
    project.write("specs/x/tasks.md", "- [ ] 1.1 Look\n  - **Verify**: `true`\n- [ ] 1.2 Do\n")
    result = project.cli("work", "--spec", "x", "--json")
    tasks = {one["task"]: one for one in json.loads(result.stdout)["tasks"]}
    assert {"x-1.1": "done", "x-1.2": "waiting"} == {name: one["state"] for name, one in tasks.items()}
    assert "- [x] 1.1 Look\n  - **Verify**: `true`\n- [ ] 1.2 Do\n" == project.read("specs/x/tasks.md")
