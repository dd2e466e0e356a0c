"""The workflow file: typed, and wrong in the right place."""

from __future__ import annotations

import pytest

from config.conftest import Project, lines
from reviewloop.config.workflow import workflow_of
from reviewloop.core.types.rubric import RUBRICS
from reviewloop.core.types.task import Commission, Overlay, Task, in_order, with_dependencies

AGENTS = "agents: {dev: {kind: claude}, reviewer: {kind: codex}}\n"


def tasks(project: Project, text: str) -> tuple[Task, ...]:
    return workflow_of(project.config(AGENTS + text))


def test_a_task_says_who_does_what_from_what_and_by_what_it_is_judged(project: Project) -> None:
    found = tasks(
        project,
        """\
tasks:
  design:
    agent: dev
    prompt: Write the design.
    outputs: docs/design.md
  implement:
    agent: dev
    instructions: Build it.
    inputs: [docs/design.md]
    outputs: [./src/, README.md]
    depends_on: design
    acceptance_criteria: [Every error has a code, All tests pass]
    rubric: execution
    overlays:
      agentic_review:
        enabled: true
        reviewer_agent: reviewer
        max_iterations: 2
        exit_conditions: ["review.decision == GO", "review.findings.critical == 0"]
""",
    )

    assert (
        Task(
            commission=Commission(
                task="design",
                agent="dev",
                instructions="Write the design.",
                outputs=("docs/design.md",),
                is_reviewed=False,
            )
        ),
        Task(
            commission=Commission(
                task="implement",
                agent="dev",
                instructions="Build it.",
                inputs=("docs/design.md",),
                outputs=("src", "README.md"),
                acceptance_criteria=("Every error has a code", "All tests pass"),
            ),
            depends_on=("design",),
            rubric=RUBRICS["execution"],
            overlay=Overlay(
                coder="dev",
                reviewer="reviewer",
                max_iterations=2,
                exit_conditions=("review.decision == GO", "review.findings.critical == 0"),
            ),
        ),
    ) == found


@pytest.mark.parametrize(
    "overlays", ["", ", rubric: spec, overlays: {agentic_review: {enabled: false, reviewer_agent: reviewer}}"]
)
def test_the_overlay_is_off_unless_it_is_enabled(project: Project, overlays: str) -> None:
    assert [None] == [task.overlay for task in tasks(project, f"tasks: {{a: {{agent: dev{overlays}}}}}")]


@pytest.mark.parametrize(
    ("settings", "key"),
    [("overlays: {agentic_review: {reviewer_agent: reviewer}}", "reviewer_agent"), ("rubric: spec", "rubric")],
)
def test_settings_of_a_review_need_a_review(project: Project, settings: str, key: str) -> None:
    said = project.complaint(
        f"agents: {{dev: {{kind: claude}}, reviewer: {{kind: codex}}}}\ntasks: {{a: {{agent: dev, {settings}}}}}"
    )
    assert f"{key} is not used: task a is not reviewed" in said
    assert 'add "enabled: true" under overlays.agentic_review' in said


