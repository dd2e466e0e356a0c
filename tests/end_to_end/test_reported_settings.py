"""What the command line says of settings and files that have no effect, and of options that nothing would use."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from project import Project, passing
from reviewloop.errors import ArtifactError, ExitCode

GO = json.dumps(
    {
        "decision": "GO",
        "feedback": "Fine.",
        "quality_checks": dict.fromkeys(
            ("acceptance_criteria_met", "code_standards_met", "test_coverage_adequate", "security_review_passed"), True
        ),
    }
)
FINDINGS = json.dumps({"verdict": "pass", "findings": []})


def with_user_file(project: Project, monkeypatch: pytest.MonkeyPatch, text: str) -> Path:
    home = project.tools / "config"
    (home / "reviewloop").mkdir(parents=True)
    (home / "reviewloop/config.yml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    return home


def warnings(stderr: str) -> list[str]:
    return [line for line in stderr.splitlines() if line.startswith("warning: ")]


def test_a_setting_of_the_users_file_that_the_profile_has_no_use_for_is_reported_once(
    project: Project, monkeypatch: pytest.MonkeyPatch
):
    with_user_file(project, monkeypatch, "review: {auto_approve: true}\n")
    project.reviewer(passing())
    project.configure("profile: spec-gate")
    result = project.run()
    said = [line for line in warnings(result.stderr) if "auto_approve" in line]
    assert (ExitCode.PASSED, 1) == (result.exit_code, len(said)), result.stderr
    assert said[0].endswith(":1:24: auto_approve is not used: only panels use it, and the profile is spec-gate")
    assert [] == warnings(project.cli("status").stderr), "commands that ask nobody are quiet"
    assert "auto_approve is not used" in project.cli("doctor", "--json").stdout


def test_a_setting_of_the_environment_is_reported(project: Project, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("REVIEWLOOP_STRATEGY", "single")
    project.reviewer(passing())
    result = project.run()
    assert ExitCode.PASSED == result.exit_code
    assert "environment variable REVIEWLOOP_STRATEGY: strategy is not used" in result.stderr


def test_a_profile_for_one_run_reports_the_settings_it_has_no_use_for(project: Project):
    project.reviewer(passing())
    project.configure("profile: panel", auto_approve=True)
    result = project.cli("run", "spec.md", "--profile", "spec-gate", "--json")
    assert ExitCode.PASSED == result.exit_code, result.stderr
    assert "auto_approve is not used: only panels use it, and the profile is spec-gate" in result.stderr


def test_a_reviewer_for_one_run_reports_what_needed_several(project: Project):
    for name in ("small", "large", "judge"):
        project.reviewer(FINDINGS, name=name)
    project.configure("profile: panel", parallel_models=["small", "large"], tie_break="judge", auto_approve=True)
    result = project.cli("run", "spec.md", "--reviewer", "small", "--json")
    assert ExitCode.PASSED == result.exit_code, result.stderr
    assert "tie_break is not used: it needs two models or more in each stage, and there is one" in result.stderr


def test_a_setting_of_the_project_is_an_error_for_every_command_that_reads_it(project: Project):
    project.reviewer(passing())
    project.configure("profile: spec-gate", parallel_models=["a", "b"])
    for args in (("run", "spec.md"), ("review", "spec.md"), ("plan", "x"), ("status",)):
        result = project.cli(*args)
        assert (ExitCode.USAGE, True) == (result.exit_code, "parallel_models is not used" in result.stderr), args


@pytest.mark.parametrize(
    ("profile", "answer", "name", "said"),
    [
        ("overlay", GO, "constitution.md", "constitution.md has no Standards section: `code_standards_met` is judged without it"),
        ("overlay", GO, "CLAUDE.md", "CLAUDE.md has no Standards section: `code_standards_met` is judged without it"),
        ("spec-gate", passing(), "constitution.md", "constitution.md has no Standards section: reviewers get nothing from it"),
        ("spec-gate", passing(), "CLAUDE.md", None),
    ],
)  # fmt: skip
def test_a_constitution_without_standards_is_named(
    project: Project, profile: str, answer: str, name: str, said: str | None
):
    project.write(name, "# Constitution\n\n## Principles\n\n- Be kind.\n")
    project.reviewer(answer)
    project.configure(f"profile: {profile}", static_gate="off")
    result = project.run()
    assert ExitCode.PASSED == result.exit_code, result.stdout + result.stderr
    assert ([f"warning: {said}"] if said else []) == [line for line in warnings(result.stderr) if "Standards" in line]


def test_standards_that_are_there_are_not_reported(project: Project):
    project.write("constitution.md", "# Constitution\n\n## Standards\n\n- Every error has a code.\n")
    project.write("CLAUDE.md", "# Notes\n")
    project.reviewer(GO)
    project.configure("profile: overlay", static_gate="off")
    assert "Standards section" not in project.run().stderr


def test_a_configured_constitution_without_standards_is_named_for_a_task(project: Project):
    project.write("docs/rules.md", "# Rules\n")
    project.author("mkdir -p docs; echo text > docs/out.md")
    project.reviewer(GO)
    task = "tasks: {write: {agent: author, outputs: docs/out.md, overlays: {agentic_review: {enabled: true}}}}"
    project.configure(f"constitution: docs/rules.md\n{task}", static_gate="off")
    result = project.cli("work", "--json")
    assert ExitCode.PASSED == result.exit_code, result.stdout + result.stderr
    assert ["warning: docs/rules.md has no Standards section: `code_standards_met` is judged without it"] == (
        warnings(result.stderr)
    )


def test_yes_without_agents_is_an_error(project: Project):
    result = project.cli("review", "spec.md", "--yes")
    assert (ExitCode.USAGE, "error: --yes is for agents\nhint: add --agents, or leave it out\n") == (
        result.exit_code, result.stderr,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("review: {max_iterations: 9}", "max_iterations must be 1-6", "use a whole number from 1 to 6"),
        ("kinds: {docs/*.md: novel}", "kinds.docs/*.md must be", '"document" is for any text of no other kind'),
    ],
)
def test_a_wrong_value_comes_with_a_hint(project: Project, text: str, message: str, hint: str):
    project.write("reviewloop.yml", text + "\n")
    result = project.cli("status")
    assert (ExitCode.USAGE, True) == (result.exit_code, message in result.stderr)
    assert result.stderr.endswith(f"hint: {hint}\n")


def test_an_error_without_a_hint_prints_none():
    """`review --watch` and the command line's one handler both print this text."""
    assert "error: spec.md is gone" == ArtifactError("spec.md is gone").text
    assert "error: spec.md is gone\nhint: wait" == ArtifactError("spec.md is gone", hint="wait").text
