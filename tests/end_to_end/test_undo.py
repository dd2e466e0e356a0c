"""`undo` restores what was there before the authors' first edit, all of it or nothing; `diff` shows what they changed."""

from __future__ import annotations

import json
import shutil
import sqlite3
import stat
from pathlib import Path
from typing import Any

import pytest
from at_work import WAIT_FOR_GO, at_work, go

from project import SPEC, Project, Result, failing, passing, says_go
from reviewloop.errors import ExitCode

pytestmark = pytest.mark.slow

ISSUE = "The CSV dialect is not said"


def revised(project: Project, *answers: str, script: str = 'echo "revised $N" >> spec.md', **review: Any) -> None:
    project.reviewer(*(answers or (failing(ISSUE, section="Design"), passing())))
    project.author(script)
    project.configure(**review)
    project.run()


def tree(project: Project) -> dict[str, tuple[bytes, str]]:
    """Every file of the user's, with its permission bits."""
    own = (".reviewloop", ".ai-sdd", ".claude", ".git")
    return {
        path.relative_to(project.root).as_posix(): (path.read_bytes(), oct(stat.S_IMODE(path.stat().st_mode)))
        for path in sorted(project.root.rglob("*"))
        if path.is_file() and path.relative_to(project.root).parts[0] not in own
    }


def refused(result: Result, message: str, hint: str) -> None:
    assert ExitCode.USAGE == result.exit_code, result.stdout
    assert message in result.stderr
    assert hint in result.stderr


def undone(project: Project, name: str = "spec") -> bool:
    return project.cli("status", name, "--json").session["outcome"] == "undone"


# What is restored


BUILD = """\
if [ "$REVIEWLOOP_ITERATION" = 0 ]; then
  echo more >> code.py; rm data.bin; rm sub/only.txt; mkdir -p new/er; echo x > new/er/x.py; chmod +x tool.sh
else
  echo fix >> code.py; echo again > data.bin; chmod -x run.sh; rm new/er/x.py; echo y > new/er/y.py
fi
"""
TASK = """\
tasks:
  build:
    agent: dev
    prompt: Build it
    overlays: {agentic_review: {enabled: true, coder_agent: dev, reviewer_agent: critic}}
"""


@pytest.mark.parametrize("workspace", ["scratch", "in_place"])
def test_changed_created_deleted_and_binary_files_and_modes_are_as_they_were(project: Project, workspace: str):
    project.write("code.py", "one\r\n")
    (project.root / "data.bin").write_bytes(b"\0\xff\r\n")
    project.write("sub/only.txt", "alone\n")
    for name, mode in {"tool.sh": 0o640, "run.sh": 0o744, "data.bin": 0o600}.items():
        (project.root / name).touch()
        (project.root / name).chmod(mode)
    before = tree(project)
    project.agent("dev", BUILD)
    answers = [json.dumps({"decision": "NO_GO", "feedback": "x"}), says_go("x")]
    project.reviewer(*answers, name="critic")
    project.configure(TASK, **({"workspace": "in_place"} if workspace == "in_place" else {}))
    before |= {"reviewloop.yml": tree(project)["reviewloop.yml"]}
    assert ExitCode.PASSED == project.cli("work").exit_code
    after = tree(project)
    assert {"code.py", "data.bin", "tool.sh", "run.sh", "new/er/y.py"} == {
        path for path in after if after[path] != before.get(path)
    }

    planned = project.cli("undo", "build", "--dry-run")
    assert after == tree(project), "a dry run changes nothing"
    assert ExitCode.PASSED == project.cli("undo", "build").exit_code

    assert before == tree(project)
    assert not (project.root / "new").exists()
    assert (
        "build: would be undone, 6 files\n  would restore code.py\n  would restore data.bin\n  would delete new/er/y.py\n"
        "  would restore run.sh\n  would restore sub/only.txt\n  would restore tool.sh\n"
        "  new/er/x.py is already as it was\n"
    ) == planned.stdout
    assert [] == list((project.root / ".reviewloop").glob("in-place/*"))