def test_the_projects_reviewer_reviews_where_the_task_names_none(project: Project) -> None:
    text = "review: {reviewer: reviewer}\ntasks: {a: {agent: dev, overlays: {agentic_review: {enabled: true}}}}"

    assert [Overlay(coder="dev", reviewer="reviewer")] == [task.overlay for task in tasks(project, text)]


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("{a: {prompt: x}}", "2:9: task a has no agent", 'add "agent: NAME"'),
        ("{a: {agent: dev, depends_on: [b]}}", '2:38: no task is named "b"', 'every task is an entry of "tasks"'),
        ("{a: {agent: dev, depends_on: desing}, design: {agent: dev}}", '2:37: no task is named "desing"', 'did you mean "design"?'),
        ("{a: {agent: dev, depends_on: [a]}}", "2:38: task a depends on itself", None),
        ("{a: {agent: dev, depends_on: [b]}, b: {agent: dev, depends_on: [c]}, c: {agent: dev, depends_on: [a]}}", "the tasks form a cycle: ", "remove one of these dependencies"),
        ("{a: {agent: dev, output: x}}", '2:25: unknown key "output"', 'did you mean "outputs"?'),
        ("{a: {agent: dev, outputs: [../x]}}", '2:35: each of outputs must be a path inside the project, found "../x"', None),
        ("{a: {agent: dev, outputs: /etc/passwd}}", '2:34: outputs must be a path inside the project, found "/etc/passwd"', None),
        ("{a: {agent: dev, prompt: x, instructions: y}}", "2:33: prompt and instructions cannot both be set", "keep one of them"),
        ("{a: {agent: dev, rubric: executon}}", '2:33: no rubric is named "executon"', 'did you mean "execution"?'),
        ("{a: {agent: dev, overlays: {agentic_review: {enabled: true}}}}", "2:62: task a has no reviewer", 'add "reviewer_agent: NAME"'),
        ("{a: {agent: dev, overlays: {agentic_review: {enabled: true, reviewer_agent: dev}}}}", '2:84: "dev" would review its own work', "choose different agents as coder and reviewer"),
        ("{a: {overlays: {agentic_review: {enabled: true, reviewer_agent: dev}}}}", "2:9: task a has no agent", 'add "agent: NAME"'),
        ("{a: {agent: dev, overlays: {agentic_review: {enabled: true, reviewer_agents: [reviewer, dev]}}}}", '2:96: "dev" would review its own work', "choose different agents as coder and reviewer"),
        ("{a: {agent: dev, overlays: {agentic_review: {enabled: true, reviewer_agents: [reviewer]}}}}", "2:85: reviewer_agents must have at least 2 items", None),
        ("{a: {agent: dev, overlays: {agentic_review: {enabled: true, reviewer_agents: [reviewer, reviewer]}}}}", '2:96: reviewer_agents names "reviewer" twice', None),
        ("{a: {agent: dev, overlays: {agentic_review: {enabled: true, reviewer_agents: [reviewer, other]}}}}", '2:96: no agent is named "other"', 'add it under "agents"'),
        ("{a: {agent: dev, overlays: {agentic_review: {enabled: true, reviewer_agent: reviewer, reviewer_agents: [reviewer, static]}}}}", "2:84: reviewer_agent and reviewer_agents cannot both be set", "keep one of them"),
        ("{a: {agent: dev, overlays: {agentic_review: {enabled: true, reviewer_agents: [reviewer, static], exit_conditions: [review.total > 80]}}}}", "2:123: a panel gives findings, not scores", 'use "review.findings" or "review.confidence"'),
    ],
)  # fmt: skip
def test_a_workflow_that_cannot_work_is_an_error_with_a_place(
    project: Project, text: str, message: str, hint: str | None
) -> None:
    said = project.complaint(f"{AGENTS}tasks: {text}\n")

    assert message in said
    assert hint is None or said.endswith(f"hint: {hint}")


def test_a_condition_that_means_nothing_is_shown_where_it_goes_wrong(project: Project) -> None:
    assert lines("""
        error: reviewloop.yml:8:33: review.decision is GO or NO_GO or INCONCLUSIVE, not "GOO"
          8 |           - "review.decision == GOO"
            |                                 ^^^
        hint: did you mean "GO"?
    """) == project.complaint(f"""{AGENTS}tasks:
  a:
    agent: dev
    overlays:
      agentic_review:
        exit_conditions:
          - "review.decision == GOO"
""")


def test_tasks_come_after_what_they_depend_on_and_otherwise_as_written(project: Project) -> None:
    found = tasks(
        project,
        "tasks: {d: {agent: dev, depends_on: [b, c]}, c: {agent: dev, depends_on: [a]}, b: {agent: dev}, a: {agent: dev}}",
    )

    assert ["b", "a", "c", "d"] == [task.id for task in in_order(found)]
    assert ["a", "c"] == [task.id for task in with_dependencies(found, ["c"])]
