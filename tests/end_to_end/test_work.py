"""004's scenarios through the workflow file: tasks, their agents, and the overlay that reviews their work."""

from __future__ import annotations

import json
from typing import Any

import pytest
from at_work import WAIT_FOR_GO, at_work, go

from project import Project, says_go
from reviewloop.errors import ExitCode

pytestmark = pytest.mark.slow

GO = says_go()
WRITE = 'mkdir -p docs; if [ "$REVIEWLOOP_ITERATION" = 0 ]; then echo "# Auth" > docs/auth.md; else echo "Fix $N." >> docs/auth.md; fi'
OVERLAY = "overlays: {agentic_review: {enabled: true, coder_agent: dev, reviewer_agent: critic%s}}"
LOG = ".ai-sdd/state/review-logs/implement.json"


def no_go(feedback: str = "missing error handling on auth flow") -> str:
    return json.dumps({"decision": "NO_GO", "feedback": feedback})


def implement(extra: str = "", overlay: str = "", outputs: str = "docs/auth.md") -> str:
    return f"""\
tasks:
  implement:
    agent: dev
    prompt: Describe the auth flow.
    outputs: {outputs}
    acceptance_criteria: [Every error has a code]
    {OVERLAY % overlay}
{extra}"""


def prepare(project: Project, *answers: str, tasks: str = "", dev: str = WRITE) -> None:
    project.agent("dev", dev)
    project.reviewer(*(answers or (GO,)), name="critic")
    project.configure(tasks or implement())


def work(project: Project, *args: str) -> tuple[int, dict[str, dict[str, Any]]]:
    result = project.cli("work", *args, "--json")
    assert result.stdout, result.stderr
    return result.exit_code, {one["task"]: one for one in json.loads(result.stdout)["tasks"]}


def states(tasks: dict[str, dict[str, Any]]) -> dict[str, str]:
    return {name: task["state"] for name, task in tasks.items()}


def test_004_reviewer_issues_go(project: Project):
    prepare(project)
    code, tasks = work(project)
    assert (ExitCode.PASSED, "done", "passed") == (code, tasks["implement"]["state"], tasks["implement"]["outcome"])
    assert "# Auth\n" == project.read("docs/auth.md")
    log = json.loads(project.read(LOG))
    assert ("implement", "GO", "dev", "critic") == (
        log["task_id"], log["final_decision"], log["iterations"][0]["coder_agent"], log["iterations"][0]["reviewer_agent"],
    )  # fmt: skip
    assert log["iterations"][0]["digest"] == tasks["implement"]["digest"], "what was approved is locked by its digest"
    told = project.prompts("dev")[0]
    assert "Describe the auth flow." in told
    assert "Every error has a code" in told
    assert "`docs/auth.md`" in told


def test_004_no_go_feedback_is_injected_into_the_coders_context(project: Project):
    prepare(project, no_go(), GO)
    code, tasks = work(project)
    assert (ExitCode.PASSED, 2) == (code, tasks["implement"]["iterations"])
    assert ["missing error handling on auth flow" in told for told in project.prompts("dev")] == [False, True]
    assert "missing error handling on auth flow" in project.prompts("critic")[1], "the reviewer hears its own history"
    told = [*project.prompts("dev"), *project.prompts("critic")]
    assert [True] * 4 == ["Describe the auth flow." in one and "Every error has a code" in one for one in told]
    assert "# Auth\nFix 1.\n" == project.read("docs/auth.md")


def test_004_loop_exits_on_max_iterations_and_the_task_pauses_for_a_person(project: Project):
    answers = [no_go(text) for text in ("no error handling", "the retry has no limit", "names are inconsistent")]
    prepare(project, *answers, tasks=implement("  ship: {agent: dev, depends_on: [implement], outputs: docs/ship.md}"))
    code, tasks = work(project)
    assert (ExitCode.BLOCKED, {"implement": "waiting", "ship": "paused"}) == (code, states(tasks))
    assert (["implement"], "it needs implement") == (tasks["ship"]["paused_by"], tasks["ship"]["because"])
    [item] = json.loads(project.cli("inbox", "--json").stdout)
    assert ("implement", ["NO_GO"] * 3) == (item["task_id"], [one["decision"] for one in item["history"]])
    assert "no error handling" == item["history"][0]["feedback"]


def test_004_review_decisions_are_auditable(project: Project):
    prepare(project, no_go(), GO)
    work(project)
    log = json.loads(project.cli("log", "implement", "--json").stdout)
    assert [(1, "NO_GO"), (2, "GO")] == [(one["iteration"], one["decision"]) for one in log["iterations"]]
    assert all(one["feedback"] and one["timestamp"] for one in log["iterations"])
    assert ("GO", True) == (log["final_decision"], bool(log["completed_at"]))