def test_the_pass_no_longer_counts_and_a_new_run_is_a_new_session(project: Project):
    revised(project)
    assert SPEC + "revised 0\n" == project.read()
    result = project.cli("undo", "spec")
    assert (ExitCode.PASSED, "spec: undone, 1 file\n  restored spec.md\n") == (result.exit_code, result.stdout)
    assert SPEC == project.read()
    shown = project.cli("status", "spec")
    assert ExitCode.NEEDS_REVISION == shown.exit_code
    assert "spec: undone" in shown.stdout
    assert "1 file restored, the pass no longer counts" in shown.stdout
    assert "changed since" not in project.cli("status").stdout
    session = project.cli("status", "spec", "--json").session
    assert ("undone", "undone", False, None) == (
        session["outcome"], session["final_verdict"], session["drifted"], session["reason"],
    )  # fmt: skip
    assert "undone: undone by" in project.cli("log", "spec").stdout
    assert ["undo_begun", "undone"] == project.event_types()[-2:]

    assert ExitCode.PASSED == project.run().exit_code
    assert 2 == len({event["session"] for event in project.events()})


def test_undoing_twice_says_that_there_is_nothing_to_undo(project: Project):
    revised(project)
    project.cli("undo", "spec")
    events = project.event_types()
    for _ in range(2):
        result = project.cli("undo", "spec")
        assert (ExitCode.PASSED, "") == (result.exit_code, result.stdout)
        assert "nothing to undo: session spec is already undone\n" == result.stderr
    assert "session spec is already undone" == project.cli("undo", "spec", "--json").session["nothing_to_undo"]
    assert events == project.event_types()


def test_a_session_without_edits_names_the_one_before_it_that_has_some(project: Project):
    revised(project)
    first = project.events()[0]["session"]
    project.run()
    result = project.cli("undo", "spec")
    assert "nothing to undo: no author has changed a file in session spec\n" in result.stderr
    assert f"hint: undo the session before it: reviewloop undo {first}\n" in result.stderr
    assert ExitCode.PASSED == project.cli("undo", first).exit_code
    assert SPEC == project.read()


def test_what_a_program_reads(project: Project):
    revised(project)
    planned = project.cli("undo", "spec", "--dry-run", "--json").session
    done = project.cli("undo", "spec", "--json").session
    assert planned == done | {"dry_run": True, "undone": False}
    assert ["spec.md"] == [file["path"] for file in done["files"]]
    assert (True, None, None, []) == (
        done["undone"], done["nothing_to_undo"], done["unticked"], done["already_restored"],
    )  # fmt: skip


def test_a_blocked_session_is_undone_and_leaves_the_inbox(project: Project):
    revised(project, failing(ISSUE, section="Design"), failing(ISSUE, "Another", section="Design"), max_iterations=2)
    assert "spec" in project.cli("inbox").stdout
    assert ExitCode.PASSED == project.cli("undo", "spec").exit_code
    assert SPEC == project.read()
    assert "spec" not in project.cli("inbox").stdout
    result = project.cli("resume", "spec", "--accept")
    refused(result, "session spec is over: undone", "start again: reviewloop run spec.md")


def test_the_work_of_several_authors_and_several_fixes_is_undone_together(project: Project):
    vague = json.loads(failing("FR-2 cannot be tested", "REQ-1 lacks a limit"))
    vague["feedback"][0]["criterion"] = "testability"
    project.author("echo tested >> spec.md", name="tester")
    revised(
        project, json.dumps(vague), failing("Still", section="Design"), passing(), authors={"testability": "tester"}
    )
    assert SPEC + "revised 0\ntested\nrevised 1\n" == project.read()
    assert ExitCode.PASSED == project.cli("undo", "spec").exit_code
    assert SPEC == project.read()


def test_files_that_somebody_restored_already_stay_and_the_pass_is_gone_all_the_same(project: Project):
    revised(project)
    project.write("spec.md", SPEC)
    result = project.cli("undo", "spec")
    assert (ExitCode.PASSED, "spec: undone, 0 files\n  spec.md is already as it was\n") == (
        result.exit_code, result.stdout,
    )  # fmt: skip
    assert undone(project)


# When it is refused


def test_nothing_is_undone_when_one_of_the_files_changed_since(project: Project):
    for name in ("a", "b"):
        project.write(f"specs/{name}.md", SPEC)
    (project.root / "spec.md").unlink()
    project.reviewer(failing(ISSUE, section="Design"), passing())
    project.author("for f in specs/*.md; do echo revised >> $f; done")
    project.configure()
    project.run("specs")
    project.write("specs/b.md", SPEC + "by hand\n")
    before = tree(project)
    for more in ((), ("--dry-run",), ("--json",)):
        refused(
            project.cli("undo", "specs", *more),
            "error: nothing was undone: specs/b.md changed since the author's edit\n",
            "`reviewloop diff specs` shows what the author changed",
        )
    assert (before, False) == (tree(project), undone(project, "specs"))


