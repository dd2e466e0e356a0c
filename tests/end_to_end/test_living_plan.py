"""003's living plan: the task table of a design document follows the loop."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from project import PYTHON, Project, failing, passing, says_go
from reviewloop.core.types.rubric import EXECUTION
from reviewloop.errors import ExitCode

pytestmark = pytest.mark.slow

PLAN = """\
# Export

Do not touch this: | # | Task | Status |

| # | Task | Status | Assignee | Spec | Quality | Fix Iterations | Note |
|---|------|--------|----------|------|---------|----------------|------|
| 1 | `build`: the endpoint | pending | impl-1 | — | — | — | first |
| 2 | Ship it | pending | impl-2 | — | — | — |  |

The end, without a line's end"""
GO = says_go("fine")
NO_GO = json.dumps({"decision": "NO_GO", "feedback": "no errors are handled"})
TASKS = """\
paths: {plan: docs/design.md}
tasks:
  build: {agent: dev, outputs: a.md, overlays: {agentic_review: {enabled: true, reviewer_agent: critic, max_iterations: 2}}}
  ship: {agent: dev, outputs: b.md, plan_row: 2, inputs: docs/design.md, overlays: {agentic_review: {enabled: true, reviewer_agent: critic}}}
"""
WORK = 'case $REVIEWLOOP_SESSION in build*) f=a.md;; *) f=b.md;; esac; echo "# Work $REVIEWLOOP_ITERATION" >> $f'


def row(project: Project, number: int, path: str = "docs/design.md") -> list[str]:
    line = next(line for line in project.read(path).splitlines() if line.startswith(f"| {number} |"))
    return [cell.strip() for cell in line.split("|")[1:-1]]


def cells(project: Project, number: int) -> str:
    """Status, Spec, Quality and Fix Iterations of a row."""
    found = row(project, number)
    return " ".join((found[2], found[4], found[5], found[6]))


def prepare(project: Project, *answers: str, text: str = TASKS, plan: str = PLAN, work: str = WORK) -> None:
    """`$TOLD/seen` keeps what the first row said whenever an agent was called."""
    project.write("docs/design.md", plan)
    seen = f'grep "^| 1 " "{project.root}/docs/design.md" | cut -d"|" -f4,6,7,8 | tr -d "| " >> "$TOLD/seen"\n'
    project.agent("dev", seen + work)
    project.reviewer(*answers, name="critic")
    last = len(answers) - 1
    project.agent("critic", f'{seen}[ $N -gt {last} ] && N={last}\ncat "{project.tools}/critic-answer-$N"')
    project.configure(text)


def test_003_the_row_follows_every_step_of_the_loop(project: Project):
    prepare(project, NO_GO, GO)
    assert ExitCode.PASSED == project.cli("work", "build", "-q").exit_code
    seen = (project.told / "seen").read_text().splitlines()
    assert ["in-progress——0", "in-progress——0", "review-fix-1❌→🔄❌→🔄1", "review-fix-1❌→🔄❌→🔄1"] == seen
    assert "complete ✅ ✅ 1" == cells(project, 1)


def test_003_whatever_else_is_in_the_document_stays_byte_for_byte(project: Project):
    prepare(project, GO)
    project.cli("work", "-q")
    changed = PLAN.replace("| pending | impl-1 | — | — | — | first |", "| complete | impl-1 | ✅ | ✅ | 0 | first |")
    assert changed.replace(
        "| pending | impl-2 | — | — | — |  |", "| complete | impl-2 | ✅ | ✅ | 0 |  |"
    ) == project.read("docs/design.md")


def test_003_a_task_that_cannot_be_fixed_is_escalated_and_an_answer_is_seen(project: Project):
    prepare(project, NO_GO)
    project.cli("work", "build", "-q")
    assert "escalated ❌ ❌ 1 (max)" == cells(project, 1)
    project.cli("resume", "build", "--accept", "-q")
    assert "complete ❌ ❌ 1" == cells(project, 1), "a person accepted what no reviewer passed"


def test_003_a_rejected_task_says_so(project: Project):
    prepare(project, NO_GO)
    project.cli("work", "build", "-q")
    project.cli("resume", "build", "--reject", "-q")
    assert "rejected ❌ ❌ 1" == cells(project, 1)


