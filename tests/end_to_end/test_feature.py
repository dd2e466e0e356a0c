"""000's feature flow through the command line: a PRD, specs by an author, the gate, a block, a person, tasks."""

from __future__ import annotations

import getpass
import json
from typing import Any

import pytest

from project import OF_TASKS, SCORES, SPEC, Project, Result, failing, passing
from reviewloop.errors import ExitCode

pytestmark = pytest.mark.slow

PRD = """\
---
prd_id: export
title: "CSV export"  # as in the plan
status: draft
depends_on:
  - web-ui
# Orchestrator-managed fields
# feature_status: pending
---

# CSV export

- REQ-1: every report can be exported as CSV.
"""
TASKS = """\
# Tasks: Export

- [ ] 1.1 Add the endpoint
  - **Do**: Add `GET /export`.
  - **Files**: `export.py`
  - **Done when**: FR-1 and FR-2 hold
  - **Verify**: `pytest tests/test_export.py`
  - **Commit**: `feat: export`
"""
WRITE = """\
echo "$REVIEWLOOP_KIND $REVIEWLOOP_ITERATION" >> "$TOLD/calls"
mkdir -p specs/export
case $REVIEWLOOP_KIND in spec) file=spec.md;; *) file=tasks.md;; esac
if [ "$REVIEWLOOP_ITERATION" = 0 ]; then cat "$TOLD/../tools/$file" > "specs/export/$file"
else echo "Fix $REVIEWLOOP_ITERATION." >> "specs/export/$file"; fi
"""


def passed() -> str:
    """An answer that passes specs and tasks alike: each is judged by its own rubric."""
    return passing(score=SCORES | OF_TASKS)


def failed(*issues: str) -> str:
    return failing(*issues, score=SCORES | OF_TASKS | {"completeness": 60})


def prepare(project: Project, *answers: str, prd: str = PRD, author: str = WRITE, **review: Any) -> None:
    (project.tools / "spec.md").write_text(SPEC)
    (project.tools / "tasks.md").write_text(TASKS)
    project.write("docs/prd/export.md", prd)
    project.author(author)
    project.reviewer(*(answers or (passed(),)))
    project.configure(**review)


def blocked(project: Project, *answers: str) -> Result:
    """A feature whose specs were turned down as often as allowed."""
    prepare(
        project, *(answers or (failed("no limit is given"), failed("no limit is given"), passed())), max_iterations=2
    )
    result = project.run("--prd", "docs/prd/export.md")
    assert (ExitCode.BLOCKED, "blocked") == (result.exit_code, result.session["outcome"]), result.stderr
    return result


def status(project: Project) -> str:
    lines = project.read("docs/prd/export.md").splitlines()
    return next(line.partition(": ")[2] for line in lines if line.startswith("feature_status:"))


def calls(project: Project) -> list[str]:
    return (project.told / "calls").read_text().splitlines()


def resumed(project: Project, *options: str) -> Result:
    return project.cli("resume", "export", *options, "--json")


def answers_on_record(project: Project) -> list[tuple[str, str, str]]:
    found = [one["payload"] for one in project.events() if one["type"] == "spec.review.resumed"]
    return [(one["action"], one["by"], one["note"]) for one in found]


def test_000_specs_are_written_reviewed_and_revised_and_then_the_tasks(project: Project):
    prepare(project, failed("no limit is given"), passed())
    result = project.run("--prd", "docs/prd/export.md")
    session = result.session
    assert (ExitCode.PASSED, "passed", "passed") == (result.exit_code, session["outcome"], session["tasks"]["outcome"])
    assert ("export", "docs/prd/export.md", "specs/export", "spec-gate") == (
        session["feature"], session["prd_path"], session["specs_path"], session["profile"],
    )  # fmt: skip
    assert ["spec 0", "spec 1", "tasks 0"] == calls(project)
    assert (f"{SPEC}Fix 1.\n", TASKS) == (project.read("specs/export/spec.md"), project.read("specs/export/tasks.md"))