def test_004_quality_guidelines_come_from_the_constitution(project: Project):
    project.write("constitution.md", "# Constitution\n\n## Standards\n\n- No global state.\n\n## Other\n\nNot this.\n")
    prepare(project)
    work(project)
    told = project.prompts("critic")[0]
    assert ("- No global state." in told, "Every error has a code" in told, "Not this." in told) == (True, True, False)
    assert "- No global state." in project.prompts("dev")[0], "the coder is told the same"


def test_004_without_the_overlay_the_task_runs_with_its_one_agent(project: Project):
    prepare(project, tasks="tasks: {implement: {agent: dev, outputs: docs/auth.md}}")
    code, tasks = work(project)
    assert (ExitCode.PASSED, "passed_with_warnings", 0) == (
        code, tasks["implement"]["outcome"], tasks["implement"]["iterations"],
    )  # fmt: skip
    assert ["not reviewed: this task has no review"] == tasks["implement"]["warnings"]
    assert (1, []) == (len(project.prompts("dev")), project.prompts("critic"))
    assert "# Auth\n" == project.read("docs/auth.md")


def test_004_feedback_notes_standards_upstream_and_earlier_findings_reach_the_right_prompts(project: Project):
    project.write("constitution.md", "# Constitution\n\n## Standards\n\n- No global state.\n")
    project.write("docs/flow.md", "# Flow\n\nTokens expire after an hour.\n")
    answers = [no_go("no error handling"), no_go("the retry has no limit"), GO]
    prepare(project, *answers, tasks=implement("    inputs: docs/flow.md", overlay=", max_iterations: 2"))
    assert ExitCode.BLOCKED == work(project)[0]
    assert ExitCode.PASSED == project.cli("resume", "implement", "--note", "three tries at most", "-q").exit_code
    first, fix, after_note = project.prompts("dev")
    review, again, last = project.prompts("critic")
    told = (first, fix, after_note, review, again, last)
    assert [True] * 6 == ["- No global state." in one for one in told]
    assert [False, True, False] == ["no error handling" in one for one in (first, fix, after_note)]
    assert [False, True, True] == ["no error handling" in one for one in (review, again, last)]
    assert "the retry has no limit" in after_note
    assert [False, False, True] * 2 == ["three tries at most" in one for one in told]
    assert [True] * 3 == ["Tokens expire after an hour." in one for one in (review, again, last)]
    assert "`docs/flow.md`" in first


def test_a_task_without_outputs_is_reviewed_by_the_change_it_made(project: Project):
    dev = 'if [ "$REVIEWLOOP_ITERATION" = 0 ]; then mkdir -p src; echo "def login(): pass" > src/auth.py; echo more >> spec.md; else echo "# fixed" >> src/auth.py; fi'
    prepare(project, no_go(), GO, tasks=f"tasks: {{implement: {{agent: dev, {OVERLAY % ''}}}}}", dev=dev)
    project.write("mine.txt", "not a part of it")
    code, _ = work(project)
    first, second = project.prompts("critic")
    assert ExitCode.PASSED == code
    assert ("+def login(): pass" in first, "+more" in first, "not a part of it" in first) == (True, True, False)
    assert "+# fixed" in second
    assert "def login(): pass\n# fixed\n" == project.read("src/auth.py")


def test_an_agent_may_write_what_the_task_names_and_nothing_else(project: Project):
    prepare(project, dev=f"{WRITE}; echo gone > spec.md")
    before = project.read("spec.md")
    code, _ = work(project)
    assert (ExitCode.PASSED, before) == (code, project.read("spec.md"))


def test_an_agent_that_does_not_deliver_waits_for_a_person_and_can_be_sent_back(project: Project):
    prepare(project, dev=f'[ "$N" = 0 ] && exit 0\n{WRITE}')
    code, tasks = work(project)
    assert (ExitCode.BLOCKED, "the author failed: dev did not write docs/auth.md") == (
        code, tasks["implement"]["because"],
    )  # fmt: skip
    assert (ExitCode.BLOCKED, ["waiting"]) == (work(project)[0], list(states(work(project)[1]).values()))
    assert 1 == len(project.prompts("dev")), "nobody is asked again before a person says so"
    result = project.cli("resume", "implement", "--retry", "--note", "the file is docs/auth.md", "--json")
    assert (ExitCode.PASSED, "passed") == (result.exit_code, result.session["outcome"])
    assert "the file is docs/auth.md" in project.prompts("dev")[1]
    assert "Every error has a code" in project.prompts("critic")[0]
    assert (ExitCode.PASSED, {"implement": "done"}) == ((done := work(project))[0], states(done[1]))