def finding(severity: str) -> dict[str, Any]:
    return {"severity": severity, "file": "spec.md", "line": 3, "description": "The export has no limit at all"}


def test_003_the_stages_of_a_panel_have_a_column_each(project: Project):
    good, bad = json.dumps({"verdict": "pass", "findings": []}), json.dumps({"verdict": "fail", "findings": [finding("critical")]})  # fmt: skip
    for name in ("a", "b"):
        project.agent(name, f"if [ $REVIEWLOOP_STAGE = spec ]; then echo '{good}'; else echo '{bad}'; fi")
    project.write("docs/design.md", PLAN)
    project.configure("profile: panel\npaths: {plan: docs/design.md}", parallel_models=["a", "b"], auto_reject=True)
    project.cli("run", "spec.md", "--name", "2", "-q")
    assert ["escalated", "✅", "❌"] == [row(project, 2)[at] for at in (2, 4, 5)]


def test_003_quality_says_nothing_when_the_spec_stage_failed(project: Project):
    bad = json.dumps({"verdict": "fail", "findings": [finding("critical")]})
    for name in ("a", "b"):
        project.agent(name, f"echo '{bad}'")
    project.write("docs/design.md", PLAN)
    project.configure("profile: panel\npaths: {plan: docs/design.md}", parallel_models=["a", "b"])
    project.cli("run", "spec.md", "--name", "2", "-q")
    assert ["escalated", "❌", "—"] == [row(project, 2)[at] for at in (2, 4, 5)]