def test_000_the_right_texts_reach_the_right_prompts(project: Project):
    project.write("constitution.md", "# Project\n\n## Standards\n\nEvery limit is a number.\n")
    prepare(project, failed("no limit is given"), passed())
    project.run("--prd", "docs/prd/export.md")
    first, revision, tasks = project.prompts("author")
    review, again, of_tasks = project.prompts("reviewer")
    assert "docs/prd/export.md" in first
    assert all("Every limit is a number." in told for told in (first, revision, tasks, review, again, of_tasks))
    assert "no limit is given" in revision
    assert "no limit is given" in again, "the reviewer is told what it found before"
    assert all("every report can be exported as CSV" in told for told in (review, again, of_tasks)), (
        "the PRD is upstream"
    )
    assert "Rows are streamed" in of_tasks, "the specs are upstream of the tasks"
    assert "specs/export" in tasks


def test_000_the_prd_says_where_the_feature_is_and_keeps_everything_else(project: Project):
    prepare(project, failed(), passed())
    prd = project.root / "docs/prd/export.md"
    prd.write_bytes(PRD.replace("\n", "\r\n").encode())
    seen = f'sed -n "s/^feature_status: //p" "{prd}" | tr -d "\\r" >> "$TOLD/states"\n'
    project.author(seen + WRITE)
    project.agent("reviewer", f'{seen}cat "$TOLD/../tools/reviewer-answer-$([ $N -gt 0 ] && echo 1 || echo 0)"')
    assert ExitCode.PASSED == project.run("--prd", "docs/prd/export.md").exit_code
    states = (project.told / "states").read_text().splitlines()
    assert ["generating_specs", "reviewing_specs", "updating_specs", "reviewing_specs", "generating_tasks", "generating_tasks"] == states  # fmt: skip
    raw = prd.read_bytes().decode()
    kept = [line for line in raw.split("\n") if line.partition(":")[0] not in OURS]
    assert PRD.replace("\n", "\r\n").split("\n") == kept
    assert "feature_status: specs_committed\r\n" in raw
    assert "spec_review_iterations: 2\r\n" in raw


OURS = ("feature_status", "feature_started_at", "spec_review_iterations", "last_spec_review")


def test_000_the_other_vocabulary_is_read_and_its_keys_are_kept(project: Project):
    other = PRD.replace(
        "# feature_status: pending", "feature_status: not_started # tool\nstarted_at:\nreview_iterations: 0"
    )
    prepare(project, prd=other)
    assert ExitCode.PASSED == project.run("--prd", "docs/prd/export.md").exit_code
    text = project.read("docs/prd/export.md")
    assert "feature_status: specs_committed # tool\n" in text
    assert "\nreview_iterations: 1\n" in text
    assert "\nstarted_at: 2" in text
    assert "spec_review_iterations" not in text


def test_000_a_blocked_feature_waits_and_names_commands_that_work_when_pasted(project: Project):
    session = blocked(project).session
    assert ("review_blocked", "max iterations exhausted with needs_revision verdict", None) == (
        status(project), session["block_reason"], session["tasks"],
    )  # fmt: skip
    commands = [one.partition("reviewloop ")[2] for one in session["recovery_actions"] if "reviewloop " in one]
    assert ["log export", "resume export --from-validation", "resume export --skip-review", "resume export --accept", "resume export"] == commands  # fmt: skip
    again = project.run("--prd", "docs/prd/export.md")
    assert (ExitCode.BLOCKED, session["session"]) == (again.exit_code, again.session["session"])
    assert ["spec 0", "spec 1"] == calls(project), "nothing is paid for while it waits"
    assert ExitCode.PASSED == project.cli(*commands[-1].split()).exit_code


def test_000_resume_sends_it_back_to_the_author_with_a_note(project: Project):
    blocked(project)
    result = resumed(project, "--note", "10,000 rows at most")
    assert (ExitCode.PASSED, "passed") == (result.exit_code, result.session["outcome"])
    assert "10,000 rows at most" in project.prompts("author")[2]
    assert "10,000 rows at most" in project.prompts("reviewer")[2]
    assert "specs_committed" == status(project)


def test_000_a_skipped_review_is_on_record_and_never_called_a_plain_pass(project: Project):
    blocked(project)
    result = resumed(project, "--skip-review", "--note", "we ship today")
    session = result.session
    assert (ExitCode.PASSED, "passed_with_warnings") == (result.exit_code, session["outcome"])
    me = getpass.getuser()
    assert [
        f"no review passed: {me} skipped the review: we ship today",
        "open at the last review: no limit is given",
    ] == session["warnings"]
    assert [("skip_review", me, "we ship today")] == answers_on_record(project)
    assert ["spec 0", "spec 1", "tasks 0"] == calls(project), "it goes on with the tasks"
    assert "no review passed" in project.cli("status", "export").stdout


