"""Every view says what the ledger says, whatever kind of session it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from killing import killed_at, run_to_the_end

from project import SPEC, Project, failing, passing
from reviewloop.errors import ExitCode

pytest.register_assert_rewrite("ledger_and_views")

from ledger_and_views import compare  # noqa: E402 - its assertions are rewritten first

pytestmark = pytest.mark.slow

ISSUE = "The CSV dialect is not said"
FAILING = failing(ISSUE, section="Design")
CONTEST = json.dumps({"contested": [{"id": "F1", "reason": "FR-1 says it"}]})
GAP = {"severity": "important", "section": "Design", "description": "No limit is given", "category": "missing"}
BOOM = {"severity": "critical", "section": "Design", "description": "The export leaks rows", "category": "security"}
CHECKS = ("acceptance_criteria_met", "code_standards_met", "test_coverage_adequate", "security_review_passed")
GO = json.dumps({"decision": "GO", "feedback": "All criteria met.", "quality_checks": dict.fromkeys(CHECKS, True)})
NO_GO = json.dumps({"decision": "NO_GO", "feedback": "no error is described"})
DIMENSIONS = ("Completeness", "Grounding", "Scope", "Testability", "Traceability", "Consistency", "Feasibility", "Patterns", "Actionability", "Structure", "Quality gates", "Alignment", "Correctness", "No hallucinations")  # fmt: skip
WRITE_PHASE = """\
file=specs/auth/$REVIEWLOOP_KIND.md; mkdir -p specs/auth
if [ "$REVIEWLOOP_ITERATION" = 0 ]; then printf '# %s\\n\\nText.\\n' "$REVIEWLOOP_KIND" > "$file"
else echo "Fix of $REVIEWLOOP_KIND." >> "$file"; fi
"""
WRITE_TASK = 'case $REVIEWLOOP_SESSION in build*) f=a.md;; *) f=b.md;; esac; echo "# Work $REVIEWLOOP_ITERATION" >> $f'
OVERLAY = "overlays: {agentic_review: {enabled: true, reviewer_agent: critic%s}}"


def says(*findings: dict[str, Any]) -> str:
    return json.dumps({"verdict": "fail" if findings else "pass", "findings": list(findings)})


def signal(*failed: str) -> str:
    rows = "\n".join(f"| {n} | {one} | {'FAIL' if one in failed else 'PASS'} | Say more about {one} |" for n, one in enumerate(DIMENSIONS, 1))  # fmt: skip
    feedback = "\n".join(f"{n}. Say more about {one}" for n, one in enumerate(failed, 1))
    table = f"| # | Dimension | Status | Finding |\n|---|---|---|---|\n{rows}"
    return f"{table}\n\n### Feedback for Revision\n{feedback}\n\nREVIEW_{'FAIL' if failed else 'PASS'}\n"


def answer(project: Project, *args: str) -> None:
    assert ExitCode.USAGE != (result := project.cli("inbox", "answer", *args)).exit_code, result.stderr


def resume(project: Project, *args: str) -> None:
    assert ExitCode.USAGE != (result := project.cli("resume", *args)).exit_code, result.stderr


def document(
    project: Project, *answers: str, author: str | None = 'echo "revised $N" >> spec.md', **review: Any
) -> None:
    project.reviewer(*answers)
    if author:
        project.author(author)
    project.configure("paths: {plan: plan.md}", **review)
    project.run()


def panel(project: Project, first: str, then: str, **review: Any) -> None:
    for name in ("haiku", "sonnet"):
        (project.tools / f"{name}-1").write_text(first)
        (project.tools / f"{name}-2").write_text(then)
        project.agent(name, f'I=$REVIEWLOOP_ITERATION; [ $I -gt 2 ] && I=2; cat "{project.tools}/{name}-$I"')
    project.author()
    project.configure("profile: panel\npaths: {plan: plan.md}", parallel_models=["haiku", "sonnet"], **review)
    project.run()


PLAN = """\
| # | Task | Status | Spec | Quality | Fix Iterations |
|---|------|--------|------|---------|----------------|
| build | The endpoint | pending | — | — | — |
| other | Ship it | pending | — | — | — |
| spec | The spec | pending | — | — | — |
"""


def workflow(project: Project, *answers: str, tasks: str) -> None:
    project.agent("dev", WRITE_TASK)
    project.reviewer(*answers, name="critic")
    project.configure(f"paths: {{plan: plan.md}}\ntasks:\n{tasks}")
    project.cli("work")


def phases(project: Project, *answers: str, quick: bool = False) -> None:
    project.author(WRITE_PHASE)
    project.reviewer(*answers)
    project.configure(static_gate="off")
    project.cli("plan", "Log people in", "--name", "auth", *(["--quick"] if quick else []))


def passed(project: Project) -> None:
    document(project, passing())


def passed_after_a_fix(project: Project) -> None:
    document(project, FAILING, passing())


def blocked_without_an_author(project: Project) -> None:
    document(project, FAILING, author=None)


def blocked_when_exhausted(project: Project) -> None:
    document(project, FAILING, max_iterations=2)


def escalated_when_exhausted(project: Project) -> None:
    document(project, FAILING, max_iterations=1, on_exhausted="escalate")


def passed_with_warnings_when_exhausted(project: Project) -> None:
    document(project, FAILING, max_iterations=2, on_exhausted="warn")


def blocked_by_a_malformed_answer(project: Project) -> None:
    document(project, "I like it.")


def passed_by_policy_without_a_verdict(project: Project) -> None:
    document(project, "I like it.", on_inconclusive="pass")


def malformed_and_asked_again(project: Project) -> None:
    document(project, "I like it.", passing())


def refused_in_a_wrong_form(project: Project) -> None:
    document(project, '{"verdict": "needs_revision"}', author=None)


def sent_back(project: Project) -> None:
    document(project, FAILING, FAILING, passing(), max_iterations=2)
    resume(project, "spec", "--retry", "--note", "say the dialect")


def sent_back_without_an_author(project: Project) -> None:
    document(project, FAILING, passing(), author=None)
    project.write("spec.md", f"{SPEC}\nThe dialect is Excel's.\n")
    resume(project, "spec", "--retry")


def accepted(project: Project) -> None:
    document(project, FAILING, author=None)
    answer(project, "spec", "--accept", "--by", "Ann")


def rejected(project: Project) -> None:
    document(project, FAILING, author=None)
    answer(project, "spec", "--reject", "--by", "Ann")


def dismissed_and_accepted(project: Project) -> None:
    document(project, failing(ISSUE, "No limit is given", section="Design"), author=None)
    answer(project, "spec", "--dismiss", "F1", "--why", "it is said", "--by", "Ann", "--accept")


def contested_and_withdrawn(project: Project) -> None:
    project.agent("arbiter", f"echo '{json.dumps({'ruling': 'withdrawn', 'reason': 'it is there'})}'")
    document(project, FAILING, author=f"echo '{CONTEST}'", arbiter="arbiter")


def stopped_by_the_rules(project: Project) -> None:
    project.write("spec.md", SPEC.replace("FR-2: 10,000 rows", "FR-2: TBD 10,000 rows"))
    document(project, passing(), author="true", static_gate="important")


def fixed_for_the_rules(project: Project) -> None:
    project.write("spec.md", SPEC.replace("FR-2: 10,000 rows", "FR-2: TBD 10,000 rows"))
    document(project, FAILING, passing(), author="sed -i 's/TBD //' spec.md; echo \"revised $N\" >> spec.md", static_gate="important")  # fmt: skip


def undone(project: Project) -> None:
    document(project, FAILING, passing())
    assert 0 == project.cli("undo", "spec").exit_code


def undone_while_waiting(project: Project) -> None:
    document(project, FAILING, max_iterations=2)
    assert 0 == project.cli("undo", "spec").exit_code


def an_author_that_fails(project: Project) -> None:
    document(project, FAILING, author="exit 3")


def an_author_that_changes_nothing(project: Project) -> None:
    document(project, FAILING, author="true")
    resume(project, "spec", "--retry")


def a_fallback_that_answers(project: Project) -> None:
    project.reviewer(passing(), name="spare")
    project.agent("reviewer", "exit 7", fallback="spare")
    project.configure()
    project.run()


def started_again(project: Project) -> None:
    document(project, FAILING, passing(), author=None)
    project.cli("run", "spec.md", "--fresh")


def panel_approves(project: Project) -> None:
    panel(project, says(), says(), auto_approve=True)


def panel_proposes_and_a_person_overrules(project: Project) -> None:
    panel(project, says(), says())
    answer(project, "spec", "--reject", "--by", "Ann")


def panel_discards_quality(project: Project) -> None:
    panel(project, says(BOOM), says(), auto_reject=True, auto_approve=True)


def panel_proposes_a_revision(project: Project) -> None:
    panel(project, says(BOOM), says())


def panel_stopped_by_the_rules(project: Project) -> None:
    project.write("spec.md", SPEC.replace("FR-2: 10,000 rows", "FR-2: TBD 10,000 rows"))
    panel(project, says(), says(), static_gate="important", max_fix_iterations=1)


def panel_without_an_answer(project: Project) -> None:
    panel(project, "I like it.", says())


def workflow_with_and_without_reviews(project: Project) -> None:
    workflow(project, GO, tasks=f"  build: {{agent: dev, outputs: a.md, {OVERLAY % ''}}}\n  other: {{agent: dev, outputs: b.md}}")  # fmt: skip


def workflow_escalates_and_goes_on(project: Project) -> None:
    tasks = f"  build: {{agent: dev, outputs: a.md, {OVERLAY % ', max_iterations: 1'}}}\n  other: {{agent: dev, outputs: b.md, depends_on: [build]}}"
    workflow(project, NO_GO, tasks=tasks)
    resume(project, "build", "--accept")


def workflow_escalates_about_code(project: Project) -> None:
    workflow(project, NO_GO, tasks=f"  build: {{agent: dev, {OVERLAY % ', max_iterations: 1'}}}")


def workflow_refuses_a_go(project: Project) -> None:
    conditions = ", max_iterations: 1, exit_conditions: ['review.decision == GO', 'review.iteration >= 2']"
    workflow(project, GO, tasks=f"  build: {{agent: dev, outputs: a.md, {OVERLAY % conditions}}}")


def phases_approved(project: Project) -> None:
    phases(project, signal("Scope"), signal())
    resume(project, "auth-research", "--accept")
    project.cli("plan", "--name", "auth")


def phases_at_once(project: Project) -> None:
    phases(project, signal("Scope"), signal(), quick=True)


def phases_that_never_pass(project: Project) -> None:
    phases(project, signal("Scope"), quick=True)


def panel_finding_dismissed(project: Project) -> None:
    panel(project, says(GAP), says(GAP))
    answer(project, "spec", "--dismiss", "F1", "--why", "it is there", "--by", "Ann", "--retry")


def panel_sent_back(project: Project) -> None:
    panel(project, says(BOOM), says())
    resume(project, "spec", "--retry", "--note", "hide the rows")


def panel_discards_and_a_person_accepts(project: Project) -> None:
    panel(project, says(BOOM), says(BOOM))
    answer(project, "spec", "--accept", "--by", "Ann")


def panel_passes_what_memory_suppresses(project: Project) -> None:
    panel(project, says(GAP), says(GAP))
    for _ in range(3):
        answer(project, "spec", "--dismiss", "F1", "--why", "it is there", "--by", "Ann", "--accept")
        project.cli("run", "spec.md", "--fresh")


def undone_after_it_was_accepted(project: Project) -> None:
    document(project, FAILING, max_iterations=2)
    answer(project, "spec", "--accept")
    assert 0 == project.cli("undo", "spec").exit_code


def workflow_sent_back(project: Project) -> None:
    workflow(project, NO_GO, GO, tasks=f"  build: {{agent: dev, outputs: a.md, {OVERLAY % ', max_iterations: 1'}}}")
    resume(project, "build", "--retry")


def workflow_rejected(project: Project) -> None:
    workflow(project, NO_GO, tasks=f"  build: {{agent: dev, outputs: a.md, {OVERLAY % ', max_iterations: 1'}}}")
    answer(project, "build", "--reject", "--by", "Ann")


def workflow_with_an_author_that_fails(project: Project) -> None:
    project.agent("dev", "exit 1")
    project.reviewer(GO, name="critic")
    project.configure(f"tasks:\n  build: {{agent: dev, outputs: a.md, {OVERLAY % ''}}}")
    project.cli("work")


def phases_sent_back(project: Project) -> None:
    phases(project, signal())
    resume(project, "auth-research", "--retry", "--note", "shorter")


def phases_rejected(project: Project) -> None:
    phases(project, signal("Scope"), signal())
    answer(project, "auth-research", "--reject", "--by", "Ann")


def tasks_of_a_spec(project: Project, *answers: str, verify: str = "true") -> None:
    project.author('echo "$REVIEWLOOP_SESSION $REVIEWLOOP_ITERATION" >> login.py')
    project.reviewer(*answers)
    project.configure()
    task = f"- [ ] 1.1 Greet\n  - **Files**: `login.py`\n  - **Verify**: `{verify}`\n"
    project.write("specs/login/tasks.md", f"# Tasks: login\n\n{task}")
    project.write("specs/login/requirements.md", "# Requirements\n\n- FR-1: People log in with a name.\n")
    project.cli("work", "--spec", "login")


def tasks_of_a_spec_pass(project: Project) -> None:
    tasks_of_a_spec(project, signal("Correctness"), signal())


def tasks_of_a_spec_fail_their_own_check(project: Project) -> None:
    tasks_of_a_spec(project, signal(), verify="false")


def tasks_of_a_spec_pass_and_are_undone(project: Project) -> None:
    tasks_of_a_spec(project, signal())
    assert 0 == project.cli("undo", "login-1.1").exit_code


KINDS: tuple[Callable[[Project], None], ...] = (
    passed,
    passed_after_a_fix,
    blocked_without_an_author,
    blocked_when_exhausted,
    escalated_when_exhausted,
    passed_with_warnings_when_exhausted,
    blocked_by_a_malformed_answer,
    passed_by_policy_without_a_verdict,
    malformed_and_asked_again,
    refused_in_a_wrong_form,
    sent_back,
    sent_back_without_an_author,
    accepted,
    rejected,
    dismissed_and_accepted,
    contested_and_withdrawn,
    stopped_by_the_rules,
    fixed_for_the_rules,
    undone,
    undone_while_waiting,
    an_author_that_fails,
    an_author_that_changes_nothing,
    a_fallback_that_answers,
    started_again,
    panel_approves,
    panel_proposes_and_a_person_overrules,
    panel_discards_quality,
    panel_proposes_a_revision,
    panel_stopped_by_the_rules,
    panel_without_an_answer,
    workflow_with_and_without_reviews,
    workflow_escalates_and_goes_on,
    workflow_escalates_about_code,
    workflow_refuses_a_go,
    phases_approved,
    phases_at_once,
    phases_that_never_pass,
    panel_finding_dismissed,
    panel_sent_back,
    panel_discards_and_a_person_accepts,
    panel_passes_what_memory_suppresses,
    undone_after_it_was_accepted,
    workflow_sent_back,
    workflow_rejected,
    workflow_with_an_author_that_fails,
    phases_sent_back,
    phases_rejected,
    tasks_of_a_spec_pass,
    tasks_of_a_spec_fail_their_own_check,
    tasks_of_a_spec_pass_and_are_undone,
)


@pytest.mark.parametrize("happen", KINDS, ids=lambda kind: kind.__name__)
def test_every_view_agrees_with_the_ledger(project: Project, happen: Callable[[Project], None]):
    project.write("plan.md", PLAN)
    happen(project)
    compare(project)


APPENDS = 7
"""How often a session with one fix writes to its ledger."""


def fixed(project: Project) -> None:
    project.reviewer(FAILING, passing())
    project.author()
    project.configure()


def test_a_session_with_one_fix_writes_this_often(project: Project):
    fixed(project)
    run_to_the_end(project, APPENDS, "run", "spec.md")


@pytest.mark.parametrize("appends", range(2, APPENDS + 1))
def test_the_views_catch_up_after_a_crash(project: Project, appends: int):
    fixed(project)
    with killed_at(f"after:{appends}", project, "run", "spec.md"):
        resume(project, "spec")
    compare(project)


def test_the_views_catch_up_when_the_crash_came_after_the_end(project: Project):
    fixed(project)
    with killed_at(f"after:{APPENDS}", project, "run", "spec.md"):
        assert "passed" == project.cli("status", "spec", "--json").session["outcome"], "its end is on record"
        project.cli("run", "spec.md")
    compare(project)


def test_the_views_catch_up_after_a_crash_in_an_undo(project: Project):
    fixed(project)
    project.run()
    with killed_at("after:1", project, "undo", "spec"):
        resume(project, "spec")
    compare(project)
