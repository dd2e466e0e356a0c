"""The pre-commit hook and the GitHub Action, run as their programs run them, in a real repository."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml

from project import PYTHON, SPEC, Project, Result
from reviewloop.errors import ExitCode

ROOT = Path(__file__).parents[2]
CRITICAL = SPEC.replace("- FR-2:", "- FR-2: Never more than 5 seconds.\n- FR-2:")
MINOR = SPEC.replace("take at most 5 seconds", "take at most 5 seconds, which is fast")
README = "# Read me\n\nSee [nothing](missing.md), TODO.\n"


def run(project: Project, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PATH": f"{project.tools}:{os.environ['PATH']}",
        "GIT_CONFIG_GLOBAL": os.devnull,
        **{f"GIT_{who}_{what}": "test@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        **variables,
    }
    return subprocess.run(
        command, cwd=project.root, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def git(project: Project, *arguments: str) -> str:
    done = run(project, "git", *arguments)
    assert 0 == done.returncode, done.stderr
    return done.stdout.strip()


def commit(project: Project) -> str:
    git(project, "add", "-A")
    git(project, "commit", "-qm", "more")
    return git(project, "rev-parse", "HEAD")


@pytest.fixture
def repository(project: Project) -> Project:
    """A repository with a spec that passes and a README, and `reviewloop` on the search path."""
    program = project.tools / "reviewloop"
    program.write_text(f'#!/bin/sh\nexec "{PYTHON}" -m reviewloop "$@"\n')
    program.chmod(0o755)
    project.write("README.md", README)
    git(project, "init", "-q")
    commit(project)
    return project


def hook_command(*files: str, args: tuple[str, ...] = ()) -> list[str]:
    """As pre-commit does it: the entry, the arguments, then the names of the files."""
    entry = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())[0]["entry"]
    return [*shlex.split(entry), *args, *files]


def hook(project: Project, *files: str, args: tuple[str, ...] = ()) -> Result:
    """The hook, without a process of its own."""
    program, *arguments = hook_command(*files, args=args)
    assert "reviewloop" == program
    return project.cli(*arguments)


@pytest.mark.parametrize(
    ("text", "code"), [(SPEC, ExitCode.PASSED), (MINOR, ExitCode.PASSED), (CRITICAL, ExitCode.NEEDS_REVISION)]
)
def test_the_hook_stops_what_a_person_would_want_stopped(repository: Project, text: str, code: int):
    repository.write("specs/spec.md", text)
    done = run(repository, *hook_command("specs/spec.md"))
    assert code == done.returncode, done.stderr


def test_the_hook_stops_at_an_important_finding_and_can_be_told_not_to(repository: Project):
    text = SPEC.replace("Rows are streamed through `csv.writer`.", "TODO")
    repository.write("spec.md", text)
    important = [
        one["severity"] for one in json.loads(hook(repository, "spec.md", args=("--json",)).stdout)["findings"]
    ]
    assert "important" in important
    assert "critical" not in important
    codes = [hook(repository, "spec.md", args=args).exit_code for args in ((), ("--fail-on", "critical"))]
    assert [ExitCode.NEEDS_REVISION, ExitCode.PASSED] == codes


def test_the_hook_leaves_other_text_alone(repository: Project):
    repository.write("notes/ideas.md", "# Ideas\n\nTODO\n")
    repository.write("design.py", "print('no design')\n")
    done = hook(repository, "README.md", "notes/ideas.md", "design.py")
    assert (ExitCode.PASSED, "") == (done.exit_code, done.stdout)
    assert "skipped 3 files: not a document of a known kind, or excluded" in done.stderr
    assert "no changed documents to review" in done.stderr


def test_the_hook_asks_the_configuration_what_is_reviewed(repository: Project):
    repository.write("reviewloop.yml", "exclude: [drafts/]\nkinds: {'docs/*.md': spec}\n")
    for path in ("drafts/spec.md", "docs/export.md"):
        repository.write(path, CRITICAL)
    assert ExitCode.PASSED == hook(repository, "drafts/spec.md").exit_code
    assert "docs/export.md" in hook(repository, "docs/export.md").stdout


@pytest.mark.parametrize("name", ["-spec.md", "--spec.md", "-h-spec.md", "--help-spec.md", "-o spec.md", "spec[1].md"])
def test_the_hook_takes_every_file_name(repository: Project, name: str):
    repository.write(name, CRITICAL)
    done = hook(repository, name, "spec.md")
    assert ExitCode.NEEDS_REVISION == done.exit_code, done.stderr
    assert name in done.stdout


def test_a_mistyped_option_is_no_file_that_is_skipped(repository: Project):
    done = hook(repository, "spec.md", args=("--fail-onn", "critical"))
    assert ExitCode.USAGE == done.exit_code
    assert "there is no file --fail-onn" in done.stderr


def test_a_document_that_cannot_be_read_stops_the_commit(repository: Project):
    (repository.root / "design.md").write_bytes(b"# Design\n\n\xff\xfe\x00 not text\n")
    assert ExitCode.INCONCLUSIVE == hook(repository, "design.md", "spec.md").exit_code


def action(project: Project, base: str = "", **inputs: str) -> subprocess.CompletedProcess[str]:
    """The step of the action that reviews, as the runner starts it."""
    definition = yaml.safe_load((ROOT / "action.yml").read_text())
    step = next(step for step in definition["runs"]["steps"] if step.get("id") == "review")
    given = {name: str(one.get("default", "")) for name, one in definition["inputs"].items()} | {
        name.replace("_", "-"): value for name, value in inputs.items()
    }
    variables = {f"REVIEW_{name.replace('-', '_').upper()}": value for name, value in given.items()}
    (project.told / "output").write_text("")
    missing = set(step["env"]) - {*variables, "REVIEW_BASE", "REVIEWLOOP"}
    assert set() == missing, "the step is given what its script asks for"
    return run(
        project, "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"],
        REVIEWLOOP="reviewloop", REVIEW_BASE=base, GITHUB_OUTPUT=str(project.told / "output"), **variables,
    )  # fmt: skip


def output_of(project: Project) -> str:
    return (project.told / "output").read_text()


def test_the_action_reviews_what_changed_and_nothing_else(repository: Project):
    repository.write("old/spec.md", CRITICAL)
    repository.write("gone/spec.md", CRITICAL)
    base = commit(repository)
    assert ExitCode.PASSED == action(repository, base).returncode
    repository.write("new/spec.md", CRITICAL)
    repository.write("CHANGELOG.md", "# Changes\n\nTODO\n")
    (repository.root / "gone/spec.md").unlink()
    commit(repository)
    done = action(repository, base)
    assert ExitCode.NEEDS_REVISION == done.returncode
    assert "::error file=new/spec.md" in done.stdout
    assert "old/spec.md" not in done.stdout
    assert "CHANGELOG" not in done.stdout


@pytest.mark.parametrize(
    ("base", "only_changed"),
    [
        pytest.param("", "true", marks=pytest.mark.slow),
        pytest.param("0" * 40, "true", marks=pytest.mark.slow),
        ("HEAD", "false"),
        ("1" * 40, "true"),
    ],
)
def test_the_action_reviews_everything_if_it_cannot_tell_or_is_told_to(
    repository: Project, base: str, only_changed: str
):
    repository.write("old/spec.md", CRITICAL)
    newest = commit(repository)
    base = newest if base == "HEAD" else base
    done = action(repository, base, only_changed=only_changed)
    assert ExitCode.NEEDS_REVISION == done.returncode, done.stderr
    assert "old/spec.md" in done.stdout
    assert ("::notice::Commit 111" in done.stdout) == base.startswith("1")


def test_the_action_looks_where_it_is_told_to(repository: Project):
    base = git(repository, "rev-parse", "HEAD")
    for path in ("-a/spec.md", "b c/spec.md", "d/spec.md"):
        repository.write(path, CRITICAL)
    commit(repository)
    done = action(repository, base, paths="-a\n\nb c\n", format="concise", fail_on="critical")
    assert {"-a", "b c"} == {line.partition("/")[0] for line in done.stdout.splitlines() if "spec.md" in line}
    assert ExitCode.NEEDS_REVISION == done.returncode


@pytest.mark.slow
def test_the_report_is_an_output_once_it_is_written(repository: Project):
    repository.write("spec.md", CRITICAL)
    commit(repository)
    done = action(repository, format="sarif")
    assert (ExitCode.NEEDS_REVISION, "report=reviewloop.sarif\n") == (done.returncode, output_of(repository))
    assert "2.1.0" == json.loads(repository.read("reviewloop.sarif"))["version"]
    assert ExitCode.PASSED == action(repository, format="sarif", fail_on="never").returncode
    assert "report=reviewloop.sarif\n" == output_of(repository), "also where an old report was"


@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        pytest.param({"output": "not/there/report.json", "format": "json"}, ExitCode.USAGE, marks=pytest.mark.slow),
        pytest.param({"output": "old.json", "format": "no-format"}, ExitCode.USAGE, marks=pytest.mark.slow),
        ({"output": "spec.md"}, ExitCode.USAGE),
        ({"output": "old.json", "format": "json", "paths": "README.md"}, ExitCode.PASSED),
    ],
)
def test_a_report_that_was_not_written_is_no_output(repository: Project, inputs: dict[str, str], code: int):
    repository.write("old.json", "{}")
    done = action(repository, **inputs)
    assert (code, "") == (done.returncode, output_of(repository)), done.stderr
    assert (SPEC, "{}") == (repository.read("spec.md"), repository.read("old.json"))


def test_programs_get_an_empty_report_where_there_is_nothing_to_review(repository: Project):
    done = hook(repository, "README.md", args=("--json",))
    assert (ExitCode.PASSED, []) == (done.exit_code, json.loads(done.stdout)["artifacts"])


def test_a_commit_that_git_does_not_know_is_named(repository: Project):
    done = repository.cli("review-changed", "--since", "nowhere")
    assert ExitCode.USAGE == done.exit_code
    assert "git knows no commit nowhere here" in done.stderr