def test_000_from_validation_lets_only_the_rules_check_what_a_person_edited(project: Project):
    blocked(project)
    project.write("specs/export/spec.md", SPEC.replace("5 seconds", "3 seconds"))
    result = resumed(project, "--from-validation")
    warnings = result.session["warnings"]
    assert (ExitCode.PASSED, "passed_with_warnings") == (result.exit_code, result.session["outcome"])
    assert warnings[0].startswith("no review passed: checked by the rules alone")
    assert "open at the last review, before the text was edited: no limit is given" == warnings[1]
    assert 3 == len(project.prompts("reviewer")), "two reviews of the specs before, one of the tasks after"


@pytest.mark.parametrize("option", ["--from-validation", "--skip-review"])
def test_000_what_the_rules_turn_down_does_not_validate(project: Project, option: str):
    blocked(project)
    project.write("specs/export/spec.md", SPEC.replace("FR-2: 10,000", "FR-1: 10,000"))
    result = resumed(project, option)
    assert (ExitCode.BLOCKED, "validation") == (result.exit_code, result.session["reason"]), result.session
    assert result.session["findings"]
    assert "review_blocked" == status(project)
    project.write("specs/export/spec.md", SPEC)
    assert "passed_with_warnings" == resumed(project, option).session["outcome"]


def test_a_waiver_for_what_cannot_be_read_is_not_even_recorded(project: Project):
    blocked(project)
    project.write("specs/export/spec.md", "")
    assert ExitCode.USAGE == resumed(project, "--skip-review").exit_code
    (project.root / "specs/export/spec.md").unlink()
    gone = resumed(project, "--from-validation")
    assert (ExitCode.USAGE, True) == (gone.exit_code, "nothing in specs/export to go on with" in gone.stderr)
    assert [] == answers_on_record(project)


def test_000_from_tasks_takes_the_specs_and_writes_the_tasks_again(project: Project):
    blocked(project)
    first = resumed(project, "--from-tasks")
    assert (ExitCode.PASSED, "passed_with_warnings") == (first.exit_code, first.session["outcome"])
    assert "without rules or review" in first.session["warnings"][0]
    project.write("specs/export/tasks.md", "# by hand\n")
    second = resumed(project, "--from-tasks")
    assert (ExitCode.PASSED, TASKS) == (second.exit_code, project.read("specs/export/tasks.md"))
    assert first.session["tasks"]["session"] != second.session["tasks"]["session"]
    me = getpass.getuser()
    assert [("from_tasks", me, "")] * 2 == answers_on_record(project)


def test_000_specs_that_passed_are_still_passed_after_their_tasks_were_written_again(project: Project):
    prepare(project)
    project.run("--prd", "docs/prd/export.md")
    result = resumed(project, "--from-tasks")
    assert (ExitCode.PASSED, "passed", []) == (result.exit_code, result.session["outcome"], result.session["warnings"])
    assert ["spec 0", "tasks 0", "tasks 0"] == calls(project)


def test_specs_that_somebody_changed_are_reviewed_again_and_the_tasks_follow(project: Project):
    prepare(project)
    project.run("--prd", "docs/prd/export.md")
    project.write("specs/export/spec.md", SPEC.replace("5 seconds", "3 seconds"))
    assert "reviewloop run --prd docs/prd/export.md --feature export" in project.cli("status", "export").stdout
    assert ExitCode.PASSED == project.run("--prd", "docs/prd/export.md").exit_code
    assert ["spec 0", "tasks 0", "tasks 0"] == calls(project)
    assert "3 seconds" in project.prompts("reviewer")[2]


def test_tasks_that_somebody_ticked_off_are_not_written_again(project: Project):
    prepare(project)
    project.run("--prd", "docs/prd/export.md")
    ticked = TASKS.replace("- [ ]", "- [x]")
    project.write("specs/export/tasks.md", ticked)
    project.write("specs/export/spec.md", SPEC.replace("5 seconds", "3 seconds"))
    assert ExitCode.PASSED == project.run("--prd", "docs/prd/export.md").exit_code
    assert (["spec 0", "tasks 0"], ticked) == (calls(project), project.read("specs/export/tasks.md"))
    assert 4 == len(project.prompts("reviewer")), "both are reviewed again"