def test_a_change_for_a_task_is_shown_in_the_tasks_row(project: Project):
    project.write("docs/design.md", PLAN)
    project.write("tasks.md", "- [ ] 1 The endpoint\n")
    project.reviewer(passing(score=dict.fromkeys(EXECUTION.names, 90)))
    project.configure("paths: {plan: docs/design.md}")
    for command in (["init", "-q"], ["add", "-A"], ["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "x"]):  # fmt: skip
        subprocess.run(["git", *command], cwd=project.root, check=True)
    project.write("code.py", "x = 1\n")
    project.cli("run", "--diff", "HEAD", "--task", "tasks.md#1", "--name", "endpoint", "-q")
    assert "complete" == row(project, 1)[2]


def test_a_plan_for_each_feature_is_found_by_its_name(project: Project):
    project.write("specs/auth/design.md", PLAN)
    project.agent("dev", "echo x > a.md")
    project.configure(
        "paths: {plan: 'specs/{name}/design.md'}\ntasks: {auth-2: {agent: dev, outputs: a.md}, other-2: {agent: dev, outputs: a.md}}"
    )
    project.cli("work", "auth-2", "-q")
    assert "complete" == row(project, 2, "specs/auth/design.md")[2]


def test_the_tasks_of_a_spec_are_shown_in_the_plan_beside_them(project: Project):
    project.write("specs/auth/design.md", PLAN)
    project.write("specs/auth/tasks.md", "# Tasks\n\n- [ ] 2 Ship it\n  - **Do**: ship\n  - **Verify**: `true`\n")
    project.agent("dev", "echo x > a.txt")
    project.configure("paths: {plan: 'specs/{name}/design.md'}\nexecution: {agent: dev}", static_gate="off")
    project.cli("work", "--spec", "auth", "-q")
    assert row(project, 2, "specs/auth/design.md")[2] in ("complete", "escalated")


def test_a_table_that_somebody_broke_is_left_alone_with_a_warning_that_names_the_line(project: Project):
    broken = PLAN.replace("| first |", "| first | one too many |")
    prepare(project, GO, plan=broken)
    result = project.cli("work", "-q")
    assert ExitCode.PASSED == result.exit_code
    assert "docs/design.md was not changed: line 7: this row has 9 cells, but the table has 8 columns" in result.stderr
    assert row(project, 1) == [cell.strip() for cell in broken.splitlines()[6].split("|")[1:-1]]
    project.write("docs/design.md", PLAN)
    project.cli("work", "-q")
    assert "complete ✅ ✅ 0" == cells(project, 1), "the next run catches up"


def test_a_row_that_the_configuration_names_and_nobody_finds_is_a_warning(project: Project):
    prepare(project, GO, plan=PLAN.replace("| 2 |", "| 3 |"))
    assert "its task table has no row 2" in project.cli("work", "-q").stderr


def test_the_plan_may_be_the_work_of_a_task_and_is_not_taken_for_changed(project: Project):
    text = """\
paths: {plan: docs/plan.md}
tasks:
  plan: {agent: dev, outputs: docs/plan.md, overlays: {agentic_review: {enabled: true, reviewer_agent: critic}}}
  build: {agent: dev, outputs: a.md, depends_on: plan, overlays: {agentic_review: {enabled: true, reviewer_agent: critic}}}
"""
    prepare(project, GO, text=text, work=f"cp docs/design.md docs/plan.md; {WORK}")
    project.cli("work", "-q")
    assert "complete" == row(project, 1, "docs/plan.md")[2]
    assert not json.loads(project.cli("status", "plan", "--json").stdout)["drifted"]
    project.write("docs/plan.md", project.read("docs/plan.md").replace("impl-2", "impl-3"))
    assert json.loads(project.cli("status", "plan", "--json").stdout)["drifted"], "an assignee is not ours to change"


def test_two_at_once_lose_none_of_each_others_cells_and_take_nobody_for_a_meddler(project: Project):
    """Both tasks have the plan as their input, and both change it while the other's reviewer is at work."""
    rows = "".join(f"| {n} | Task | pending | x | — | — | — |  |\n" for n in range(1, 9))
    plan = f"{PLAN.partition('| 1 |')[0]}{rows}"
    tasks = "".join(
        f"  t{n}: {{agent: dev, outputs: w{n}.md, plan_row: {n}, inputs: docs/design.md, "
        "overlays: {agentic_review: {enabled: true, reviewer_agent: critic}}}\n"
        for n in range(1, 9)
    )
    prepare(project, GO, text=f"paths: {{plan: docs/design.md}}\ntasks:\n{tasks}", plan=plan,
            work='n=${REVIEWLOOP_SESSION#t}; echo "# W" > "w${n%%-*}.md"; sleep 0.1')  # fmt: skip
    assert ExitCode.PASSED == project.cli("work", "--jobs", "8", "-q").exit_code
    assert ["complete ✅ ✅ 0"] * 8 == [cells(project, n) for n in range(1, 9)]
    assert "tampered" not in project.event_types()


@pytest.mark.slow
def test_two_processes_lose_none_of_each_others_cells(project: Project):
    project.write("docs/design.md", PLAN)
    project.reviewer(failing("one"), failing("two"), failing("three"), passing())
    project.author('echo "revised" >> "$REVIEWLOOP_ARTIFACT"; sleep 0.05')
    project.configure("paths: {plan: docs/design.md}", max_iterations=4)
    for name in ("one", "two"):
        project.write(f"{name}.md", project.read("spec.md"))
    command = [PYTHON, "-m", "reviewloop", "run", "-q"]
    both = [
        subprocess.Popen([*command, f"{name}.md", "--name", str(n)], cwd=project.root, stdout=subprocess.DEVNULL)
        for n, name in enumerate(("one", "two"), 1)
    ]
    assert all(process.wait(60) in (ExitCode.PASSED, ExitCode.BLOCKED) for process in both)
    for number in (1, 2):
        session = json.loads(project.cli("status", str(number), "--json").stdout)
        expected = "complete" if session["outcome"] == "passed" else "escalated"
        assert expected == row(project, number)[2]


def test_003_progress_shows_the_plan_and_the_summary(project: Project):
    prepare(project, GO)
    before = project.cli("progress").stdout
    assert "plan (docs/design.md)" in before
    assert "pending" in before
    project.cli("work", "-q")
    shown = project.cli("progress").stdout
    assert "plan (docs/design.md)" in shown
    assert "`build`: the endpoint" in shown
    assert "total reviews" in shown
    plan = json.loads(project.cli("progress", "--json").stdout)["plan"]
    assert [("1", "complete", "✅"), ("2", "complete", "✅")] == [
        (one["#"], one["Status"], one["Spec"]) for one in plan
    ]
