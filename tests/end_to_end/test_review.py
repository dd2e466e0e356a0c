"""`reviewloop review`: what a newcomer meets first, and what CI runs."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from project import PYTHON, SPEC, Project, failing, passing
from reviewloop.core.types.rubric import EXECUTION
from reviewloop.errors import ExitCode
from reviewloop.reports import FORMATS

BROKEN = SPEC.replace("- FR-2:", "- FR-2: Never more than 5 seconds.\n- FR-2:")
ROOT = Path(__file__).parents[2]

REQUIREMENTS = """\
# Requirements: export

## Goal

Reports as files.

## User Stories

### US-1: Export

As a reader, I want a file, so that I can keep it.

**Acceptance Criteria:**
- AC-1.1: `GET /export` answers 200 with a CSV body.

## Functional Requirements

| ID | Requirement | Priority | Story |
|----|-------------|----------|-------|
| FR-1 | Export as CSV | High | US-1 |
| FR-2 | Export as PDF | Low | US-1 |

## Out of Scope

- Excel
"""

DESIGN = """\
# Design: export

## Overview

One handler.

## Architecture

The handler streams rows, for FR-1.

## Components

### Handler

Streams rows.

## Data Flow

Store to handler to reader.

## Technical Decisions

| Decision | Choice | Rationale |
|----------|--------|-----------|
| Library | csv | it is there |

## File Structure

