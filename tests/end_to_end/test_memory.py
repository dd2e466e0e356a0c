"""Reviewers that learn: the whole circle, what they are told, and files that people write in."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from test_panel import BOOM, CLEAN, panel, says

from project import SCORES, Project, failing, passing
from reviewloop.errors import ExitCode

pytestmark = pytest.mark.slow

FOLDER = ".reviewloop/memory/spec-reviewer"
PATTERNS = f"{FOLDER}/service-patterns/exports.md"
SERVICES = "services: {exports: '*.md'}"
ALARM = "Say which CSV dialect"
REAL = "Nothing limits the size of an export"


def today() -> str:
    return datetime.now(UTC).date().isoformat()


def known(project: Project, service: str = "exports") -> dict[str, Any]:
    found = json.loads(project.cli("memory", "show", service, "--json").stdout)["patterns"]
    return {one["issue"]: one for one in found}


def dismiss_once(project: Project, **how: str) -> None:
    """A review raises the false alarm, and a person dismisses it."""
    project.run("spec.md", "--fresh")
    result = project.cli(
        "inbox", "answer", "spec", "--accept", "--dismiss", "F1", "--why", "RFC 4180 is meant", "--by", "lead"
    )
    assert ExitCode.PASSED == result.exit_code


@pytest.fixture
def alarmed(project: Project) -> Project:
    """A reviewer that raises the same false alarm every time."""
    project.reviewer(failing(ALARM, score=SCORES))
    project.configure(SERVICES, max_iterations=1)
    return project


def test_the_circle_a_false_alarm_dismissed_three_times_blocks_no_more(alarmed: Project):
    for times in range(1, 4):
        before = alarmed.run("spec.md", "--fresh")
        assert "blocked" == before.session["outcome"], f"it still blocks after {times - 1} dismissals"
        dismiss_once(alarmed)
    result = alarmed.run("spec.md", "--fresh")
    assert (ExitCode.PASSED, "passed_with_warnings") == (result.exit_code, result.session["outcome"])
    (finding,) = result.session["findings"]
    assert finding["suppressed"].startswith("memory S1: dismissed 3 times")
    assert "memory S1" in alarmed.cli("status", "spec").stdout
    assert "suppressed" == known(alarmed)[ALARM]["state"]


def test_a_real_issue_raised_twice_has_its_frequency_and_date(project: Project):
    project.reviewer(failing(REAL))
    project.configure(SERVICES, max_iterations=1)
    for _ in range(2):
        project.run("spec.md", "--fresh")
    assert f"| {REAL} <!-- S1 --> | 2 | {today()} | Important | spec.md:3 (Overview) |" in project.read(PATTERNS)


def test_what_is_critical_is_never_suppressed(project: Project):
    panel(project, haiku=CLEAN, sonnet={"spec": says(BOOM), "quality": says()})
    project.write("reviewloop.yml", project.read("reviewloop.yml") + SERVICES + "\n")
    for _ in range(3):
        project.run("spec.md", "--fresh")
        project.cli("inbox", "answer", "spec", "--dismiss", "F1", "--why", "no", "--retry")
    (finding,) = project.run("spec.md", "--fresh").session["findings"]
    assert ("critical", None) == (finding["severity"], finding["suppressed"])


def test_the_next_reviewer_is_told_what_came_up_what_the_rules_are_and_what_is_no_issue(alarmed: Project):
    dismiss_once(alarmed)
    alarmed.cli("memory", "add", "exports", REAL, "--severity", "critical")
    alarmed.cli("memory", "add", "exports", "--rule", "Money is in cents")
    alarmed.run("spec.md", "--fresh")
    told = alarmed.prompts("reviewer")[-1].partition("# Lessons from earlier reviews")[2].partition("\n# ")[0]
    assert f"- S2 (critical, 1 time): {REAL}" in told
    assert "- Money is in cents" in told
    assert f"- S1: {ALARM} (lead: RFC 4180 is meant)" in told
    assert told.index("S2") < told.index("Money") < told.index("S1")


def told_about_earlier_reviews(prompt: str) -> str:
    return prompt.partition("# Lessons from earlier reviews")[2].partition("\n# ")[0]


def test_each_stages_reviewers_are_told_what_their_own_kind_knows(project: Project):
    panel(project, haiku=CLEAN, sonnet=CLEAN, speculative_quality=False)
    project.write("reviewloop.yml", project.read("reviewloop.yml") + SERVICES + "\n")
    project.cli("memory", "add", "exports", REAL, "--stage", "spec")
    project.cli("memory", "add", "exports", "--rule", "Money is in cents", "--stage", "quality")
    project.run()
    for model in ("haiku", "sonnet"):
        told = [told_about_earlier_reviews(prompt) for prompt in project.prompts(model)]
        assert [(True, False), (False, True)] == [(REAL in text, "Money is in cents" in text) for text in told], (
            "the spec reviewer knows the issue, the quality reviewer the rule"
        )


def test_a_reviewer_without_a_stage_is_told_what_both_kinds_know(project: Project):
    project.reviewer(passing())
    project.configure(SERVICES)
    project.cli("memory", "add", "exports", REAL, "--stage", "spec")
    project.cli("memory", "add", "exports", ALARM, "--stage", "quality")
    project.run()
    told = told_about_earlier_reviews(project.prompts("reviewer")[0])
    assert (True, True) == (f"- S1 (important, 1 time): {REAL}" in told, f"- Q1 (important, 1 time): {ALARM}" in told)


def test_accepted_although_failing_is_a_false_positive_on_probation_that_suppresses_nothing(alarmed: Project):
    for _ in range(4):
        assert "blocked" == alarmed.run("spec.md", "--fresh").session["outcome"]
        alarmed.cli("resume", "spec", "--accept", "--note", "good enough")
    assert ("false positive", "accepted work with this finding: good enough") == (
        known(alarmed)[ALARM]["state"], known(alarmed)[ALARM]["why_not"].split(" ", 3)[3],
    )  # fmt: skip


def test_rejected_although_passing_is_a_common_issue(project: Project):
    panel(project, haiku=CLEAN, sonnet=CLEAN)
    project.write("reviewloop.yml", project.read("reviewloop.yml") + SERVICES + "\n")
    project.run()
    project.cli("resume", "spec", "--reject", "--note", "Nobody says who may export")
    assert "active" == known(project)["Nobody says who may export"]["state"]


def test_a_pattern_is_recognised_by_the_id_the_reviewer_gives(project: Project):
    other = {
        "severity": "important",
        "section": "Design",
        "description": "Completely different words",
        "pattern_id": "S1",
    }
    panel(project, haiku=CLEAN, sonnet={"spec": says(BOOM), "spec-2": says(other), "quality": says()})
    project.write("reviewloop.yml", project.read("reviewloop.yml") + SERVICES + "\n")
    project.run()
    (project.tools / "sonnet-spec").write_text(says(other))
    project.run("spec.md", "--fresh")
    assert [(BOOM["description"], 2)] == [(issue, one["frequency"]) for issue, one in known(project).items()]


def test_hand_written_text_and_rows_survive_byte_for_byte_with_windows_line_ends(alarmed: Project):
    written = (
        "# exports Review Patterns\r\n\r\nAsk Ada before changing this.\r\n\r\n## Common Issues\r\n"
        "|Pattern|Frequency|Last Seen|Severity|Example|\r\n|---|:-:|---|---|---|\r\n"
        "|  No time zone \\| offset |many|  ?|Critical|api.py:3  |\r\n\r\ntext below\r\n"
        "## Service-Specific Rules\r\n* Money is in cents\r\n## Notes\r\n| a | b |\r\n"
    )
    path = alarmed.write(PATTERNS, "")
    path.write_bytes(written.encode())
    for _ in range(2):
        alarmed.run("spec.md", "--fresh")
    after = path.read_bytes().decode()
    kept = iter(after.splitlines(keepends=True))
    assert all(line in kept for line in written.splitlines(keepends=True)), "every line, in its order"
    assert f"| {ALARM} <!-- S1 --> | 2 |" in after
    assert after.count("\n") == after.count("\r\n")
    told = alarmed.prompts("reviewer")[-1]
    assert "- No time zone | offset" in told
    assert "- Money is in cents" in told


def test_words_that_people_changed_in_a_row_of_ours_stay(alarmed: Project):
    alarmed.run("spec.md", "--fresh")
    reworded = alarmed.read(PATTERNS).replace(f"| {ALARM} <!-- S1 -->", "| **Dialect!** <!-- S1 -->")
    alarmed.write(PATTERNS, reworded.replace("| spec.md:3 (Overview) |", "| ask Ada |"))
    alarmed.run("spec.md", "--fresh")
    assert f"| **Dialect!** <!-- S1 --> | 2 | {today()} | Important | ask Ada |" in alarmed.read(PATTERNS)


def test_a_row_somebody_took_out_stays_out_until_it_comes_up_again(alarmed: Project):
    alarmed.run("spec.md", "--fresh")
    alarmed.cli("memory", "add", "exports", REAL)
    lines = alarmed.read(PATTERNS).splitlines(keepends=True)
    alarmed.write(PATTERNS, "".join(line for line in lines if "<!-- S2 -->" not in line))
    alarmed.run("spec.md", "--fresh")
    assert REAL not in alarmed.read(PATTERNS)
    alarmed.cli("memory", "add", "exports", REAL)
    assert f"| {REAL} <!-- S2 --> | 2 |" in alarmed.read(PATTERNS)


@pytest.mark.parametrize(
    ("old", "new", "damage"),
    [
        ("| Frequency | Last Seen |", "| Last Seen |", "needs the columns"),
        ("|---------|-----------|", "|", "is missing"),
        ("| Important |", "", "needs 5 cells"),
    ],
)
def test_a_table_somebody_broke_is_left_alone_and_named(alarmed: Project, old: str, new: str, damage: str):
    alarmed.run("spec.md", "--fresh")
    broken = alarmed.read(PATTERNS).replace(old, new, 1)
    alarmed.write(PATTERNS, broken)
    result = alarmed.run("spec.md", "--fresh")
    assert broken == alarmed.read(PATTERNS)
    assert damage in result.stderr
    assert "exports.md was not changed: line " in result.stderr
    assert "blocked" == result.session["outcome"], "the review went on"


def test_a_file_that_is_no_text_is_left_alone(alarmed: Project):
    path = alarmed.write(PATTERNS, "")
    path.write_bytes(b"\xff\xfe\x00")
    result = alarmed.run()
    assert (b"\xff\xfe\x00", True) == (path.read_bytes(), "is not UTF-8 text" in result.stderr)


def test_without_its_database_memory_is_taken_from_the_files(alarmed: Project):
    for _ in range(3):
        dismiss_once(alarmed)
    (alarmed.root / ".reviewloop/memory.db").unlink()
    assert "passed_with_warnings" == alarmed.run("spec.md", "--fresh").session["outcome"]


def test_a_damaged_database_is_a_warning(alarmed: Project):
    alarmed.run()
    (alarmed.root / ".reviewloop/memory.db").write_bytes(b"nonsense" * 1000)
    result = alarmed.run("spec.md", "--fresh")
    assert "memory.db: file is not a database" in result.stderr
    assert "blocked" == result.session["outcome"]


def test_index_and_reviews_are_written_around_what_people_wrote(alarmed: Project):
    alarmed.run("spec.md", "--fresh")
    index = f"{FOLDER}/MEMORY.md"
    alarmed.write(index, f"mine above\n{alarmed.read(index)}mine below")
    dismiss_once(alarmed)
    text = alarmed.read(index)
    assert text.startswith("mine above\n")
    assert text.endswith("mine below")
    assert "[exports](<service-patterns/exports.md>)" in text
    review = alarmed.read(f"{FOLDER}/reviews/{today()}-spec.md")
    assert f"important, dismissed: {ALARM}" in review


def test_list_add_dismiss_restore_export_and_import(project: Project):
    project.configure(SERVICES)
    assert "nothing learned yet" in project.cli("memory").stderr
    project.cli("memory", "add", "exports", REAL)
    for who in ("ada", "ada", "ada", "bob"):
        project.cli("memory", "dismiss", "exports", "S1", "--why", "fine", "--by", who)
    assert "false positive" == known(project)[REAL]["state"], "who says it again says nothing new"
    project.cli("memory", "dismiss", "exports", "S1", "--why", "fine", "--by", "cleo")
    assert "suppressed" == known(project)[REAL]["state"]
    project.cli("memory", "restore", "exports", "S1")
    assert "active" == known(project)[REAL]["state"]
    exported = project.write("memory.json", project.cli("memory", "export").stdout)
    (project.root / ".reviewloop/memory.db").unlink()
    (project.root / PATTERNS).unlink()
    assert ExitCode.PASSED == project.cli("memory", "import", str(exported)).exit_code
    assert 1 == known(project)[REAL]["frequency"]
    (line,) = json.loads(project.cli("memory", "list", "--json").stdout)
    assert ("exports", 1, 0) == (line["service"], line["active"], line["archived"])


def test_what_is_not_there_is_named(project: Project):
    project.configure(SERVICES)
    project.cli("memory", "add", "exports", REAL)
    result = project.cli("memory", "dismiss", "exports", "S9", "--why", "x")
    assert (ExitCode.USAGE, "error: exports has no pattern S9\nhint: its patterns are S1\n") == (
        result.exit_code, result.stderr,
    )  # fmt: skip
    assert "known services: exports" in project.cli("memory", "show", "nothing").stderr
    project.write("broken.json", '{"memory": [1]}')
    assert ExitCode.USAGE == project.cli("memory", "import", "broken.json").exit_code


def test_a_project_may_keep_no_memory(alarmed: Project):
    alarmed.configure(f"{SERVICES}\npaths: {{memory: false}}", max_iterations=1)
    alarmed.run()
    assert not (alarmed.root / FOLDER).exists()
    assert ExitCode.USAGE == alarmed.cli("memory").exit_code


def test_passing_reviews_are_counted(project: Project):
    project.reviewer(passing())
    project.configure(SERVICES)
    project.run()
    assert "| [exports](<service-patterns/exports.md>) | 1 |" in project.read(f"{FOLDER}/MEMORY.md")