def test_what_a_task_depends_on_comes_first_and_reaches_the_agent_and_the_reviewer(project: Project):
    tasks = implement("  plan: {agent: planner, outputs: docs/plan.md}").replace(
        "prompt:", "inputs: docs/plan.md\n    depends_on: plan\n    prompt:"
    )
    project.agent("planner", "mkdir -p docs; echo '# Plan: tokens last an hour' > docs/plan.md")
    prepare(project, tasks=tasks)
    code, found = work(project)
    assert (ExitCode.PASSED, ["plan", "implement"]) == (code, list(found))
    assert "`docs/plan.md`" in project.prompts("dev")[0]
    assert "tokens last an hour" in project.prompts("critic")[0]


def test_one_task_that_waits_stops_only_what_depends_on_it(project: Project):
    tasks = """\
tasks:
  broken: {agent: lazy, outputs: docs/broken.md}
  after: {agent: dev, outputs: docs/after.md, depends_on: broken}
  other: {agent: dev, outputs: docs/auth.md}
  last: {agent: dev, outputs: docs/auth.md, depends_on: [other]}
"""
    project.agent("lazy", "exit 3")
    prepare(project, tasks=tasks, dev='mkdir -p docs; echo "Line $N." >> docs/auth.md')
    code, found = work(project)
    assert (ExitCode.BLOCKED, {"broken": "waiting", "after": "paused", "other": "done", "last": "done"}) == (
        code, states(found),
    )  # fmt: skip


def test_after_an_answer_the_whole_workflow_goes_on(project: Project):
    more = "  ship: {agent: dev, outputs: spec.md, depends_on: implement}\n  later: {agent: dev, outputs: spec.md}\n"
    prepare(
        project, no_go(), tasks=implement(extra=more, overlay=", max_iterations: 1"), dev=f"{WRITE}; echo >> spec.md"
    )
    code, tasks = work(project, "ship")
    assert (ExitCode.BLOCKED, {"implement": "waiting", "ship": "paused"}) == (code, states(tasks))
    result = project.cli("resume", "implement", "--accept", "--json")
    assert (ExitCode.PASSED, "passed_with_warnings") == (result.exit_code, result.session["outcome"]), result.stderr
    assert {"implement": "done", "ship": "done"} == {one["task"]: one["state"] for one in result.session["workflow"]}
    assert "later" not in project.cli("status").stdout, "nobody asked for it"


def test_an_answer_that_does_not_settle_a_task_starts_no_other(project: Project):
    more = "  ship: {agent: dev, outputs: spec.md, depends_on: implement}\n"
    prepare(project, no_go(), tasks=implement(extra=more, overlay=", max_iterations: 1"))
    work(project)
    result = project.cli("inbox", "answer", "implement", "--reject", "--json")
    assert (ExitCode.NEEDS_REVISION, False) == (result.exit_code, "workflow" in result.session)


def test_an_input_that_is_missing_fails_its_task_and_no_other(project: Project):
    prepare(project, tasks="tasks: {a: {agent: dev, inputs: gone.md}, b: {agent: dev, outputs: docs/auth.md}}")
    code, found = work(project)
    assert (ExitCode.BLOCKED, {"a": "failed", "b": "done"}) == (code, states(found))
    assert "gone.md is not there" in found["a"]["because"]


def test_a_finished_task_is_not_done_again(project: Project):
    prepare(project)
    work(project)
    assert (ExitCode.PASSED, {"implement": "done"}) == ((again := work(project))[0], states(again[1]))
    assert (1, 1) == (len(project.prompts("dev")), len(project.prompts("critic")))
    work(project, "--fresh", "implement")
    assert (2, 2) == (len(project.prompts("dev")), len(project.prompts("critic")))


def test_work_that_somebody_changed_after_its_go_is_reviewed_again_and_not_written_again(project: Project):
    prepare(project)
    work(project)
    project.write("docs/auth.md", "# Auth, by hand\n")
    code, tasks = work(project)
    assert (ExitCode.PASSED, 1, 2) == (code, len(project.prompts("dev")), len(project.prompts("critic")))
    assert "# Auth, by hand" in project.prompts("critic")[1]
    assert "# Auth, by hand\n" == project.read("docs/auth.md")
    assert 1 == tasks["implement"]["iterations"]


def test_exit_conditions_decide_beyond_the_reviewers_word(project: Project):
    def scored(completeness: int, verdict: str = "pass") -> str:
        scores = {"completeness": completeness, "consistency": 90, "testability": 90, "architecture": 90}
        feedback = [] if verdict == "pass" else [{"section": "Auth", "issue": "thin", "suggestion": "more"}]
        return json.dumps({"verdict": verdict, "score": scores, "feedback": feedback})

    condition = ', exit_conditions: ["review.score.completeness >= 85"]'
    prepare(project, scored(75), scored(88, "needs_revision"), tasks=implement(overlay=condition))
    code, tasks = work(project)
    assert (ExitCode.PASSED, "passed_with_warnings", 2) == (
        code, tasks["implement"]["outcome"], tasks["implement"]["iterations"],
    )  # fmt: skip
    assert "review.score.completeness >= 85" in project.prompts("dev")[1]
    assert "still open: thin" in tasks["implement"]["warnings"]