def test_tasks_that_are_turned_down_wait_and_the_features_name_is_enough_to_go_on(project: Project):
    prepare(project, passed(), failed("no order"), failed("no order"), passed(), max_iterations=2)
    result = project.run("--prd", "docs/prd/export.md")
    session = result.session
    assert (ExitCode.BLOCKED, "passed", "blocked") == (
        result.exit_code,
        session["outcome"],
        session["tasks"]["outcome"],
    )
    assert (
        "Have the author write it again: reviewloop resume export --from-tasks" in session["tasks"]["recovery_actions"]
    )
    after = resumed(project, "--note", "tests first")
    assert (ExitCode.PASSED, "passed") == (after.exit_code, after.session["tasks"]["outcome"])
    assert "tests first" in project.prompts("author")[-1]


def test_a_rejected_feature_has_failed_and_fresh_begins_anew(project: Project):
    blocked(project)
    assert ExitCode.NEEDS_REVISION == resumed(project, "--reject").exit_code
    assert "failed" == status(project)
    assert ExitCode.NEEDS_REVISION == project.run("--prd", "docs/prd/export.md").exit_code
    assert ExitCode.PASSED == project.run("--prd", "docs/prd/export.md", "--fresh").exit_code
    assert "specs_committed" == status(project)


def test_a_feature_goes_on_under_the_configuration_it_was_begun_with(project: Project):
    prepare(project, failed(), failed(), passed(), max_iterations=2)
    (project.root / "reviewloop.yml").rename(project.root / "other.yml")
    project.write("reviewloop.yml", "review: {reviewer: static}\n")
    begun = project.cli("run", "--prd", "docs/prd/export.md", "--config", "other.yml", "-q")
    assert ExitCode.BLOCKED == begun.exit_code, begun.stderr
    assert ExitCode.PASSED == resumed(project).exit_code
    assert TASKS == project.read("specs/export/tasks.md")


def test_a_skipped_review_counts_as_a_persons_override_and_says_nothing_about_the_findings(project: Project):
    blocked(project)
    resumed(project, "--skip-review")
    reviews = json.loads(project.read(".reviewloop/analytics.json"))["reviews"]
    last = [one for one in reviews if one["task"] == "export"][-1]
    assert ("approve", [False]) == (last["human_override"], [one["false_positive"] for one in last["findings"]])


def test_accepting_in_the_inbox_goes_on_with_the_tasks(project: Project):
    blocked(project)
    assert ExitCode.PASSED == project.cli("inbox", "answer", "export", "--accept", "-q").exit_code
    assert TASKS == project.read("specs/export/tasks.md")


def test_specs_that_are_there_are_reviewed_and_not_written_again(project: Project):
    prepare(project)
    project.write("specs/export/mine.md", SPEC)
    assert ExitCode.PASSED == project.run("--prd", "docs/prd/export.md").exit_code
    assert ["tasks 0"] == calls(project)
    assert not (project.root / "specs/export/spec.md").exists()


def test_the_author_writes_in_the_features_folder_and_nowhere_else(project: Project):
    prepare(project, author=f"{WRITE}echo x > stray.md; echo y >> docs/prd/export.md")
    assert ExitCode.PASSED == project.run("--prd", "docs/prd/export.md").exit_code
    assert not (project.root / "stray.md").exists()
    assert project.read("docs/prd/export.md").endswith("exported as CSV.\n")


def test_a_feature_is_found_by_its_prd(project: Project):
    prepare(project)
    project.write("docs/prd/README.md", "# All PRDs\n")
    (project.root / "docs/prd/export.md").rename(project.root / "docs/prd/0001.md")
    result = project.run("--feature", "export")
    assert (ExitCode.PASSED, "docs/prd/0001.md") == (result.exit_code, result.session["prd_path"])
    project.write("docs/prd/other.md", PRD)
    twice = project.cli("run", "--feature", "export")
    assert ExitCode.USAGE == twice.exit_code
    assert "several PRDs match export: docs/prd/0001.md, docs/prd/other.md" in twice.stderr


