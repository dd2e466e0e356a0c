"""`doctor` says what works, and with `--call` it tries."""

from __future__ import annotations

import json

import pytest

from project import Project


def checks(project: Project, *options: str) -> dict[str, dict]:
    return {one["what"]: one for one in json.loads(project.cli("doctor", "--json", *options).stdout)}


def test_a_program_is_looked_for_and_not_run(project: Project) -> None:
    project.agent("reviewer", "echo ready")
    project.configure()

    seen = checks(project)["agent reviewer"]

    assert {"ok": True, "about": f"command: {project.tools}/reviewer"} == {key: seen[key] for key in ("ok", "about")}
    assert [] == project.prompts("reviewer")


def test_a_program_that_is_not_there_is_found_out(project: Project) -> None:
    project.write("reviewloop.yml", "agents:\n  mine: {kind: command, command: [./review.sh]}\n")

    assert 2 == project.cli("doctor").exit_code
    assert "program `./review.sh` not found" in checks(project)["agent mine"]["about"]


def test_with_call_every_agent_is_asked_once(project: Project) -> None:
    project.agent("reviewer", "echo ready")
    project.configure()

    seen = checks(project, "--call")["agent reviewer"]

    assert seen["ok"]
    assert seen["about"].startswith("command: answered in ")
    assert ["Answer with the one word: ready" in prompt for prompt in project.prompts("reviewer")] == [True]


def test_an_agent_that_does_not_answer_is_found_out(project: Project) -> None:
    project.agent("broken", "echo no credit left >&2; exit 1")
    project.agent("silent", "exit 0")
    project.configure(reviewer="broken")

    result = project.cli("doctor", "--call")

    assert 2 == result.exit_code
    assert "command: broken exited with 1: no credit left" in result.stdout
    assert "command: it answered with nothing" in result.stdout


def test_a_record_that_cannot_be_kept_is_found_out(project: Project) -> None:
    project.configure("ledger: spec.md/ledger.db")

    seen = checks(project)["ledger"]

    assert (False, f"{project.root}/spec.md cannot be written") == (seen["ok"], seen["about"])


def test_a_variable_that_an_agent_wants_and_nobody_set_is_named(project: Project) -> None:
    project.agent("reviewer", "echo ready", env=["PATH", "A_KEY_THAT_NOBODY_SET"])
    project.configure()

    assert "not set, so not passed on to it: A_KEY_THAT_NOBODY_SET" == checks(project)["agent reviewer"]["hint"]


def test_after_init_nothing_is_wrong(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(project.tools))  # where no agent is installed

    assert [0, 0] == [project.cli("init").exit_code, project.cli("doctor").exit_code]


def test_a_wrong_setting_is_shown_with_its_place(project: Project) -> None:
    project.write("reviewloop.yml", "agents:\n  spare: {kind: claude, modle: opus}\n")

    seen = checks(project)["agent spare"]

    assert ("claude: agent `spare`: unknown key `modle` (reviewloop.yml:2:25)", "did you mean `model`?") == (
        seen["about"], seen["hint"],
    )  # fmt: skip