@pytest.mark.parametrize("how", ["gone", "link", "folder", "executable"])
def test_a_file_that_is_no_longer_the_authors_is_not_overwritten(project: Project, how: str):
    revised(project)
    file = project.root / "spec.md"
    match how:
        case "executable":
            file.chmod(0o755)
        case "link":
            file.rename(project.root / "other.md")
            file.symlink_to("other.md")
        case "folder":
            file.unlink()
            file.mkdir()
        case _:
            file.unlink()
    refused(project.cli("undo", "spec"), "spec.md changed since the author's edit", "hint: ")


def test_an_edit_by_hand_between_two_fixes_is_not_thrown_away(project: Project):
    three = [failing(issue, section="Design") for issue in (ISSUE, "Another", "A third")]
    revised(project, *three, passing(), max_iterations=2)
    project.write("spec.md", project.read() + "by hand\n")
    assert ExitCode.PASSED == project.cli("resume", "spec", "--retry").exit_code
    assert SPEC + "revised 0\nby hand\nrevised 1\n" == project.read()
    refused(project.cli("undo", "spec"), "spec.md changed since the author's edit", "put your changes aside first")
    assert SPEC + "revised 0\nby hand\nrevised 1\n" == project.read()


def test_nothing_is_undone_when_a_later_session_edited_the_file(project: Project):
    revised(project)
    project.reviewer(failing("Another", section="Design"), passing(), name="second")
    project.configure(reviewer="second")
    project.cli("run", "spec.md", "--name", "later", "-q")
    later = project.cli("status", "later", "--json").session["session"]
    refused(
        project.cli("undo", "spec"),
        f"nothing was undone: session later ({later}) edited spec.md later",
        f"undo that session first: reviewloop undo {later}",
    )
    assert ExitCode.PASSED == project.cli("undo", "later").exit_code
    assert ExitCode.PASSED == project.cli("undo", "spec").exit_code
    assert SPEC == project.read()


def test_nothing_is_undone_while_the_session_is_being_worked_on(project: Project):
    revised(project)
    project.agent("reviewer", f"{WAIT_FOR_GO} cat {project.tools}/reviewer-answer-1")
    with at_work(project, "run", "spec.md"):
        for more in ((), ("--dry-run",)):
            refused(
                project.cli("undo", "spec", *more),
                "nothing was undone: session spec is being worked on by pid",
                "wait for it, or stop that process, then undo again",
            )
        go(project)
    assert SPEC + "revised 0\n" == project.read()


def test_work_that_met_with_a_conflict_was_never_there_and_is_not_undone(project: Project):
    project.reviewer(failing(ISSUE, section="Design"))
    project.author(f"{WAIT_FOR_GO} echo revised >> spec.md")
    project.configure()
    with at_work(project, "run", "spec.md"):
        project.write("spec.md", SPEC + "by hand\n")
        go(project)
    assert "conflict" == project.cli("status", "spec", "--json").session["reason"]
    for command in ("undo", "diff"):
        assert "no author has changed a file in session spec\n" in project.cli(command, "spec").stderr
    assert SPEC + "by hand\n" == project.read()


def test_an_unknown_session_and_a_lost_text_are_told(project: Project):
    revised(project)
    refused(project.cli("undo", "spek"), "there is no session `spek`", "did you mean `spec`?")
    refused(project.cli("diff", "spek"), "there is no session `spek`", "did you mean `spec`?")
    with sqlite3.connect(project.root / ".reviewloop/reviewloop.db") as ledger:
        ledger.execute("DELETE FROM blobs")
    refused(
        project.cli("undo", "spec"),
        "nothing was undone: the ledger does not have the earlier text of spec.md",
        "restore the files from git or a backup",
    )
    assert "The ledger does not have the text of spec.md.\n" == project.cli("diff", "spec").stdout


# Tasks


SPEC_TASKS = """\
- [ ] 1. Both
  - [ ] 1.1 Write
    - **Verify**: `grep -q 1.1 code.py`
  - [ ] 1.2 Go on
    - **Verify**: `grep -q 1.2 more.py`
"""
TABLE = "| # | Dimension | Status | Finding |\n|---|---|---|---|\n"
GOOD = TABLE + "".join(
    f"| 1 | {one} | PASS | ok |\n" for one in ("Alignment", "Correctness", "Completeness", "No hallucinations")
)
DEV = 'case "$REVIEWLOOP_SESSION" in x-1.1-*) echo 1.1 >> code.py;; *) echo 1.2 >> more.py;; esac'