def test_exit_conditions_hold_after_a_persons_answer_too(project: Project):
    condition = ', max_iterations: 1, exit_conditions: ["review.confidence > 0.9"]'
    sure = says_go("fine", confidence=0.95)
    prepare(project, GO, sure, tasks=implement(overlay=condition))
    code, tasks = work(project)
    assert (ExitCode.BLOCKED, "waiting") == (code, tasks["implement"]["state"])
    project.write("docs/auth.md", "# Auth, better\n")
    result = project.cli("resume", "implement", "--retry", "--json")
    assert (ExitCode.PASSED, "passed") == (result.exit_code, result.session["outcome"])


# Each waits until the other is at work: one after the other, they would wait for ever.
MEET = 'touch "$TOLD/$REVIEWLOOP_AGENT.here"; i=0; while [ ! -e "$TOLD/%s.here" ] && [ $i -lt 200 ]; do sleep 0.05; i=$((i+1)); done; [ $i -lt 200 ] || exit 9; '


def test_independent_tasks_run_at_the_same_time_and_deliver_in_order(project: Project):
    project.agent("one", MEET % "two" + "sleep 0.3; mkdir -p docs; echo one > docs/one.md")
    project.agent("two", MEET % "one" + "mkdir -p docs; echo two > docs/two.md")
    project.configure("tasks: {a: {agent: one, outputs: docs/one.md}, b: {agent: two, outputs: docs/two.md}}")
    code, tasks = work(project, "--jobs", "2")
    assert (ExitCode.PASSED, {"a": "done", "b": "done"}) == (code, states(tasks))
    revised = [event for event in project.events() if event["type"] == "spec.review.revised"]
    assert [["docs/one.md"], ["docs/two.md"]] == [event["payload"]["paths"] for event in revised]


def test_two_authors_of_the_same_file_are_a_matter_for_a_person(project: Project):
    project.agent("one", MEET % "two" + "echo one >> spec.md")
    project.agent("two", MEET % "one" + "echo two >> spec.md")
    project.configure("tasks: {a: {agent: one, outputs: spec.md}, b: {agent: two, outputs: spec.md}}")
    code, tasks = work(project, "--jobs", "2")
    assert (ExitCode.BLOCKED, {"a": "done", "b": "waiting"}) == (code, states(tasks))
    assert "spec.md changed while the author worked" in tasks["b"]["because"]
    assert project.read().endswith("one\n")


@pytest.mark.slow
def test_the_second_of_two_runs_says_who_holds_the_workflow(project: Project):
    project.agent("dev", f"{WAIT_FOR_GO}echo x > a.md")
    project.configure("tasks: {a: {agent: dev, outputs: a.md}}")
    first = at_work(project, "work")
    try:
        second = project.cli("work")
    finally:
        go(project)
        assert 0 == first.wait(timeout=60)
    assert ExitCode.BLOCKED == second.exit_code
    assert f"error: the workflow is being worked on by pid {first.pid}" in second.stderr


@pytest.mark.slow
def test_a_killed_run_goes_on_and_repeats_no_finished_task(project: Project):
    project.agent("dev", "echo done > a.md")
    project.agent("slow", 'touch "$TOLD/at-work"; [ $N = 0 ] && sleep 30; echo done > b.md')
    project.configure("tasks: {a: {agent: dev, outputs: a.md}, b: {agent: slow, outputs: b.md, depends_on: a}}")
    first = at_work(project, "work")
    first.kill()
    first.wait(timeout=60)
    assert "interrupted" in project.cli("status").stdout
    code, tasks = work(project)
    assert (ExitCode.PASSED, {"a": "done", "b": "done"}) == (code, states(tasks))
    assert (1, 2) == (len(project.prompts("dev")), len(project.prompts("slow")))


def test_a_task_that_does_not_exist_is_a_mistake(project: Project):
    prepare(project)
    result = project.cli("work", "implemnt")
    assert (ExitCode.USAGE, True) == (result.exit_code, "hint: did you mean implement?" in result.stderr)
    project.configure()
    assert "there are no tasks" in project.cli("work").stderr


def test_the_table_says_where_every_task_stands(project: Project):
    prepare(
        project,
        no_go(),
        tasks=implement("  ship: {agent: dev, depends_on: [implement]}", overlay=", max_iterations: 1"),
    )
    result = project.cli("work")
    assert "implement  waiting" in result.stdout
    assert "ship       paused   it needs implement" in result.stdout
    assert "implement waits for you: reviewloop inbox show implement" in result.stderr
    assert "implement: asking dev to do it" in result.stderr