| File | Action | Purpose |
|------|--------|---------|
| `src/export.py` | Create | the handler |
"""


def lines(project: Project, *args: str) -> list[str]:
    return project.cli("review", "--format", "concise", *args).stdout.splitlines()


def test_a_clean_document_passes(project: Project):
    result = project.cli("review", "spec.md")
    assert (ExitCode.PASSED, "") == (result.exit_code, result.stderr)
    assert "pass: no findings in 1 file" in result.stdout


def test_a_broken_document_needs_revision_and_the_place_is_right(project: Project):
    project.write("spec.md", BROKEN)
    result = project.cli("review", "spec.md", "--format", "concise")
    assert ExitCode.NEEDS_REVISION == result.exit_code
    found = [line for line in result.stdout.splitlines() if "DOC002" in line]
    assert 1 == len(found)
    assert found[0].startswith("spec.md:11:3: critical DOC002 ")


def test_a_folder_is_reviewed_as_a_whole(project: Project):
    project.write("specs/export/requirements.md", REQUIREMENTS)
    project.write("specs/export/design.md", DESIGN)
    found = lines(project, "specs")
    assert any("specs/export/design.md" in line and "DES024" in line and "FR-2" in line for line in found), found


def test_upstream_can_be_named(project: Project):
    project.write("wishes.md", REQUIREMENTS)
    project.write("plan/how.md", DESIGN)
    found = lines(project, "plan/how.md", "--kind", "design", "--upstream", "wishes.md")
    assert any("FR-2" in line for line in found), found


def test_a_prd_is_checked_against_the_spec(project: Project):
    project.write("prd.md", "# PRD\n\n## Requirements\n\n- REQ-1: Export.\n- REQ-2: Only readers export.\n")
    found = lines(project, "spec.md", "--prd", "prd.md")
    assert any("REQ-2" in line and "PRD041" in line for line in found), found


def test_patterns_and_several_paths(project: Project):
    project.write("a/one.md", BROKEN)
    project.write("b/two.md", BROKEN)
    found = {line.partition(":")[0] for line in lines(project, "*/one.md", "b") if "DOC002" in line}
    assert {"a/one.md", "b/two.md"} == found


def test_a_pattern_that_matches_nothing(project: Project):
    result = project.cli("review", "*.txt")
    assert (ExitCode.USAGE, "error: no file matches *.txt\nhint: check the pattern and the folder you are in\n") == (
        result.exit_code, result.stderr,
    )  # fmt: skip


def test_standard_input(project: Project, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BROKEN.encode())))
    result = project.cli("review", "-", "--format", "concise")
    assert ExitCode.NEEDS_REVISION == result.exit_code
    assert result.stdout.startswith("<stdin>:")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "standard input is empty"),
        (b"# a\n\xff\n", "standard input is not UTF-8: byte 4 is 0xff"),
        (b"# a\n\0\n", "standard input is binary: byte 4 is NUL"),
        (b"# a\n" * 1_000_000, "standard input has more than 2 MB"),
    ],
    ids=["nothing", "Latin-1", "binary", "too large"],
)
def test_standard_input_gets_the_answers_that_a_file_gets(
    project: Project, monkeypatch: pytest.MonkeyPatch, data: bytes, said: str
):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    result = project.cli("review", "-")
    assert (ExitCode.USAGE, f"error: {said}") == (result.exit_code, result.stderr.partition("\nhint:")[0])


@pytest.mark.parametrize("asked", [("-", "spec.md"), ("-", "-"), ("-", "--agents")])
def test_standard_input_is_reviewed_by_itself_and_offline(project: Project, asked: tuple[str, ...]):
    result = project.cli("review", *asked)
    assert ExitCode.USAGE == result.exit_code
    assert "is not there" not in result.stderr


def test_no_command_is_recommended_for_what_is_in_no_file(project: Project, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BROKEN.encode())))
    assert "--agents" not in project.cli("review", "-").stdout


def test_a_document_outside_the_project(project: Project):
    other = project.told / "other.md"
    other.write_text(BROKEN)
    found = lines(project, "../told/other.md")
    assert any(line.startswith("../told/other.md:11:3: critical DOC002") for line in found), found


@pytest.fixture
def change(project: Project) -> Project:
    """A repository with one commit, and a change that the task does not list."""

    def git(*args: str) -> None:
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", *identity, *args], cwd=project.root, check=True, capture_output=True)

    project.write("pyproject.toml", '[project]\nname = "x"\ndependencies = []\n')
    project.write("src/export.py", "import csv\n")
    tasks = "# Tasks\n\n## Phase 1\n\n- [ ] 1.1 Export\n  - **Do**: write it\n  - **Files**: src/export.py\n  - **Done when**: it runs\n  - **Verify**: `python src/export.py`\n  - **Commit**: `feat: export`\n"
    project.write("tasks.md", tasks)
    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-qm", "start")
    project.write("src/other.py", "import csv\nimport nowhere_to_be_found\n")
    git("add", "-A")
    return project


def test_a_change_is_reviewed_against_its_task(change: Project):
    found = lines(change, "--diff", "main", "--task", "tasks.md#1.1")
    assert any("CHG038" in line and "src/other.py" in line for line in found), found
    assert any("CHG040" in line and "nowhere_to_be_found" in line for line in found), found


def test_a_task_that_is_not_there_is_no_task_to_be_held_against(change: Project):
    unknown = change.cli("review", "--diff", "main", "--task", "tasks.md#9.9")
    unknown_to_run = change.cli("run", "--diff", "main", "--task", "tasks.md#9.9")
    nowhere = change.cli("review", "--diff", "main", "--task", "1.1")
    no_change = change.cli("review", "spec.md", "--task", "tasks.md#1.1")

    assert "error: tasks.md has no task 9.9\nhint: it has 1.1" in unknown.stderr
    assert (ExitCode.USAGE, unknown.stderr) == (unknown_to_run.exit_code, unknown_to_run.stderr)
    assert "error: --task 1.1 does not say in which file the task is\nhint: write tasks.md#1.2\n" == nowhere.stderr
    assert no_change.stderr.startswith("error: --task is for a change\n")
    assert {ExitCode.USAGE} == {unknown.exit_code, nowhere.exit_code, no_change.exit_code}


def test_what_to_do_next_about_a_change_is_nothing_for_documents(change: Project):
    said = change.cli("review", "--diff", "main", "--task", "tasks.md#1.1").stdout

    assert "reviewloop explain" in said
    assert "<!--" not in said
    assert "--agents" not in said


@pytest.mark.parametrize(
    ("flag", "name", "hint"),
    [
        ("--select", "req0133", 'did you mean "REQ013"?'),
        ("--ignore", "vague-words", 'did you mean "vague-wording"?'),
        ("--ignore", "zzz", "`reviewloop rules` lists them"),
    ],
)
def test_a_rule_that_nobody_knows_is_not_passed_over(project: Project, flag: str, name: str, hint: str):
    result = project.cli("review", "spec.md", flag, name)

    assert (ExitCode.USAGE, f'error: no rule is named "{name}"\nhint: {hint}\n') == (result.exit_code, result.stderr)


def test_every_format_speaks_of_the_same_finding(project: Project):
    project.write("spec.md", BROKEN)
    shown = {name: project.cli("review", "spec.md", "--format", name).stdout for name in (
        "terminal", "concise", "json", "jsonl", "sarif", "junit", "github", "gitlab", "rdjson", "markdown",
    )}  # fmt: skip
    assert [] == [name for name, text in shown.items() if "DOC002" not in text]
    for name in ("json", "sarif", "gitlab", "rdjson"):
        json.loads(shown[name])
    ET.fromstring(shown["junit"])


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("--fail-on", "critical"), ExitCode.NEEDS_REVISION),
        (("--fail-on", "never"), ExitCode.PASSED),
        (("--exit-zero",), ExitCode.PASSED),
        (("--ignore", "DOC002"), ExitCode.PASSED),
    ],
)
def test_what_fails_is_the_callers_choice(project: Project, args: tuple[str, ...], code: ExitCode):
    project.write("spec.md", BROKEN)
    assert code == project.cli("review", "spec.md", *args).exit_code


def test_a_report_can_be_written_to_a_file(project: Project):
    project.write("spec.md", BROKEN)
    result = project.cli("review", "spec.md", "--format", "sarif", "-o", "out.sarif")
    assert ("", "wrote out.sarif\n") == (result.stdout, result.stderr)
    assert "2.1.0" == json.loads(project.read("out.sarif"))["version"]


def test_a_suppression_with_a_reason_is_shown_and_counted(project: Project):
    text = BROKEN.replace(
        "- FR-2: 10,000", "<!-- reviewloop: ignore DOC002 because both are drafts -->\n- FR-2: 10,000"
    )
    project.write("spec.md", text)
    result = project.cli("review", "spec.md")
    assert ExitCode.PASSED == result.exit_code
    assert "both are drafts" in result.stdout


def test_a_baseline_leaves_only_what_is_new(project: Project):
    project.write("spec.md", BROKEN)
    assert ExitCode.PASSED == project.cli("review", "spec.md", "--write-baseline").exit_code
    assert [] == [line for line in lines(project, "spec.md") if "DOC002" in line]
    project.write("spec.md", BROKEN + "\n- FR-7: yes.\n- FR-7: no.\n")
    assert ["FR-7"] == [line.split()[3] for line in lines(project, "spec.md") if "DOC002" in line][:1]


def test_a_baseline_that_is_none(project: Project):
    project.write("known.json", "[")
    result = project.cli("review", "spec.md", "--baseline", "known.json")
    assert ExitCode.USAGE == result.exit_code
    assert "known.json is not a baseline" in result.stderr


def test_settings_of_the_project_hold(project: Project):
    project.write("spec.md", BROKEN)
    project.write("reviewloop.yml", "rules:\n  severity: {DOC002: minor}\n")
    assert any(" minor DOC002" in line for line in lines(project, "spec.md"))
    project.write("reviewloop.yml", "rules:\n  per_path:\n    'spec.md': {ignore: [DOC002]}\n")
    assert [] == [line for line in lines(project, "spec.md") if "DOC002" in line]


@pytest.mark.parametrize(
    ("verdict", "code"),
    [(passing(), ExitCode.PASSED), (failing("No"), ExitCode.NEEDS_REVISION), ("hm", ExitCode.INCONCLUSIVE)],
    ids=["pass", "needs_revision", "inconclusive"],
)
def test_with_agents_the_panel_looks_once_and_nothing_is_edited(project: Project, verdict: str, code: ExitCode):
    project.reviewer(verdict)
    project.author()
    project.configure()
    result = project.cli("review", "spec.md", "--agents")
    assert (code, SPEC, []) == (result.exit_code, project.read(), project.prompts("author"))
    assert [] == project.events(), "a look leaves no session behind"


def test_a_panel_that_could_not_be_heard_judged_nothing_and_the_report_says_why(project: Project):
    project.agent("reviewer", "echo no credit left >&2; exit 1")
    project.configure()

    report = json.loads(project.cli("review", "spec.md", "--agents", "--json").stdout)

    assert ["rules", "reviewer"] == report["reviewers"]
    assert {None} == {criterion["met"] for criterion in report["artifacts"][0]["criteria"]}
    assert ["spec: no usable answer from reviewer: exited with 1: no credit left"] == report["warnings"]


@pytest.mark.parametrize("gate", ["critical", "off"])
def test_with_agents_the_rules_findings_are_told_as_well(project: Project, gate: str):
    project.write("spec.md", BROKEN)
    project.reviewer(passing())
    project.configure(static_gate=gate)

    with_agents = lines(project, "spec.md", "--agents")

    assert [] == [line for line in lines(project, "spec.md") if line not in with_agents]


def test_with_agents_the_prd_that_was_named_is_sent(project: Project):
    project.write("prd.md", "# PRD\n\n- REQ-1: people export reports, says the finance team.\n")
    project.reviewer(passing())
    project.configure()

    project.cli("review", "spec.md", "--agents", "--prd", "prd.md")

    assert "says the finance team" in project.prompts("reviewer")[0]


def test_with_agents_a_change_is_looked_at(change: Project):
    change.reviewer(json.dumps({"verdict": "pass", "score": dict.fromkeys(EXECUTION.names, 90), "feedback": []}))
    change.configure(static_gate="off")

    result = change.cli("review", "--diff", "main", "--agents")

    assert ExitCode.PASSED == result.exit_code
    assert "diff --git" in change.prompts("reviewer")[0]


def test_with_agents_a_file_of_the_same_name_elsewhere_is_not_mixed_up(project: Project):
    other = project.told / "spec.md"
    other.write_text(BROKEN)
    project.reviewer(passing())
    project.configure()

    result = project.cli("review", "../told/spec.md", "--agents")

    assert (ExitCode.USAGE, []) == (result.exit_code, project.prompts("reviewer"))
    assert result.stderr.startswith("error: ../told/spec.md lies outside the project")


def test_only_files_can_be_watched(change: Project):
    results = [change.cli("review", *args, "--watch") for args in (("-",), ("--diff", "main"))]

    assert {(ExitCode.USAGE, "error: --watch is for files and folders")} == {
        (one.exit_code, one.stderr.partition("\n")[0]) for one in results
    }


@pytest.mark.slow
def test_watching_reviews_again_when_a_file_changes(project: Project):
    command = [PYTHON, "-m", "reviewloop", "review", "spec*.md", "--watch", "--format", "concise"]
    output = project.told / "watched"
    with (
        output.open("w") as file,
        subprocess.Popen(command, cwd=project.root, stdout=file, stderr=subprocess.STDOUT) as watching,
    ):
        deadline = time.monotonic() + 90
        while "watching for changes" not in output.read_text():
            assert time.monotonic() < deadline
            time.sleep(0.1)
        for text, said in (("", "error: spec.md is empty"), (BROKEN, "DOC002")):
            project.write("spec.md", text)
            while said not in output.read_text():
                assert time.monotonic() < deadline
                time.sleep(0.1)
        watching.send_signal(signal.SIGINT)
        assert ExitCode.INTERRUPTED == watching.wait(timeout=10)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("empty.md", b""),
        ("binary.md", b"# x\x00\x01\x02"),
        ("latin.md", "# caf\xe9".encode("latin-1")),
        ("huge.md", b"# x\n" + b"word " * 500_000),
        ("loop.md", None),
        ("gone.md", None),
    ],
)
def test_a_file_that_cannot_be_read_gets_a_clear_answer(project: Project, name: str, data: bytes | None):
    if data is not None:
        (project.root / name).write_bytes(data)
    elif name == "loop.md":
        (project.root / name).symlink_to(name)
    result = project.cli("review", name)
    assert ExitCode.USAGE == result.exit_code
    assert result.stderr.startswith(f"error: {name} ")
    assert "hint: " in result.stderr


def test_in_a_folder_what_cannot_be_read_is_named_and_the_rest_reviewed(project: Project):
    project.write("docs/good.md", SPEC)
    (project.root / "docs/bad.md").write_bytes(b"\x00")
    result = project.cli("review", "docs")
    assert ExitCode.INCONCLUSIVE == result.exit_code
    assert "skipped: docs/bad.md" in result.stdout + result.stderr


def _unreadable(path: Path, why: str) -> None:
    match why:
        case "binary" | "latin" | "empty":
            path.write_bytes({"binary": b"# a\n\0", "latin": b"# caf\xe9\n", "empty": b""}[why])
        case "dangling":
            path.symlink_to("nowhere.md")
        case "loop":
            path.symlink_to(path.name)
        case _:
            path.write_bytes(b"word " * 500_000)


@pytest.mark.parametrize("why", ["binary", "latin", "empty", "dangling", "loop", "huge"])
def test_a_gate_that_could_not_read_a_document_does_not_pass(project: Project, why: str):
    project.write("docs/good.md", SPEC)
    _unreadable(project.root / "docs/bad.md", why)

    result = project.cli("review", "docs", "--json")

    report = json.loads(result.stdout)
    assert (ExitCode.INCONCLUSIVE, "inconclusive") == (result.exit_code, report["verdict"])
    assert ["pass"] == [one["verdict"] for one in report["artifacts"]]
    assert [True] == [text.startswith("docs/bad.md ") for text in report["left_out"]]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--fail-on", "critical"), ExitCode.INCONCLUSIVE),
        (("--fail-on", "never"), ExitCode.PASSED),
        (("--exit-zero",), ExitCode.PASSED),
        (("--write-baseline",), ExitCode.INCONCLUSIVE),
        (("--write-baseline", "--exit-zero"), ExitCode.PASSED),
    ],
)
def test_what_could_not_be_read_may_hold_anything(project: Project, options: tuple[str, ...], code: ExitCode):
    project.write("docs/good.md", SPEC)
    (project.root / "docs/bad.md").symlink_to("nowhere.md")

    result = project.cli("review", "docs", "--format", "concise", *options)

    told = "warning: skipped: docs/bad.md is a symbolic link to nothing"
    assert (code, told) == (result.exit_code, result.stderr.splitlines()[0])


def test_findings_count_more_than_what_could_not_be_read(project: Project):
    project.write("docs/broken.md", BROKEN)
    (project.root / "docs/bad.md").symlink_to("nowhere.md")

    verdict, by_severity = (project.cli("review", "docs", *extra).exit_code for extra in ((), ("--fail-on", "minor")))

    assert (ExitCode.NEEDS_REVISION, ExitCode.NEEDS_REVISION) == (verdict, by_severity)


def test_a_document_that_builds_on_one_that_cannot_be_read_does_not_pass(project: Project):
    project.write("specs/export/design.md", DESIGN)
    (project.root / "specs/export/requirements.md").write_bytes(b"# caf\xe9\n")

    result = project.cli("review", "specs/export/design.md", "--fail-on", "critical")

    assert ExitCode.INCONCLUSIVE == result.exit_code
    assert "skipped: specs/export/requirements.md is not UTF-8" in result.stdout


def test_a_picture_that_a_pattern_matches_is_passed_over_with_a_note(project: Project):
    project.write("docs/good.md", SPEC)
    (project.root / "docs/logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0" * 300_000)
    (project.root / "docs/notes.md").write_bytes(b"# a\n\0")

    pattern, folder = (
        json.loads(project.cli("review", path, "--json").stdout) for path in ("docs/*[go]*.*", "docs/good.md")
    )

    assert (["skipped: docs/logo.png holds no text"], ["docs/notes.md is binary: byte 4 is NUL"]) == (
        pattern["notes"], pattern["left_out"],
    )  # fmt: skip
    assert ("pass", []) == (folder["verdict"], folder["notes"])


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("asked", ["docs", "docs/**/*.md", "docs/*/*.md"])
def test_a_folder_that_is_closed_keeps_a_gate_from_passing(project: Project, asked: str):
    project.write("docs/open/good.md", SPEC)
    project.write("docs/closed/spec.md", SPEC)
    (project.root / "docs/closed").chmod(0)

    result = project.cli("review", asked)

    (project.root / "docs/closed").chmod(0o755)
    assert ExitCode.INCONCLUSIVE == result.exit_code
    assert "skipped: docs/closed cannot be read: permission denied" in result.stdout


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("asked", ["docs/closed", "docs/closed/*.md", "docs/closed/spec.md"])
def test_where_everything_is_closed_nothing_can_be_reviewed(project: Project, asked: str):
    project.write("docs/closed/spec.md", SPEC)
    (project.root / "docs/closed").chmod(0)

    result = project.cli("review", asked)

    (project.root / "docs/closed").chmod(0o755)
    assert ExitCode.USAGE == result.exit_code
    assert "cannot be read: permission denied" in result.stderr


def test_rules_and_their_pages(project: Project):
    listed = json.loads(project.cli("rules", "--json").stdout)
    assert {"id", "name", "severity", "default", "kinds", "summary"} <= listed[0].keys()
    assert "DOC002" in project.cli("rules").stdout
    assert "DOC002" in project.cli("explain", "doc002").stdout
    result = project.cli("explain", "DOC02")
    assert (ExitCode.USAGE, "error: there is no rule `DOC02`") == (result.exit_code, result.stderr.splitlines()[0])


def test_an_unknown_kind_of_rules_is_no_empty_list(project: Project):
    result = project.cli("rules", "--kind", "task")
    assert ExitCode.USAGE == result.exit_code
    assert "'tasks'" in result.stderr


def test_a_demo_where_nothing_can_be_written_says_so(project: Project):
    result = project.cli("demo", "--dir", "spec.md/demo")
    assert (ExitCode.USAGE, "error: spec.md/demo cannot be used: Not a directory") == (
        result.exit_code, result.stderr.partition("\nhint:")[0],
    )  # fmt: skip


@pytest.mark.parametrize(
    "options", [("-o", "spec.md"), ("-o", "./link.md"), ("--write-baseline", "--baseline", "spec.md")]
)
def test_a_report_never_takes_the_place_of_what_is_reviewed(project: Project, options: tuple[str, ...]):
    (project.root / "link.md").symlink_to("spec.md")
    before = project.read()

    result = project.cli("review", "spec.md", *options)

    assert (ExitCode.USAGE, before) == (result.exit_code, project.read())


def test_a_shells_pipe_in_place_of_a_file_is_told_as_one(project: Project):
    reading, writing = os.pipe()
    try:
        result = project.cli("review", f"/dev/fd/{reading}")
    finally:
        os.close(reading)
        os.close(writing)
    assert (ExitCode.USAGE, f"error: /dev/fd/{reading} is a pipe\nhint: make it standard input: reviewloop review -\n") == (
        result.exit_code, result.stderr,
    )  # fmt: skip


def test_an_empty_path_does_not_stand_for_everything(project: Project):
    result = project.cli("review", "")
    assert (ExitCode.USAGE, "error: a path is empty\nhint: name a file or a folder\n") == (
        result.exit_code, result.stderr,
    )  # fmt: skip


@pytest.mark.parametrize("form", FORMATS)
def test_a_file_that_could_not_be_read_is_told_in_every_format(project: Project, form: str, tmp_path: Path):
    project.write("specs/good.md", SPEC)
    (project.root / "specs/latin.md").write_bytes(b"# a\n\xff\n")

    shown = project.cli("review", "specs", "--format", form)
    written = project.cli("review", "specs", "--format", form, "-o", str(tmp_path / "report"))

    assert "specs/latin.md is not UTF-8" in shown.stdout.replace("\n", " ") + shown.stderr
    assert "warning: skipped: specs/latin.md is not UTF-8: byte 4 is 0xff" in written.stderr


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("spec.md", "# Export\n\nRows\n"),
        ("spec.md", "# Export\n\n## Overview\n\n## Requirements\n\n## Design\n\n## Testing\n"),
    ],
)
def test_a_stub_does_not_pass(project: Project, name: str, text: str):
    project.write(name, text)

    result = project.cli("review", name, "--format", "concise")

    assert ExitCode.NEEDS_REVISION == result.exit_code
    assert "DOC001 the document contains only headings or a few words\n" in result.stdout


def test_the_demo_leaves_documents_that_pass(project: Project):
    project.cli("demo", "--dir", "demo")

    assert ExitCode.PASSED == project.cli("review", "demo", "--fail-on", "minor").exit_code


@pytest.mark.parametrize("option", [("--reviewer", "mine"), ("--profile", "panel"), ("--timeout", "5")])
def test_who_names_a_reviewer_and_not_agents_is_told_that_nobody_would_be_asked(
    project: Project, option: tuple[str, str]
):
    result = project.cli("review", "spec.md", *option)

    assert (ExitCode.USAGE, f"error: {option[0]} is for agents\nhint: add --agents, or leave it out\n") == (
        result.exit_code, result.stderr,
    )  # fmt: skip


def test_with_agents_the_rules_are_chosen_in_the_same_way(project: Project):
    project.write("spec.md", BROKEN)
    project.reviewer(passing())
    project.configure()

    whole, ignored = (project.cli("review", "spec.md", "--agents", *more) for more in ((), ("--ignore", "DOC002")))
    project.cli("review", "spec.md", "--write-baseline")
    known = project.cli("review", "spec.md", "--agents")

    assert [ExitCode.NEEDS_REVISION, ExitCode.PASSED, ExitCode.PASSED] == [
        one.exit_code for one in (whole, ignored, known)
    ]


def test_two_formats_at_once_are_refused(project: Project):
    assert ExitCode.USAGE == project.cli("review", "spec.md", "--json", "--format", "sarif").exit_code
    assert ExitCode.PASSED == project.cli("review", "spec.md", "--json", "--format", "json").exit_code


@pytest.mark.parametrize("options", [(), ("--fail-on", "critical")])
def test_a_document_that_was_not_checked_to_its_end_does_not_pass(project: Project, options: tuple[str, ...]):
    project.write("spec.md", SPEC + "\n## Notes\n" + "\nOne more word on it.\n" * 20_000)

    result = project.cli("review", "spec.md", "--format", "concise", *options)

    assert ExitCode.INCONCLUSIVE == result.exit_code
    assert "DOC902 too large: only the first 300,000 characters" in result.stdout


def test_who_says_why_a_document_need_not_be_read_to_its_end_may_pass(project: Project):
    reason = "<!-- reviewloop: ignore DOC902 because the rest is data -->\n\n"
    project.write("spec.md", reason + SPEC + "\n## Notes\n" + "\nOne more word on it.\n" * 20_000)

    assert ExitCode.PASSED == project.cli("review", "spec.md").exit_code