def built(project: Project, *, when: str = "every") -> None:
    project.agent("dev", DEV)
    project.reviewer(f"{GOOD}\nREVIEW_PASS\n", name="critic")
    project.configure(author="dev", reviewer="critic")
    project.write("specs/x/tasks.md", SPEC_TASKS)
    project.write("specs/x/.ralph-state.json", "{}")
    assert ExitCode.PASSED == project.cli("work", "--spec", "x", "--review", when, "-q").exit_code
    assert SPEC_TASKS.replace("[ ]", "[x]") == project.read("specs/x/tasks.md")


def test_a_spec_tasks_box_and_those_above_it_are_unticked_and_the_task_is_done_again(project: Project):
    built(project)
    result = project.cli("undo", "x-1.2")
    assert "  unticked the task's box in specs/x/tasks.md\n" in result.stdout
    open_again = SPEC_TASKS.replace("[ ]", "[x]").replace("[x] 1.2", "[ ] 1.2").replace("[x] 1. ", "[ ] 1. ")
    assert open_again == project.read("specs/x/tasks.md")
    assert (False, 1) == (
        (project.root / "more.py").exists(),
        json.loads(project.read("specs/x/.ralph-state.json"))["taskIndex"],
    )
    assert "the task's box in specs/x/tasks.md unticked" in project.cli("status", "x-1.2").stdout

    assert ExitCode.PASSED == project.cli("work", "--spec", "x", "-q").exit_code
    assert ("1.2\n", SPEC_TASKS.replace("[ ]", "[x]")) == (project.read("more.py"), project.read("specs/x/tasks.md"))
    assert [3, 3] == [len(project.prompts(name)) for name in ("dev", "critic")], "only that task was done again"


def test_the_box_of_a_task_that_is_another_since_stays_as_it_is(project: Project):
    built(project)
    changed = project.read("specs/x/tasks.md").replace("1.2 Go on", "1.2 Go on, slowly")
    project.write("specs/x/tasks.md", changed)
    assert "unticked" not in project.cli("undo", "x-1.2").stdout
    assert changed == project.read("specs/x/tasks.md")


def test_a_review_of_several_tasks_unticks_no_box(project: Project):
    project.reviewer(f"{GOOD}\nREVIEW_PASS\n".replace("PASS", "FAIL", 1).replace("REVIEW_PASS", "REVIEW_FAIL"), f"{GOOD}\nREVIEW_PASS\n", name="critic")  # fmt: skip
    project.agent("dev", f'{DEV}; case "$REVIEWLOOP_SESSION" in x-review*) echo fixed >> code.py;; esac')
    project.configure(author="dev", reviewer="critic")
    project.write("specs/x/tasks.md", SPEC_TASKS)
    assert ExitCode.PASSED == project.cli("work", "--spec", "x", "--review", "final", "-q").exit_code
    ticked = project.read("specs/x/tasks.md")
    refused(project.cli("undo", "x-1.1"), "session x-review-1.2", "undo that session first")
    assert ExitCode.PASSED == project.cli("undo", "x-review-1.2").exit_code
    assert (ticked, "1.1\n") == (project.read("specs/x/tasks.md"), project.read("code.py"))
    assert ExitCode.PASSED == project.cli("undo", "x-1.1").exit_code


def test_nothing_is_undone_while_the_workflow_around_a_task_is_being_worked_on(project: Project):
    built(project)
    project.write("specs/x/tasks.md", project.read("specs/x/tasks.md") + "- [ ] 2.1 More\n  - **Verify**: `true`\n")
    project.agent("dev", WAIT_FOR_GO)
    with at_work(project, "work", "--spec", "x"):
        refused(project.cli("undo", "x-1.2"), "session x-1.2 is being worked on by pid", "wait for it")
        go(project)


WORKFLOW = """\
tasks:
  first: {agent: dev, prompt: First, outputs: first.md}
  second: {agent: dev, prompt: Second, outputs: second.md, depends_on: first}
"""