@pytest.mark.parametrize(
    ("prd", "error"),
    [
        ("# CSV export\n", "docs/prd/export.md has no front matter"),
        ("---\ntitle: [\n---\n", "the front matter of docs/prd/export.md cannot be read"),
        (PRD.replace("prd_id: export", "prd_id: a/b"), "cannot be used as a folder name"),
        (PRD.replace("status: draft", "status: completed"), "the feature export is already complete"),
        (PRD.replace("# feature_status: pending", "feature_status: pr_open"), "the feature export is already pr_open"),
        (PRD.replace("# feature_status: pending", "feature_status: specs_committed"), "already specs_committed"),
        (PRD.replace("# feature_status: pending", "feature_status: begun"), "unknown feature_status 'begun'"),
    ],
)
def test_a_prd_that_cannot_be_worked_from_is_an_error_with_a_hint(project: Project, prd: str, error: str):
    prepare(project, prd=prd)
    result = project.cli("run", "--prd", "docs/prd/export.md")
    assert ExitCode.USAGE == result.exit_code
    assert error in result.stderr
    assert "hint: " in result.stderr
    assert prd == project.read("docs/prd/export.md")


def test_without_a_prd_or_an_author_there_is_nothing_to_do(project: Project):
    prepare(project)
    missing = project.cli("run", "--prd", "docs/prd/none.md")
    assert (ExitCode.USAGE, True) == (missing.exit_code, "docs/prd/none.md is not there" in missing.stderr)
    project.write("reviewloop.yml", "review: {reviewer: static}\n")
    nobody = project.cli("run", "--prd", "docs/prd/export.md")
    assert (ExitCode.USAGE, True) == (nobody.exit_code, "no agent is configured to write specs/export" in nobody.stderr)
    assert "review.author" in nobody.stderr


def test_answers_exclude_each_other(project: Project):
    blocked(project)
    result = resumed(project, "--from-validation", "--from-tasks")
    assert (ExitCode.USAGE, True) == (
        result.exit_code,
        "--from-validation and --from-tasks exclude each other" in result.stderr,
    )
    assert [] == answers_on_record(project)


def test_a_feature_may_be_given_another_name(project: Project):
    prepare(project, author=WRITE.replace("specs/export", "specs/csv"))
    result = project.run("--prd", "docs/prd/export.md", "--feature", "csv")
    assert (ExitCode.PASSED, "csv", "specs/csv") == (
        result.exit_code, result.session["feature"], result.session["specs_path"],
    )  # fmt: skip
    assert (
        "cannot be used as a folder name" in project.cli("run", "--prd", "docs/prd/export.md", "--name", "../x").stderr
    )


def test_skipping_a_review_is_for_features_only(project: Project):
    project.reviewer(failed())
    project.run()
    result = project.cli("resume", "spec", "--skip-review")
    assert ExitCode.USAGE == result.exit_code
    assert "--skip-review only works for features from a PRD" in result.stderr


def test_specs_that_passed_and_are_gone_are_not_taken_for_done(project: Project):
    prepare(project)
    project.run("--prd", "docs/prd/export.md")
    (project.root / "specs/export/spec.md").unlink()
    result = project.cli("run", "--prd", "docs/prd/export.md")
    assert (ExitCode.USAGE, True) == (result.exit_code, "passed but no longer exist" in result.stderr)


def test_a_prd_that_cannot_be_updated_is_a_warning_and_no_failed_feature(project: Project):
    twice = PRD.replace("# feature_status: pending", "feature_status: pending\nfeature_status: pending")
    prepare(project, prd=twice)
    result = project.cli("run", "--prd", "docs/prd/export.md", "--json")
    assert ExitCode.PASSED == result.exit_code
    assert "warning: the PRD's front matter could not be written: docs/prd/export.md was not changed" in result.stderr
    assert twice == project.read("docs/prd/export.md")


def test_the_table_and_the_session_are_for_people(project: Project):
    blocked(project)
    shown = project.cli("resume", "export", "--skip-review", "-q").stdout
    assert "export        done" in shown
    assert "export-tasks  done" in shown
    assert "passed with warnings" in shown
    assert json.loads(project.cli("status", "export", "--json").stdout)["outcome"] == "passed_with_warnings"
