"""Every command that is printed as a way forward works in the state that prints it."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Callable
from typing import Any

import pytest
from at_work import WAIT_FOR_GO, at_work, go

from project import SPEC, Project, failing, passing
from reviewloop.core.types.rubric import RESEARCH
from reviewloop.errors import ExitCode

pytestmark = pytest.mark.slow

COMMAND = re.compile(r"reviewloop (?:resume|run|work|plan|log|doctor|status|inbox|diff|undo)\b[^\n;`]*")
PRD = (
    "---\nprd_id: export\ntitle: CSV export\nstatus: draft\n---\n\n# CSV export\n\n- REQ-1: every report is exported.\n"
)
PANEL_PASS: dict[str, Any] = {"verdict": "pass", "findings": []}
PANEL_FAIL: dict[str, Any] = {
    "verdict": "fail",
    "findings": [{"severity": "critical", "description": "Anybody may export", "section": "Design"}],
}


def table(*names: str, verdict: str = "PASS") -> str:
    rows = "".join(f"| {n} | {name} | {verdict} | too thin |\n" for n, name in enumerate(names, 1))
    feedback = "" if verdict == "PASS" else "\n1. Say more about it\n"
    return f"| # | Dimension | Status | Finding |\n|---|---|---|---|\n{rows}{feedback}\nREVIEW_{verdict}\n"


def exhausted(project: Project) -> list[str]:
    project.reviewer(failing("The format is unclear"))
    project.author()
    project.configure(max_iterations=2)
    return ["run", "spec.md"]


def no_author(project: Project) -> list[str]:
    project.reviewer(failing("The format is unclear"))
    project.configure()
    return ["run", "spec.md"]


def malformed(project: Project) -> list[str]:
    project.reviewer("fine, I guess")
    project.author()
    project.configure(retry_on_malformed=0)
    return ["run", "spec.md"]


def unanswered(project: Project) -> list[str]:
    project.agent("reviewer", "exit 3")
    project.configure()
    return ["run", "spec.md"]


def tampered(project: Project) -> list[str]:
    project.agent("reviewer", f"{WAIT_FOR_GO} echo '{passing()}'")
    project.configure()
    with at_work(project, "run", "spec.md"):
        project.write("spec.md", f"{SPEC}by hand\n")
        go(project)
    return ["status", "spec"]


def budget(project: Project) -> list[str]:
    project.reviewer(failing("The format is unclear"))
    project.author("sleep 0.2; echo revised >> spec.md")
    project.configure(budget={"seconds": 0.1})
    return ["run", "spec.md"]


def conflict(project: Project) -> list[str]:
    project.reviewer(failing("The format is unclear"))
    project.author(f"{WAIT_FOR_GO} echo revised >> spec.md")
    project.configure()
    with at_work(project, "run", "spec.md"):
        project.write("spec.md", f"{SPEC}by hand\n")
        go(project)
    return ["status", "spec"]


def author_failed(project: Project) -> list[str]:
    project.reviewer(failing("The format is unclear"))
    project.author("exit 3")
    project.configure()
    return ["run", "spec.md"]


def no_change(project: Project) -> list[str]:
    project.reviewer(failing("The format is unclear"))
    project.author("true")
    project.configure()
    return ["run", "spec.md"]


def unread(project: Project) -> list[str]:
    project.write("docs/spec.md", SPEC)
    (project.root / "docs/broken.md").write_bytes(b"\xff\xfe\x00")
    project.reviewer(passing())
    project.configure(static_gate="off")
    return ["run", "docs"]


def panel(project: Project, haiku: dict[str, Any], sonnet: dict[str, Any]) -> list[str]:
    project.agent("haiku", f"echo '{json.dumps(haiku)}'")
    project.agent("sonnet", f"echo '{json.dumps(sonnet)}'")
    project.author()
    project.configure("profile: panel", parallel_models=["haiku", "sonnet"])
    return ["run", "spec.md"]


def approval_proposed(project: Project) -> list[str]:
    return panel(project, PANEL_PASS, PANEL_PASS)


def revision_proposed(project: Project) -> list[str]:
    return panel(project, PANEL_FAIL, PANEL_FAIL)


def disagreement(project: Project) -> list[str]:
    return panel(project, PANEL_PASS, PANEL_FAIL)


def plan(project: Project) -> list[str]:
    project.reviewer(table("Completeness", "Grounding", "Scope"))
    project.author('mkdir -p specs/login; echo "# Research $N" >> specs/login/research.md')
    project.configure(static_gate="off")
    return ["plan", "log people in", "--name", "login"]


def task(project: Project) -> list[str]:
    project.reviewer(json.dumps({"decision": "NO_GO", "feedback": "it is wrong"}))
    project.author('echo "built $N" >> built', name="dev")
    overlay = "overlays: {agentic_review: {enabled: true, coder_agent: dev, reviewer_agent: reviewer}}"
    project.configure(f"tasks:\n  build: {{agent: dev, {overlay}}}\n")
    return ["work"]


def idle_task(project: Project) -> list[str]:
    project.author("true", name="dev")
    project.configure("tasks:\n  build: {agent: dev}\n")
    return ["work"]


def spec_task(project: Project) -> list[str]:
    project.write("specs/login/tasks.md", "# Tasks\n\n- [ ] 1.1 Build\n  - **Verify**: `false`\n- [ ] 1.2 Ship\n")
    project.reviewer(table("Alignment", "Correctness", "Completeness", "No hallucinations"))
    project.author('echo "built $N" >> built')
    project.configure()
    return ["work", "--spec", "login"]


def feature(project: Project) -> list[str]:
    project.write("docs/prd/export.md", PRD)
    (project.tools / "spec.md").write_text(SPEC)
    project.reviewer(failing("The format is unclear"))
    project.author(
        f"mkdir -p specs/export; cp {project.tools}/spec.md specs/export/spec.md; echo $N >> specs/export/spec.md"
    )
    project.configure(max_iterations=1)
    return ["run", "--prd", "docs/prd/export.md"]


def rejected(begin: Callable[[Project], list[str]], name: str) -> Callable[[Project], list[str]]:
    def rejected_state(project: Project) -> list[str]:
        project.cli(*begin(project))
        return ["resume", name, "--reject"]

    rejected_state.__name__ = f"rejected_{begin.__name__}"
    return rejected_state


def over(project: Project) -> list[str]:
    project.cli(*exhausted(project))
    project.cli("resume", "spec", "--reject")
    return ["resume", "spec", "--retry"]


def undone(project: Project) -> list[str]:
    project.cli(*exhausted(project))
    project.cli("undo", "spec")
    return ["resume", "spec", "--accept"]


def passed(project: Project) -> list[str]:
    project.reviewer(passing())
    project.author()
    project.configure()
    project.cli("run", "spec.md")
    return ["resume", "spec", "--accept"]


def edited(project: Project) -> list[str]:
    project.cli(*exhausted(project))
    project.write("spec.md", f"{project.read()}\nEdited.\n")
    return ["resume", "spec", "--accept"]


def dismissed(project: Project) -> list[str]:
    project.cli(*exhausted(project))
    return ["resume", "spec", "--dismiss", "F1", "--why", "it is clear"]


def waived(project: Project) -> list[str]:
    project.cli(*exhausted(project))
    return ["resume", "spec", "--skip-review"]


STATES = {
    exhausted: "spec", no_author: "spec", malformed: "spec", unanswered: "spec", tampered: "spec", budget: "spec",
    conflict: "spec", author_failed: "spec", no_change: "spec", unread: "docs", approval_proposed: "spec",
    revision_proposed: "spec", disagreement: "spec", plan: "login-research", task: "build", idle_task: "build",
    spec_task: "login-1.1", feature: "export", rejected(exhausted, "spec"): "spec",
    rejected(plan, "login-research"): "login-research", rejected(task, "build"): "build",
    rejected(spec_task, "login-1.1"): "login-1.1", rejected(feature, "export"): "export", over: "spec", undone: "spec",
    passed: "spec", edited: "spec", dismissed: "spec", waived: "spec",
}  # fmt: skip


def commands(text: str) -> list[list[str]]:
    """The commands in a text. One that is an example of words, such as ID, is none."""
    found = [part for match in COMMAND.findall(text) for part in match.split("&&")]
    split = [shlex.split(part.strip().removeprefix("reviewloop ").rstrip(").,")) for part in found]
    return [words for words in split if words and "ID" not in words and "NAME" not in words]


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_every_command_that_is_printed_works(project: Project, state: Callable[[Project], list[str]]):
    begun = project.cli(*state(project))
    name = STATES[state]
    views = (["status", name], ["inbox"], ["inbox", "show", name])
    shown = [project.cli(*command) for command in views if state is not edited]  # the refusal has the newer word
    texts = [begun.stdout, begun.stderr, *(out for result in shown for out in (result.stdout, result.stderr))]
    texts += project.cli("status", name, "--json").session["recovery_actions"] if state is not edited else []
    todo = {tuple(command): command for text in texts for command in commands(text)}
    assert todo, begun
    saved = project.root.with_name("saved")
    shutil.copytree(project.root, saved, symlinks=True)
    for command in todo.values():
        result = project.cli(*command)
        assert result.exit_code not in (ExitCode.USAGE, ExitCode.INTERNAL), (command, result.stderr)
        shutil.rmtree(project.root)
        shutil.copytree(saved, project.root, symlinks=True)


def test_a_rejected_phase_names_the_command_that_starts_it_again(project: Project):
    table = "| Dimension | Status |\n|---|---|\n" + "".join(f"| {name} | PASS |\n" for name in RESEARCH.names)
    project.reviewer(f"{table}\nREVIEW_PASS")
    project.author("mkdir -p specs/exp; echo '# Research' > specs/exp/$REVIEWLOOP_KIND.md")
    project.configure("profile: phases", static_gate="off")
    project.cli("plan", "Export reports", "--name", "exp")
    project.cli("resume", "exp-research", "--reject")
    result = project.cli("plan", "--name", "exp")
    assert "exp-research was rejected; to start it again: reviewloop plan --name exp --fresh" in result.stderr