def test_a_workflows_task_is_not_done_any_more_and_only_it_is_done_again(project: Project):
    project.agent(
        "dev", 'case "$REVIEWLOOP_SESSION" in first-*) echo "$N" > first.md;; *) echo "$N" > second.md;; esac'
    )
    project.configure(WORKFLOW)
    project.cli("work", "-q")
    assert ExitCode.PASSED == project.cli("undo", "first").exit_code
    assert not (project.root / "first.md").exists()
    tasks = json.loads(project.cli("work", "--json").stdout)["tasks"]
    assert (["done", "done"], "2\n", "1\n") == (
        [task["state"] for task in tasks], project.read("first.md"), project.read("second.md"),
    )  # fmt: skip
    assert 3 == len(project.prompts("dev"))


def test_specs_that_a_person_wrote_and_the_author_revised_are_reviewed_and_not_written_again(project: Project):
    project.write("docs/prd/export.md", "---\nprd_id: export\ntitle: Export\n---\n\n# Export\n\n- REQ-1: CSV.\n")
    project.write("specs/export/spec.md", SPEC)
    script = 'case "$REVIEWLOOP_ITERATION" in 0) mkdir -p specs/export; echo written > specs/export/tasks.md;; *) echo fix >> specs/export/spec.md;; esac'
    project.author(script)
    project.reviewer(failing(ISSUE, section="Design"), passing())
    project.configure()
    project.cli("run", "--prd", "docs/prd/export.md", "-q")
    assert SPEC + "fix\n" == project.read("specs/export/spec.md")
    assert ExitCode.PASSED == project.cli("undo", "export").exit_code
    assert SPEC == project.read("specs/export/spec.md")
    assert "feature_status: pending" in project.read("docs/prd/export.md")
    (project.tools / "reviewer-answer-0").write_text(passing())
    project.cli("run", "--prd", "docs/prd/export.md", "-q")
    assert SPEC == project.read("specs/export/spec.md"), "the person's own text was reviewed as it is"


# diff


def test_the_diff_is_from_before_the_first_edit_to_after_the_last_whatever_happened_since(project: Project):
    revised(project, failing(ISSUE, section="Design"), failing("Another", section="Design"), passing())
    expected = (
        "diff --git a/spec.md b/spec.md\n--- a/spec.md\n+++ b/spec.md\n@@ -16,3 +16,5 @@\n ## Validation\n \n"
        " `pytest tests/test_export.py` checks FR-1 and FR-2.\n+revised 0\n+revised 1\n"
    )
    result = project.cli("diff", "spec")
    assert (ExitCode.PASSED, expected, "") == (result.exit_code, result.stdout, result.stderr)
    project.write("spec.md", "something else\n")
    assert expected == project.cli("diff", "spec").stdout
    project.write("spec.md", SPEC + "revised 0\nrevised 1\n")
    project.cli("undo", "spec")
    after = project.cli("diff", "spec")
    assert expected == after.stdout
    assert "session spec is undone: these changes are no longer in your files\n" == after.stderr
    (project.root / "spec.md").unlink()
    found = project.cli("diff", "spec", "--json").session
    assert (True, expected, ["spec.md"]) == (found["undone"], found["diff"], [file["path"] for file in found["files"]])
    assert {"path", "before", "after", "executable_before", "executable_after", "diff"} == set(found["files"][0])


def test_a_session_without_edits_has_no_diff(project: Project):
    project.reviewer(passing())
    project.run()
    result = project.cli("diff", "spec")
    assert (ExitCode.PASSED, "", "no author has changed a file in session spec\n") == (
        result.exit_code, result.stdout, result.stderr,
    )  # fmt: skip
    assert [] == project.cli("diff", "spec", "--json").session["files"]


def test_what_a_terminal_would_obey_is_shown_and_not_sent(project: Project):
    revised(project, script=r"printf '\033]0;owned\007\t::error::\n\302\233 31m\n' >> spec.md")
    shown = project.cli("diff", "spec").stdout
    assert "+<U+001B>]0;owned<U+0007>\t::error::\n+<U+009B> 31m\n" in shown


def test_undo_needs_the_ledger_alone(project: Project, tmp_path: Path):
    """The texts are in the ledger: neither git nor a copy of the project is asked."""
    revised(project)
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(project.root, elsewhere)
    shutil.rmtree(project.root)
    shutil.move(elsewhere, project.root)
    assert ExitCode.PASSED == project.cli("undo", "spec").exit_code
    assert SPEC == project.read()
