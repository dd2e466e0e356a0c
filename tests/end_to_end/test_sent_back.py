"""A person's word reaches the author next, whatever the reviewers had said, and nobody is paid twice for one text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from at_work import WAIT_FOR_GO, at_work, go

from project import OF_TASKS, SCORES, SPEC, Project, failing, passing
from reviewloop.errors import ExitCode

pytestmark = pytest.mark.slow

SAYS: dict[str, Any] = {"verdict": "pass", "findings": []}
BOOM = {"severity": "critical", "description": "Anybody may export", "section": "Design"}


def calls(project: Project, reviewer: str = "reviewer") -> tuple[int, int]:
    return len(project.prompts(reviewer)), len(project.prompts("author"))


def panel(project: Project, *, first: dict[str, Any]) -> None:
    """Two models; in their first answer they say `first`, later they pass."""
    for name in ("haiku", "sonnet"):
        project.agent(
            name,
            f"if [ $N -lt 2 ]; then cat <<'END'\n{json.dumps(first)}\nEND\nelse echo '{json.dumps(SAYS)}'; fi",
        )
    project.author()
    project.configure("profile: panel", parallel_models=["haiku", "sonnet"])


def phase(project: Project) -> None:
    rows = "".join(
        f"| {n} | {name} | PASS | fine |\n" for n, name in enumerate(("Completeness", "Grounding", "Scope"), 1)
    )
    project.reviewer(f"| # | Dimension | Status | Finding |\n|---|---|---|---|\n{rows}\nREVIEW_PASS\n")
    project.author('mkdir -p specs/login; echo "# Research $N" >> specs/login/research.md')
    project.configure(static_gate="off")


def test_a_note_on_an_approved_panel_proposal_goes_to_the_author(project: Project):
    panel(project, first=SAYS)
    assert "approve" == project.run().session["proposal"]
    before = len(project.prompts("sonnet"))

    result = project.cli("resume", "spec", "--retry", "--note", "name the format", "--json")

    assert ["name the format" in prompt for prompt in project.prompts("author")] == [True]
    assert "The reviewers had passed it." in project.prompts("author")[0]
    assert (before + 2, "proposal") == (len(project.prompts("sonnet")), result.session["reason"]), (
        "one review of the fix"
    )


def test_a_send_back_of_a_pass_without_a_note_reaches_the_author_too(project: Project):
    panel(project, first=SAYS)
    project.run()
    project.cli("resume", "spec", "--retry")
    assert "sent the work back" in project.prompts("author")[0]


def test_a_send_back_of_a_refused_panel_proposal_tells_the_author_the_findings(project: Project):
    panel(project, first={"verdict": "fail", "findings": [BOOM]})
    assert "revise" == project.run().session["proposal"]
    project.cli("resume", "spec", "--retry", "--note", "only admins")
    (told,) = project.prompts("author")
    assert ("Anybody may export" in told, "only admins" in told) == (True, True)


def test_a_note_on_a_phase_that_waits_for_approval_goes_to_its_author(project: Project):
    phase(project)
    project.cli("plan", "login", "--name", "login")
    assert (1, 1) == calls(project)

    result = project.cli("resume", "login-research", "--retry", "--note", "compare passkeys", "--json")

    assert ("escalated", "decision") == (result.session["outcome"], result.session["reason"])
    assert (2, 2) == calls(project)
    assert "compare passkeys" in project.prompts("author")[1]
    assert "# Research 1" in project.read("specs/login/research.md")


def test_one_iteration_is_enough_for_a_send_back_to_be_fixed(project: Project):
    project.reviewer(failing("The format is unclear"), passing())
    project.author()
    project.configure(max_iterations=1)
    assert ExitCode.BLOCKED == project.run().exit_code

    result = project.cli("resume", "spec", "--retry", "--json")

    assert ("passed", (2, 1)) == (result.session["outcome"], calls(project))
    assert "The format is unclear" in project.prompts("author")[0]
    assert "This is iteration 1 of at most 1." in project.prompts("reviewer")[1]
    assert [1, 3] == [record["iteration"] for record in result.session["iterations"]], "the send-back is no review"


def test_one_iteration_and_a_text_the_person_edited_still_get_a_fix(project: Project):
    project.reviewer(failing("The format is unclear"), failing("The format is gone"), passing())
    project.author()
    project.configure(max_iterations=1)
    project.run()
    project.write("spec.md", f"{project.read()}\nEdited.\n")

    result = project.cli("resume", "spec", "--retry", "--json")

    assert ("passed", (3, 1)) == (result.session["outcome"], calls(project))


def test_an_added_finding_goes_to_the_author_of_a_passed_text(project: Project):
    project.reviewer(passing())
    project.author()
    project.configure()
    project.run()

    result = project.cli("resume", "spec", "--retry", "--add", "Nobody says who may export", "--json")

    assert ("passed", (2, 1)) == (result.session["outcome"], calls(project))
    assert "P1 the whole artifact: Nobody says who may export" in project.prompts("author")[0]
    assert "Nobody says who may export" in project.prompts("reviewer")[1]


def test_a_note_reaches_the_author_of_a_text_that_nobody_could_judge(project: Project):
    project.agent("reviewer", 'if [ -e "$TOLD/author-0.txt" ]; then echo \'' + passing() + "'; else exit 3; fi")
    project.author()
    project.configure()
    assert ExitCode.INCONCLUSIVE == project.run().exit_code

    result = project.cli("resume", "spec", "--retry", "--note", "name the format", "--json")

    assert ("passed", (2, 1)) == (result.session["outcome"], calls(project))
    assert "name the format" in project.prompts("author")[0]


def test_a_text_that_nobody_could_judge_is_reviewed_again_if_the_person_says_nothing(project: Project):
    project.agent("reviewer", "if [ $N = 0 ]; then exit 3; fi; echo '" + passing() + "'")
    project.author()
    project.configure()
    project.run()
    assert ExitCode.PASSED == project.cli("resume", "spec").exit_code
    assert (2, 0) == calls(project)


def test_an_edited_text_with_a_note_goes_to_the_author_and_is_reviewed_even_if_the_author_leaves_it(project: Project):
    project.reviewer(failing("The format is unclear"), passing())
    project.author("true")
    project.configure(max_iterations=1)
    project.run()
    project.write("spec.md", f"{project.read()}\nThe format is CSV.\n")

    result = project.cli("resume", "spec", "--retry", "--note", "I fixed it myself", "--json")

    assert ("passed", (2, 1)) == (result.session["outcome"], calls(project))


def test_an_author_that_ignores_a_person_does_not_pass_with_a_warning(project: Project):
    project.reviewer(passing())
    project.author("true")
    project.configure(on_exhausted="warn")
    project.run()

    result = project.cli("resume", "spec", "--retry", "--note", "name the format", "--json")

    assert ("escalated", "no_change", (1, 1)) == (
        result.session["outcome"], result.session["reason"], calls(project),
    )  # fmt: skip


def test_a_rule_finding_does_not_keep_a_note_from_the_author(project: Project):
    project.write("spec.md", "# SPEC: Export\n")
    project.reviewer(passing())
    project.author("true")
    project.configure()
    assert ExitCode.BLOCKED == project.run().exit_code
    project.cli("resume", "spec", "--retry", "--note", "start with the format", "--add", "Who may export?")
    told = project.prompts("author")[-1]
    assert ("start with the format" in told, "Who may export?" in told, "[critical" in told) == (True, True, True)
    assert [] == project.prompts("reviewer")


def test_a_task_without_a_review_that_was_done_is_sent_back(project: Project):
    project.author('echo "built $N" >> built', name="dev")
    project.configure("tasks:\n  build: {agent: dev}\n")
    assert ExitCode.PASSED == project.cli("work").exit_code

    result = project.cli("resume", "build", "--retry", "--note", "build it better", "--json")

    assert (ExitCode.PASSED, "built 0\nbuilt 1\n") == (result.exit_code, project.read("built"))
    assert "build it better" in project.prompts("dev")[1]


def test_progress_and_results_count_reviews(project: Project):
    project.reviewer(failing("The format is unclear"), failing("The format is still unclear"), passing())
    project.author()
    project.configure(max_iterations=2)
    project.run()

    result = project.cli("resume", "spec", "--retry")

    assert ["spec: iteration 1/1: asking reviewer"] == [
        line for line in result.stderr.splitlines() if "asking reviewer" in line
    ]
    assert "spec: passed  3 iterations" in result.stdout
    assert 3 == len(project.cli("status", "spec", "--json").session["iterations"])


def test_late_findings_are_told_to_the_author_as_optional(project: Project):
    project.write("spec.md", project.read() + "\n## Limits\n\nNone are known.\n")
    project.reviewer(
        failing("The format is unclear"),
        json.dumps(
            {
                "verdict": "needs_revision",
                "score": SCORES | {"completeness": 60},
                "feedback": [
                    {"section": "Overview", "issue": "The format is unclear", "suggestion": "say it"},
                    {"section": "Limits", "issue": "State the longest row", "suggestion": "64 KB"},
                ],
            }
        ),
        passing(),
    )
    project.author('sed -i "s/Exports a report/Exports a report $N/" spec.md')
    project.write("prd.md", "# PRD: Export\n\n- REQ-1: Export.\n")
    project.configure()

    session = project.run("spec.md", "--prd", "prd.md").session

    second = project.prompts("author")[1]
    assert "State the longest row" in second.partition("# Optional findings")[2]
    assert "State the longest row" not in second.partition("# Findings to fix")[2].partition("# Optional")[0]
    assert "`prd.md` (prd)" in second.partition("# What the work builds on")[2]
    assert "passed" == session["outcome"]


def test_a_finding_keeps_its_id_and_reviewers_hear_of_every_finding(project: Project):
    project.reviewer(
        failing("The format is unclear", "The design names no module"),
        failing("The design names no module"),
        failing("The design names no module", "The limit has no unit", section="Requirements"),
        passing(),
    )
    project.author('sed -i "s/Exports a report/Exports a report $N/; s/rows take/rows take $N/" spec.md')
    project.configure(max_iterations=4)

    project.run()

    ids = [
        {finding["issue"]: finding["id"] for finding in event["payload"]["findings"]}
        for event in project.events()
        if event["type"] == "spec.review.iteration"
    ]
    assert {"The format is unclear": "F1", "The design names no module": "F2"} == ids[0]
    assert {"The design names no module": "F2"} == ids[1]
    assert ["F2", "F3"] == sorted(ids[2].values())
    third = project.prompts("reviewer")[2]
    assert "The design names no module" in third.partition("# Open findings")[2].partition("# Findings that count")[0]
    assert "The format is unclear" in third.partition("# Findings that count as fixed")[2]


def test_a_note_survives_a_kill_while_the_author_works_on_it(project: Project):
    project.reviewer(passing())
    project.author(f"{WAIT_FOR_GO} echo revised >> spec.md")
    project.configure()
    project.run()
    with at_work(project, "resume", "spec", "--retry", "--note", "name the format") as process:
        process.kill()
    go(project)

    result = project.cli("resume", "spec", "--json")

    assert ("passed", (2, 2)) == (result.session["outcome"], calls(project))
    assert ["name the format" in told for told in project.prompts("author")] == [True, True]


def test_a_contested_finding_and_a_send_back_are_both_heard(project: Project):
    project.reviewer(failing("The format is unclear"), failing("The format is unclear"), passing())
    contest = json.dumps({"contested": [{"id": "F1", "reason": "it is CSV"}]})
    project.author(f"if [ $N = 0 ]; then echo '{contest}'; else echo revised >> spec.md; fi")
    project.configure(max_iterations=2)
    assert ExitCode.BLOCKED == project.run().exit_code

    result = project.cli("resume", "spec", "--retry", "--note", "say it all the same", "--json")

    assert "passed" == result.session["outcome"]
    told = project.prompts("author")[1]
    assert ("F1" in told, "say it all the same" in told) == (True, True)
    assert "it is CSV" in project.prompts("reviewer")[-1]


def test_what_memory_suppresses_stays_suppressed_after_a_send_back(project: Project):
    for day in range(3):
        project.write("spec.md", f"{project.read()}\n")
        project.reviewer(failing("The format is unclear", score=SCORES), name="reviewer")
        project.configure(max_iterations=1)
        project.cli("run", "spec.md", "--name", f"spec-{day}")
        project.cli("resume", f"spec-{day}", "--dismiss", "F1", "--why", "it is CSV", "--by", f"ann{day}")
        project.cli("resume", f"spec-{day}", "--accept")
    project.author()
    project.configure()
    session = project.run().session
    assert "passed_with_warnings" == session["outcome"]

    project.cli("resume", "spec", "--retry", "--note", "shorter, please")

    told = project.prompts("author")[-1]
    assert ("shorter, please" in told, "The format is unclear" in told) == (True, False)


def test_a_sent_back_feature_goes_to_the_author_of_its_specs(project: Project):
    project.write("docs/prd/export.md", "---\nprd_id: export\ntitle: Export\n---\n\n# Export\n\n- REQ-1: as CSV.\n")
    (project.tools / "spec.md").write_text(SPEC)
    (project.tools / "tasks.md").write_text("# Tasks\n\n- [ ] 1.1 Build\n")
    everything = passing(score=SCORES | OF_TASKS)
    project.reviewer(everything)
    write = f"mkdir -p specs/export; f=specs/export/$REVIEWLOOP_KIND.md; [ -e $f ] || cp {project.tools}/$REVIEWLOOP_KIND.md $f"
    project.author(f'{write}; [ "$REVIEWLOOP_ITERATION" = 0 ] || echo "better $N" >> $f')
    project.configure(static_gate="off")
    done = project.cli("run", "--prd", "docs/prd/export.md")
    assert ExitCode.PASSED == done.exit_code, done

    result = project.cli("resume", "export", "--retry", "--note", "name the format")

    assert ExitCode.PASSED == result.exit_code, result
    assert "built on this work and not stopped: export-tasks" in result.stderr
    assert "name the format" in project.prompts("author")[2]
    assert "better" in project.read("specs/export/spec.md")


def test_an_undone_session_is_over_and_cannot_be_sent_back(project: Project):
    project.reviewer(failing("The format is unclear"), passing())
    project.author()
    project.configure()
    project.run()
    project.cli("undo", "spec")
    refused = project.cli("resume", "spec", "--retry", "--note", "again")
    assert (ExitCode.USAGE, True) == (refused.exit_code, "session spec is over: undone" in refused.stderr)


def test_answers_of_discarded_reviewers_are_no_verdict_on_the_text(project: Project):
    """The spec stage failed, so nobody has judged the quality: dismissing its findings passes nothing by itself."""
    panel(project, first={"verdict": "fail", "findings": [BOOM]})
    project.run()
    ids = [finding["id"] for finding in project.cli("status", "spec", "--json").session["findings"]]
    for name in ids:
        project.cli("resume", "spec", "--dismiss", name, "--why", "only admins may")
    before = len(project.prompts("sonnet"))
    project.cli("resume", "spec", "--retry")
    assert (True, []) == (len(project.prompts("sonnet")) > before, project.prompts("author"))
