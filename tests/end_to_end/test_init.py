"""`init` finds agents and writes what works with them; `doctor` agrees."""

from __future__ import annotations

import json
from itertools import combinations

import pytest

from project import Project
from reviewloop.errors import ExitCode

PROGRAMS = {
    "claude": 'case "$1" in --version) echo 2.1.325;; auth) echo \'{"loggedIn": true, "authMethod": "key"}\';; esac',
    "codex": "[ \"$1\" = --version ] && echo 'codex-cli 0.166.0'; exit 0",
    "gemini": "echo 0.61.0",
}
PROFILES = ("spec-gate", "phases", "panel", "overlay")
EVERY = [
    pytest.param(name, found, marks=() if number in (0, 3) else pytest.mark.slow)
    for name in PROFILES
    for number in range(4)
    for found in combinations(PROGRAMS, number)
]


@pytest.fixture
def machine(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A machine where no agent program is installed, and everybody is logged in."""
    monkeypatch.setenv("PATH", f"{project.tools}:/usr/bin:/bin")
    monkeypatch.setenv("GEMINI_API_KEY", "none")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    return project


def install(project: Project, *names: str) -> None:
    for name in names:
        program = project.tools / name
        program.write_text(f"#!/bin/sh\n{PROGRAMS[name]}\n")
        program.chmod(0o755)


@pytest.mark.parametrize(("profile", "found"), EVERY)
def test_the_doctor_accepts_what_init_writes(machine: Project, profile: str, found: tuple[str, ...]):
    install(machine, *found)
    assert ExitCode.PASSED == machine.cli("init", "--profile", profile).exit_code
    result = machine.cli("doctor")
    assert ExitCode.PASSED == result.exit_code, result.stdout


def test_it_says_what_it_found_and_who_does_what(machine: Project):
    install(machine, "claude", "gemini")
    said = machine.cli("init").stderr
    assert f"found Claude Code: {machine.tools}/claude\nfound Gemini CLI: {machine.tools}/gemini\n" in said
    assert "wrote reviewloop.yml (profile spec-gate): reviewed by gemini, fixed by claude\n" in said
    assert said.endswith("next: reviewloop doctor, then reviewloop run spec.md\n")


def test_without_agents_the_rules_review_at_once_and_the_way_to_an_agent_is_named(machine: Project):
    said = machine.cli("init").stderr
    assert "found no agent: neither Claude Code nor Codex nor Gemini CLI is on the PATH" in said
    assert "hint: install one and run `reviewloop init --force`" in said
    assert ExitCode.PASSED == machine.cli("review", "spec.md").exit_code
    assert ExitCode.PASSED == machine.cli("run", "spec.md").exit_code


def test_programs_are_told_about_in_json(machine: Project):
    install(machine, "codex")
    assert {
        "config": "reviewloop.yml",
        "profile": "panel",
        "found": [{"agent": "codex", "title": "Codex", "program": f"{machine.tools}/codex"}],
        "written": ["reviewloop.yml"],
        "reviewers": ["codex"],
        "author": "codex",
    } == json.loads(machine.cli("init", "--profile", "panel", "--json").stdout)


def test_a_program_in_the_project_itself_is_no_agent(machine: Project, monkeypatch: pytest.MonkeyPatch):
    machine.write("claude", "#!/bin/sh\n").chmod(0o755)
    monkeypatch.setenv("PATH", ".:/usr/bin:/bin")
    assert [] == json.loads(machine.cli("init", "--json").stdout)["found"]


@pytest.mark.parametrize("name", ["reviewloop.yml", ".reviewloop/config.yml"])
def test_a_configuration_that_is_there_stays(machine: Project, name: str):
    machine.write(name, "profile: phases\n")
    result = machine.cli("init")
    assert (ExitCode.USAGE, "profile: phases\n") == (result.exit_code, machine.read(name))
    assert f"{name} already exists" in result.stderr
    assert ExitCode.PASSED == machine.cli("init", "--force").exit_code
