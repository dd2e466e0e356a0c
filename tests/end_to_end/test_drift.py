"""What passed is locked: a later change shows, and opens a new review."""

from __future__ import annotations

import json
import shlex
import subprocess

import pytest

from project import Project, passing, says_go
from reviewloop.errors import ExitCode

pytestmark = pytest.mark.slow


def drifted(project: Project, name: str) -> bool:
    return json.loads(project.cli("status", name, "--json").stdout)["drifted"]


def test_a_change_after_the_pass_shows_and_is_reviewed_again(project: Project):
    project.reviewer(passing())
    project.run()
    assert not drifted(project, "spec")
    assert "changed since" not in project.cli("status").stdout
    project.write("spec.md", project.read() + "\nOne more thing.\n")
    shown = project.cli("status", "spec")
    assert (True, ExitCode.PASSED) == (drifted(project, "spec"), shown.exit_code)
    assert "passed, changed since" in project.cli("status").stdout
    command = shown.stdout.rpartition("review it again: ")[2].strip()
    assert "reviewloop run spec.md --name spec" == command
    assert ExitCode.PASSED == project.cli(*shlex.split(command)[1:]).exit_code
    assert not drifted(project, "spec")
    assert 2 == len(project.prompts("reviewer"))


def test_a_text_that_is_put_back_is_the_one_that_passed(project: Project):
    project.reviewer(passing())
    project.run()
    text = project.read()
    project.write("spec.md", text + "more\n")
    assert drifted(project, "spec")
    project.write("spec.md", text)
    assert not drifted(project, "spec")


def test_a_file_that_is_gone_is_no_longer_what_passed(project: Project):
    project.reviewer(passing())
    project.run()
    (project.root / "spec.md").unlink()
    assert drifted(project, "spec")


def test_a_session_that_did_not_pass_cannot_drift(project: Project):
    project.reviewer("no answer at all")
    project.run()
    project.write("spec.md", "something else\n")
    assert not drifted(project, "spec")


def test_the_change_of_a_task_drifts_with_its_files_and_no_others(project: Project):
    project.agent("dev", "echo 'def login(): pass' > auth.py")
    project.reviewer(says_go("fine"), name="critic")
    project.configure(
        "tasks: {build: {agent: dev, overlays: {agentic_review: {enabled: true, reviewer_agent: critic}}}}"
    )
    project.cli("work")
    project.write("other.py", "x = 1\n")
    assert not drifted(project, "build")
    project.write("auth.py", "def login(): return True\n")
    assert "review it again: reviewloop work build" in project.cli("status", "build").stdout
    assert ExitCode.PASSED == project.cli("work").exit_code
    assert (1, True) == (len(project.prompts("dev")), "+def login(): return True" in project.prompts("critic")[1])
    assert not drifted(project, "build")


def test_what_a_later_task_does_to_the_same_file_is_no_drift(project: Project):
    project.agent("dev", "echo one >> code.py")
    project.agent("shipper", "echo two >> code.py")
    project.reviewer(says_go("fine"), name="critic")
    project.configure("""\
tasks:
  build: {agent: dev, overlays: {agentic_review: {enabled: true, reviewer_agent: critic}}}
  ship: {agent: shipper, outputs: code.py, depends_on: build}
""")
    project.cli("work")
    assert (ExitCode.PASSED, 1) == (project.cli("work").exit_code, len(project.prompts("critic")))
    assert ("one\ntwo\n", False) == (project.read("code.py"), drifted(project, "build"))
    project.write("code.py", "three\n")
    assert drifted(project, "build")


def test_a_change_between_two_commits_stays_what_it_was(project: Project):
    def git(*args: str) -> None:
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", *identity, *args], cwd=project.root, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-qm", "one")
    project.write("spec.md", project.read() + "two\n")
    git("commit", "-qam", "two")
    project.reviewer(passing())
    project.configure()
    project.cli("run", "--diff", "main~1..main", "--name", "two")
    project.write("spec.md", "three\n")
    assert not drifted(project, "two")
