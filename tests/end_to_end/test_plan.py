"""002's flow through the command line: four phases, each written, reviewed, and approved by a person or not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from project import Project
from reviewloop.errors import ExitCode

pytestmark = pytest.mark.slow

PHASES = ("research", "requirements", "design", "tasks")
WRITE = """\
echo "$REVIEWLOOP_KIND $REVIEWLOOP_ITERATION" >> "$TOLD/calls"
file=$(echo specs/*/ .kiro/specs/*/ | tr ' ' '\\n' | grep -v '[*]' | head -1)$REVIEWLOOP_KIND.md
[ -e .kiro ] || file=specs/auth/$REVIEWLOOP_KIND.md
mkdir -p "$(dirname "$file")"
if [ "$REVIEWLOOP_ITERATION" = 0 ]; then printf '# %s\\n\\nText of %s.\\n' "$REVIEWLOOP_KIND" "$REVIEWLOOP_KIND" > "$file"
else echo "Fix of $REVIEWLOOP_KIND." >> "$file"; fi
"""
DIMENSIONS = {
    "research": ("Completeness", "Grounding", "Scope"),
    "requirements": ("Completeness", "Testability", "Traceability", "Scope"),
    "design": ("Completeness", "Consistency", "Feasibility", "Patterns"),
    "tasks": ("Completeness", "Traceability", "Actionability", "Structure", "Quality gates"),
}
ALL = tuple(dict.fromkeys(one for some in DIMENSIONS.values() for one in some))


def signal(*failed: str) -> str:
    rows = [f"| {n} | {one} | {'FAIL' if one in failed else 'PASS'} | {'too thin' if one in failed else 'fine'} |" for n, one in enumerate(ALL, 1)]  # fmt: skip
    table = "\n".join(["| # | Dimension | Status | Finding |", "|---|---|---|---|", *rows])
    feedback = "\n".join(f"{n}. Say more about {one}" for n, one in enumerate(failed, 1))
    return f"### Findings\n{table}\n\n### Feedback for Revision\n{feedback}\n\nREVIEW_{'FAIL' if failed else 'PASS'}\n"


def prepare(project: Project, *answers: str, author: str = WRITE, text: str = "") -> None:
    project.author(author)
    project.reviewer(*(answers or (signal(),)))
    project.configure(text, static_gate="off")


def plan(project: Project, *args: str) -> tuple[int, dict[str, dict[str, Any]]]:
    result = project.cli("plan", *args, "--json")
    assert result.stdout, result.stderr
    return result.exit_code, {one["task"]: one for one in json.loads(result.stdout)["tasks"]}


def states(tasks: dict[str, dict[str, Any]]) -> list[str]:
    return [task["state"] for task in tasks.values()]


def test_quick_writes_and_reviews_all_four_documents_in_order(project: Project):
    prepare(project)
    code, tasks = plan(project, "Log people in", "--name", "auth", "--quick")
    assert (ExitCode.PASSED, ["done"] * 4) == (code, states(tasks)), tasks
    assert [f"{phase} 0" for phase in PHASES] == (project.told / "calls").read_text().splitlines()
    assert [f"# {phase}\n\nText of {phase}.\n" for phase in PHASES] == [
        project.read(f"specs/auth/{phase}.md") for phase in PHASES
    ]
    assert ["Log people in" in told for told in project.prompts("author")] == [True] * 4


def test_each_reviewer_gets_what_the_document_builds_on_and_its_own_rubric(project: Project):
    prepare(project)
    plan(project, "Log people in", "--name", "auth", "--quick")
    for number, (phase, told) in enumerate(zip(PHASES, project.prompts("reviewer"), strict=True)):
        assert "Log people in" in told, "what is in scope can only be judged by the goal"
        assert [True] * (number + 1) == [f"Text of {one}." in told for one in PHASES[: number + 1]]
        assert all(f"**{one.lower().replace(' ', '_')}**" in told for one in DIMENSIONS[phase]), phase


def test_without_quick_a_person_approves_every_document(project: Project):
    prepare(project)
    for number, phase in enumerate(PHASES):
        code, tasks = plan(project, *(["Log people in"] if number == 0 else []), "--name", "auth")
        expected = ["done"] * number + ["waiting"] + ["paused"] * (3 - number)
        assert (ExitCode.BLOCKED, expected) == (code, states(tasks))
        state = json.loads(project.read("specs/auth/.ralph-state.json"))
        assert (phase, True) == (state["phase"], state["awaitingApproval"])
        accepted = project.cli("resume", f"auth-{phase}", "--accept", "--json")
        assert (ExitCode.PASSED, "passed") == (accepted.exit_code, accepted.session["outcome"])
        assert json.loads(project.read("specs/auth/.ralph-state.json"))["awaitingApproval"] is False
    assert (ExitCode.PASSED, ["done"] * 4) == ((done := plan(project, "--name", "auth"))[0], states(done[1]))
    assert 4 == len(project.prompts("author"))


def test_a_document_that_a_person_sends_back_is_revised_with_the_note(project: Project):
    prepare(project)
    plan(project, "Log people in", "--name", "auth")
    result = project.cli("resume", "auth-research", "--retry", "--note", "look at OAuth too", "--json")
    assert (ExitCode.BLOCKED, "decision", "approve") == (
        result.exit_code, result.session["reason"], result.session["proposal"],
    )  # fmt: skip
    assert "look at OAuth too" in project.prompts("reviewer")[-1]


def test_what_the_reviewer_finds_is_revised_and_told_in_the_progress_file(project: Project):
    project.write("specs/auth/.progress.md", "# Progress\n\n## Learnings\n\n- Old.\n\n## Next\n\nGo on.\n")
    prepare(project, signal("Grounding"), signal())
    code, _ = plan(project, "Log people in", "--name", "auth", "--quick")
    assert ExitCode.PASSED == code
    assert "Say more about Grounding" in project.prompts("author")[1]
    assert "# research\n\nText of research.\nFix of research.\n" == project.read("specs/auth/research.md")
    text = project.read("specs/auth/.progress.md")
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert [
        "# Progress", "## Learnings", "### Review: research (Iteration 1)", "### Review: research (Iteration 2)",
        "### Review: requirements (Iteration 1)", "### Review: design (Iteration 1)", "### Review: tasks (Iteration 1)",
        "## Next",
    ] == headings  # fmt: skip
    assert text.startswith("# Progress\n\n## Learnings\n\n- Old.\n")
    assert text.endswith("\n## Next\n\nGo on.\n")
    first = text.partition("### Review: research (Iteration 1)")[2].partition("###")[0]
    assert ("- Status: FAIL" in first, "- Action: revised by the author" in first) == (True, True)
    assert "- Status: PASS\n- Findings: none\n- Action: proceed\n" in text


def test_an_author_that_fails_to_revise_is_asked_once_more_and_then_the_original_is_used_with_a_warning(
    project: Project,
):
    failing = f'[ "$REVIEWLOOP_ITERATION" = 0 ] || [ "$REVIEWLOOP_KIND" != research ] || exit 7\n{WRITE}'
    prepare(project, signal("Grounding"), signal(), author=failing)
    code, tasks = plan(project, "Log people in", "--name", "auth", "--quick")
    assert (ExitCode.PASSED, "passed_with_warnings") == (code, tasks["auth-research"]["outcome"])
    assert "kept the version before this fix" in tasks["auth-research"]["warnings"]
    assert "# research\n\nText of research.\n" == project.read("specs/auth/research.md")
    assert 3 + 3 == len(project.prompts("author")), "the first version, two tries to revise it, three more documents"
    assert "proceed with warnings" in project.read("specs/auth/.progress.md")


def test_a_reviewer_without_a_signal_lets_the_work_proceed_with_a_warning(project: Project):
    prepare(project, "I have no opinion.")
    code, tasks = plan(project, "Log people in", "--name", "auth", "--quick")
    assert (ExitCode.PASSED, ["passed_with_warnings"] * 4) == (code, [one["outcome"] for one in tasks.values()])
    assert "no verdict" in tasks["auth-design"]["warnings"][0]


def test_after_three_failed_reviews_the_work_proceeds_with_warnings(project: Project):
    prepare(project, signal("Grounding"), signal("Scope"), signal("Completeness"), signal())
    code, tasks = plan(project, "Log people in", "--name", "auth", "--quick")
    assert (ExitCode.PASSED, "passed_with_warnings", 3) == (
        code, tasks["auth-research"]["outcome"], tasks["auth-research"]["iterations"],
    )  # fmt: skip


def test_another_tools_state_is_merged_into_and_never_replaced(project: Project):
    project.write("specs/auth/.ralph-state.json", '{"name": "auth", "taskIndex": 3, "mine": {"deep": [1]}}')
    prepare(project)
    plan(project, "Log people in", "--name", "auth", "--quick")
    state = json.loads(project.read("specs/auth/.ralph-state.json"))
    assert {"name": "auth", "taskIndex": 3, "mine": {"deep": [1]}, "phase": "tasks", "awaitingApproval": False} == state


def test_a_state_that_cannot_be_read_is_left_alone_and_said(project: Project):
    project.write("specs/auth/.ralph-state.json", "{broken")
    prepare(project)
    result = project.cli("plan", "Log people in", "--name", "auth", "--quick")
    assert (ExitCode.PASSED, "{broken") == (result.exit_code, project.read("specs/auth/.ralph-state.json"))
    assert "warning: the feature's state file could not be written" in result.stderr


def test_documents_that_others_wrote_are_reviewed_and_not_written_again(project: Project):
    project.write("specs/auth/research.md", "# Research\n\nBy hand.\n")
    project.write("specs/auth/requirements.md", "# Requirements\n\nAlso by hand.\n")
    prepare(project)
    code, tasks = plan(project, "Log people in", "--name", "auth", "--quick")
    assert (ExitCode.PASSED, [f"auth-{phase}" for phase in PHASES]) == (code, list(tasks))
    assert ["design 0", "tasks 0"] == (project.told / "calls").read_text().splitlines()
    assert "By hand." in project.prompts("reviewer")[0]
    assert "# Research\n\nBy hand.\n" == project.read("specs/auth/research.md")


def test_a_kiro_folder_goes_on_in_its_place_without_research(project: Project):
    project.write(".kiro/specs/auth/requirements.md", "# Requirements\n\nKiro wrote this.\n")
    prepare(project)
    code, tasks = plan(project, "Log people in", "--name", "auth", "--quick")
    assert (ExitCode.PASSED, [f"auth-{phase}" for phase in PHASES[1:]]) == (code, list(tasks)), tasks
    assert ["design 0", "tasks 0"] == (project.told / "calls").read_text().splitlines()
    assert "Text of tasks." in project.read(".kiro/specs/auth/tasks.md")
    assert not (project.root / "specs").exists()
    assert "Kiro wrote this." in project.prompts("reviewer")[0]


def test_every_phase_can_have_an_agent_of_its_own(project: Project):
    project.agent("analyst", WRITE)
    prepare(project, text="phases: {research: analyst}")
    plan(project, "Log people in", "--name", "auth", "--quick")
    assert (1, 3) == (len(project.prompts("analyst")), len(project.prompts("author")))


def test_without_anybody_to_write_nothing_is_begun(project: Project):
    project.reviewer(signal())
    project.configure()
    result = project.cli("plan", "Log people in")
    assert (ExitCode.USAGE, True) == (result.exit_code, "no agent is configured to write the research" in result.stderr)
    assert "no agent is named" in project.cli("plan", "x", "--config", _phases(project, "bob")).stderr
    assert "unknown key" in project.cli("plan", "x", "--config", _phases(project, "bob", "reserch")).stderr


def _phases(project: Project, agent: str, phase: str = "research") -> str:
    project.write("other.yml", f"phases: {{{phase}: {agent}}}\n")
    return "other.yml"


def test_the_name_comes_from_the_goal_and_what_to_do_next_can_be_pasted(project: Project):
    prepare(project, author=WRITE.replace("specs/auth", "specs/log-people-in-with-a"))
    result = project.cli("plan", "Log people in, with a second factor!")
    assert ExitCode.BLOCKED == result.exit_code, result.stderr
    assert (
        "reviewloop resume log-people-in-with-a-research --accept && reviewloop plan --name log-people-in-with-a"
        in result.stderr
    )
    assert "decision" in project.cli("inbox", "--json").stdout
    assert ExitCode.USAGE == project.cli("plan", "x", "--name", "../up").exit_code
    assert "the plan other has no goal yet" in project.cli("plan", "--name", "other").stderr
