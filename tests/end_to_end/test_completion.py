"""Shell completion, by the protocol that the shells speak: names, quickly, and never an error."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping

import pytest

from project import PYTHON, Project, passing
from reviewloop.app.completion import rule_names
from reviewloop.cli.main import COMMANDS
from reviewloop.errors import ExitCode
from reviewloop.rules import all_rules

TASKS = "tasks:\n  build: {agent: reviewer}\n  ship: {agent: reviewer}\n"


@pytest.fixture
def worked(project: Project) -> Project:
    """A project with a session on record, a task and an agent."""
    project.reviewer(passing())
    project.configure(TASKS)
    project.run()
    return project


def protocol(shell: str, line: str) -> Mapping[str, str]:
    """How the shell asks if the user presses Tab at the end of the line."""
    words = line.split(" ")
    return {
        "_REVIEWLOOP_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": line,
        "COMP_CWORD": words[-1] if shell == "fish" else str(len(words) - 1),
    }


def ask(project: Project, shell: str, line: str, *, code: str = "") -> subprocess.CompletedProcess[str]:
    """What the shell gets."""
    asked = protocol(shell, line)
    command = [PYTHON, "-c", code] if code else [PYTHON, "-m", "reviewloop"]
    return subprocess.run(
        command, cwd=project.root, env={**os.environ, **asked}, capture_output=True, text=True, timeout=60, check=False
    )


def completed(project: Project, line: str) -> list[str]:
    """What bash is told, without a process of its own."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in protocol("bash", line).items():
            patch.setenv(name, value)
        done = project.program()
    assert (0, "") == (done.exit_code, done.stderr)
    return [found.partition(",")[2] for found in done.stdout.split("\n") if found]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("reviewloop sta", ["status", "stability", "stats"]),
        ("reviewloop resume ", ["spec"]),
        ("reviewloop status s", ["spec"]),
        ("reviewloop log x", []),
        ("reviewloop inbox show ", ["spec"]),
        ("reviewloop run --reviewer ", ["reviewer", "static"]),
        ("reviewloop run spec.md --author st", ["static"]),
        ("reviewloop work ", ["build", "ship"]),
        ("reviewloop explain DOC00", [rule.id for rule in all_rules() if rule.id.startswith("DOC00")]),
        ("reviewloop review --ignore CHG038", ["CHG038"]),
        ("reviewloop completion ", ["bash", "zsh", "fish"]),
    ],
)
def test_bash_gets_the_names(worked: Project, line: str, expected: list[str]):
    assert expected == completed(worked, line)


def test_fish_and_zsh_get_them_with_what_they_mean(worked: Project):
    assert "plain,log\tShow what happened in a session." in ask(worked, "fish", "reviewloop lo").stdout
    assert ["plain", "DOC001", rule_names()["DOC001"]] == ask(
        worked, "zsh", "reviewloop explain DOC001"
    ).stdout.splitlines()


def test_every_command_can_be_completed(project: Project):
    assert list(COMMANDS) == completed(project, "reviewloop ")


def test_the_rules_are_those_there_are():
    assert {rule.id: rule.name for rule in all_rules()} == rule_names()


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("reviewloop.yml", "agents: [unclosed\n"),
        ("reviewloop.yml", "ledger: 7\nagents: 8\ntasks: 9\n"),
        (".reviewloop/reviewloop.db", "no database"),
        ("reviewloop.yml", "ledger: ~nobody-at-all/x.db\n"),
    ],
)
@pytest.mark.parametrize("line", ["reviewloop resume ", "reviewloop run --reviewer ", "reviewloop work "])
def test_what_cannot_be_read_has_no_names_and_nothing_is_said(project: Project, file: str, text: str, line: str):
    project.write(file, text)
    assert {*completed(project, line)} <= {"static"}


def test_a_defect_of_ours_is_not_printed_over_the_users_line(project: Project):
    code = (
        "import reviewloop.cli.main as main\n"
        "main.COMMANDS['broken'] = ('reviewloop.cli.not_there', 'Nothing.')\n"
        "main.main()"
    )
    done = ask(project, "bash", "reviewloop broken ", code=code)
    assert (1, "", "") == (done.returncode, done.stdout, done.stderr)


def test_names_are_completed_without_the_heavy_parts(worked: Project):
    code = (
        "import atexit, sys\n"
        "heavy = ('rich', 'pydantic', 'asyncio', 'markdown_it', 'reviewloop.ledger', 'reviewloop.config.schema')\n"
        "atexit.register(lambda: print('heavy:', [name for name in heavy if name in sys.modules]))\n"
        "from reviewloop.cli.main import main\n"
        "main()"
    )
    for line in ("reviewloop resume ", "reviewloop run --author ", "reviewloop explain D"):
        assert ask(worked, "bash", line, code=code).stdout.endswith("heavy: []\n")


def test_the_script_works_in_a_real_bash(worked: Project):
    script = worked.cli("completion", "bash").stdout
    if shutil.which("bash") is None:
        pytest.skip("there is no bash")
    program = worked.tools / "reviewloop"
    program.write_text(f'#!/bin/sh\nexec "{PYTHON}" -m reviewloop "$@"\n')
    program.chmod(0o755)
    typed = 'COMP_WORDS=(reviewloop resume ""); COMP_CWORD=2; _reviewloop_completion reviewloop; echo "${COMPREPLY[@]}"'
    done = subprocess.run(
        ["bash", "--norc", "-c", f"{script}\n{typed}"], cwd=worked.root, text=True, capture_output=True, timeout=60,
        env={**os.environ, "PATH": f"{worked.tools}:{os.environ['PATH']}"}, check=False,
    )  # fmt: skip
    assert "spec\n" == done.stdout, done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_has_its_script(project: Project, shell: str):
    result = project.cli("completion", shell)
    assert ExitCode.PASSED == result.exit_code
    assert f"_REVIEWLOOP_COMPLETE={shell}_complete" in result.stdout
